package mutants

// taskMutants break how work in the background ends and is told.
func taskMutants() []Mutant {
	const dir = "pkg/agent"
	const (
		ends      = "background: ends"
		order     = "background: order"
		progress  = "background: progress"
		cancelled = "background: cancelled"
		commands  = "background: commands"
	)
	return []Mutant{
		{
			Promise: ends, Defect: "gives every task an hour",
			File: dir + "/turn/tasks.go", Old: "now.Add(call.Annotations.BackgroundLimit)", New: "now.Add(time.Hour)",
			Dir: dir, Test: "^TestATaskHasTheTimeThatItsToolNames$",
		},
		{
			Promise: ends, Defect: "lets what the end cut off speak for itself",
			File: dir + "/task/end.go",
			Old:  "if ts.o.Work.CutOff(id, result.IsError) {",
			New:  "if ts.o.Work.CutOff(id, result.IsError) && id == \"\" {",
			Dir:  dir, Test: "^TestHoweverATaskCallsBackItsChatIsToldOnce$",
		},
		{
			Promise: ends, Defect: "lets a plain tool say that it goes on",
			File: "pkg/tools/running.go", Old: "if res != nil && res.Async && c.task == nil {",
			New: "if res != nil && res.Async && c.entry == nil {",
			Dir: dir, Test: "^TestWhatCannotGoOnInTheBackgroundIsAFailure$",
		},
		{
			Promise: order, Defect: "lets a result be silent about its age",
			File: "pkg/channels/age.go", Old: "if !o.Aged ||", New: "if o.Aged ||",
			Dir: dir, Test: "^TestAResultSaysHowLongItWaitedForItsChannel$",
		},
		{
			Promise: order, Defect: "lets every chat wait for all lost tasks",
			File: dir + "/task/lost.go", Old: "c := l.chats[chat]\n\tl.mu.Unlock()",
			New: "c := l.chats[chat]\n\tfor _, any := range l.chats {\n\t\tc = any\n\t}\n\tl.mu.Unlock()",
			Dir: dir, Test: "^TestLostTasksKeepNoOtherChatWaiting$",
		},
		{
			Promise: progress, Defect: "leaves the message open when the model has nothing to say",
			File: dir + "/turn/live.go",
			Old:  "t.live.message, t.live.ends = progress.NewLiveMessage(t.Info.Steps, message), ends",
			New:  "t.live.ends = ends",
			Dir:  dir, Test: "^TestProgressIsOneMessageThatBecomesTheResult$",
		},
		{
			Promise: progress, Defect: "puts the notice of a lost task below its progress",
			File: dir + "/task/end.go", Old: "Finishes: t.Status, Aged", New: "Aged",
			Dir: dir, Test: "^TestProgressOfALostTaskIsFinishedByItsNotice$",
		},
		{
			Promise: progress, Defect: "shows every line",
			File: dir + "/progress/task.go", Old: "*next = time.Now().Add(statusEvery)", New: "*next = time.Now()",
			Dir: dir, Test: "^TestProgressIsOneMessageThatBecomesTheResult$",
		},
		{
			Promise: cancelled, Defect: "lets anybody cancel",
			File: dir + "/trust/principal.go", Old: "return p.Owner || p.Sender.ID == t.Principal.Sender.ID ||",
			New: "return !p.Owner || p.Sender.ID == t.Principal.Sender.ID ||",
			Dir: dir, Test: "^TestCancelEndsTheWorkAndIsToldOnce$",
		},
		{
			Promise: cancelled, Defect: "lets cancelled work go on",
			File: dir + "/task/end.go", Old: "if err == nil {\n\t\tts.o.Work.Close(t.ID)\n\t}", New: "",
			Dir: dir, Test: "^TestCancelEndsTheWorkAndIsToldOnce$",
		},
		{
			Promise: cancelled, Defect: "finds the tasks of all chats",
			File: dir + "/task/command.go", Old: "t, err := h.o.Tasks.Find(ctx, h.T.Info.Chat, id)",
			New: "t, err := h.o.Tasks.Find(ctx, \"\", id)",
			Dir: dir, Test: "^TestTasksAreListedInTheirChatAlone$",
		},
		{
			Promise: commands, Defect: "gives a command in the background the limit of one that is waited for",
			File: "pkg/tools/shell/shell.go", Old: "times = s.background.BackgroundTime", New: "times = s.background.Time",
			Dir: "pkg/tools/shell", Test: "^TestACommandInTheBackgroundHasItsOwnLimit$",
		},
	}
}
