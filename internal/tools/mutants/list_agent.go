package mutants

// agentMutants break turns, their surroundings, and the stop of the process.
func agentMutants() []Mutant {
	const dir = "pkg/agent"
	return []Mutant{
		{
			Promise: "R1", Defect: "lists a message as answered that failed",
			File: dir + "/turn/reply.go", Old: "Outcome: session.OutcomeFailed, Reason: text.ClipBytes(reason, 500),",
			New: "Outcome: session.OutcomeAnswered, Reason: text.ClipBytes(reason, 500),",
			Dir: "cmd/gateway", Test: "^TestScripts$/^model_down$",
		},
		{
			Promise: "R5", Defect: "runs a call again of which nothing is known",
			File: dir + "/ledger/round.go", Old: `(!c.Rerunnable || c.TaskID != "")`, New: `c.TaskID != ""`,
			Dir: dir, Test: "^TestAnInterruptedTurnGoesOnFromItsLastStep$",
		},
		{
			Promise: "R5", Defect: "runs a call before its begin is durable",
			File: dir + "/turn/journal.go", Old: "Kind: session.StepBegun, Round: call.Round, Await: true,",
			New: "Kind: session.StepEnded, Round: call.Round,",
			Dir: "internal/test/kill", Test: "^TestKillAtEachPoint$/^P7$",
		},
		{
			Promise: "R6", Defect: "forgets the tasks of the process that died",
			File: dir + "/agent.go", Old: "if err := a.tasks.TakeUp(ctx); err != nil && ctx.Err() == nil {",
			New: "if err := ctx.Err(); err != nil {",
			Dir: dir, Test: "^TestATaskLostWithTheProcessIsToldOnceAtTheNextStart$",
		},
		{
			Promise: "R9", Defect: "sends an answer that was not redacted",
			File: dir + "/turn/reply.go", Old: "Text: t.Deps.Redact(said),", New: "Text: said,",
			Dir: dir, Test: "^TestWhatLeavesIsRedacted$",
		},
		{
			Promise: "R11", Defect: "does not end at a second signal",
			File: "cmd/gateway/runverbs.go", Old: "case stopping:", New: "case stopping && done == nil:",
			Dir: "internal/test/kill", Test: "^TestSecondTermEndsAtOnce$",
		},
		{
			Promise: "lower rights", Defect: "gives a turn the highest rights of its senders",
			File: dir + "/trust/principal.go", Old: "if !b.Level.Allows(a.Level) {", New: "if b.Level.Allows(a.Level) {",
			Dir: dir, Test: "^TestATurnHasTheLowestRightsOfItsSenders$",
		},
		{
			Promise: "lower rights", Defect: "lets anybody join a running turn",
			File: dir + "/turn/journal.go", Old: "return refused == \"\" && who.MayJoin(&r.Principal)\n}\n\n// Event",
			New: "return refused == \"\" && who.Level != \"\"\n}\n\n// Event",
			Dir: dir, Test: "^TestASenderWithLowerRightsIsQueuedNotJoined$",
		},
		{
			Promise: "R5", Defect: "lets a step with side effects wait",
			File: dir + "/ledger/writer.go", Old: "if s.Await || len(s.Outbox) > 0 || len(s.Tasks) > 0 || len(s.Approvals) > 0 {",
			New: "if s.Await && s.Call == nil {",
			Dir: dir,
			Test: "^(TestAnInterruptedTurnGoesOnFromItsLastStep|TestToolResultsGoToTheModelAndForUserToTheChat|" +
				"TestBackgroundWorkEndsInOneNoticeInItsOwnChat|TestWhatAToolShowedIsNotShownAgainAfterARestart)$",
		},
		{
			Promise: "stop with turns", Defect: "forgets what waits to be written when a turn is cut off",
			File: dir + "/ledger/writer.go", Old: "if committed {", New: "if committed || ctx != nil {",
			Dir: dir, Test: "^TestAReadOnlyCallThatWasBegunRunsAgain$",
		},
		{
			Promise: "telegram: tool activity", Defect: "shows a second draft",
			File: dir + "/progress/preview.go", Old: `return p.turn.ID + "/draft"`,
			New: `return p.turn.ID + "/draft/" + strings.Repeat("x", p.answer.round)`,
			Dir: "pkg/channels/telegram", Test: "^TestToolActivityIsANoteInTheAnswersOwnPreview$",
		},
		{
			Promise: "telegram: tool activity", Defect: "says nothing of results",
			File: dir + "/turn/journal.go", Old: "if !result.Silent {", New: "if !result.Silent && result.Async {",
			Dir: dir, Test: "^TestWhatBecameOfACallIsToldInALine$",
		},
	}
}

// stopMutants break the waits of chats, and the stop of a turn.
func stopMutants() []Mutant {
	const dir = "pkg/agent"
	return []Mutant{
		{
			Promise: "hanging chat", Defect: "runs one turn at a time over all chats",
			File: dir + "/agent.go", Old: "Places: places.New(o.Limits.Turns), Zones", New: "Places: places.New(1), Zones",
			Dir: dir, Test: "^TestOneHangingChatDoesNotHoldTheOthers$",
		},
		{
			Promise: "/stop", Defect: "lets a turn go on after a stop",
			File: dir + "/turn/interrupts.go", Old: "return stopError{item: items[i].ID}", New: "return nil",
			Dir: dir, Test: "^TestStopEndsAHangingModelAndSaysSoOnce$",
		},
		{
			Promise: "/stop", Defect: "listens to a joined message to its end after a restart",
			File: dir + "/turn/resume.go", Old: "read(loop, t, s.Items)...)", New: "read(ctx, t, s.Items)...)",
			Dir: dir, Test: "^TestStopIsHeardInAResumedTurn$",
		},
		{
			Promise: "/stop", Defect: "says so once more for what waited",
			File: dir + "/turn/interrupts.go", Old: "told, id = TextStopped, session.StopAnswerID(stop.item)", New: "told = TextStopped",
			Dir: dir, Test: "^TestStopEndsWhatWaitsToo$",
		},
		{
			Promise: "/stop", Defect: "ends the turn that runs for a stop that names a message behind it",
			File: dir + "/turn/interrupts.go", Old: "return every || ", New: "return every || named != \"\" || ",
			Dir: dir, Test: "^TestAStopThatNamesAMessage$",
		},
		{
			Promise: "/stop", Defect: "denies a stop that the platform did not take the word of",
			File: dir + "/turn/interrupts.go", Old: "return told || errors.Is(err, session.ErrEnded), told", New: "return told, told",
			Dir: dir, Test: "^TestAStopThatCouldNotBeToldIsToldAgain$",
		},
	}
}
