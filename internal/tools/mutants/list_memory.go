package mutants

import "slices"

// memoryMutants break the promises of the section "What the model remembers and reads".
func memoryMutants() []Mutant {
	return slices.Concat(
		historyMutants(), summaryMutants(), firstFileMutants(), lateMutants(), recallMutants(), corporaMutants(), factMutants(),
		pageFactMutants(), spaceMutants(), outsideMutants(), meanwhileMutants(), restoreMutants(),
	)
}

// historyMutants break the part of a request about earlier turns.
func historyMutants() []Mutant {
	const agent, row = "pkg/agent", "no entry costs the others"
	return []Mutant{
		{
			Promise: row, Defect: "carries the arguments of calls whole",
			File: "pkg/providers/shorten.go", Old: "if size <= room {", New: "if size <= room || size > 0 {",
			Dir: "internal/test/e2e", Test: "^TestALargeCallIsNoLossOfMemory$",
		},
		{
			Promise: row, Defect: "runs a call that repeats what was left out",
			File: "pkg/tools/admit.go", Old: "if providers.LeftOut(q.call.Arguments) {", New: "if providers.LeftOut(q.call.Name) {",
			Dir: agent, Test: "^TestACallThatRepeatsWhatWasLeftOutIsRefused$",
		},
		{
			Promise: row, Defect: "lets a long turn take all of the request",
			File: agent + "/prompt/history.go", Old: "b.turnTokens+n > b.mostSteps() || b.turn >= b.past.Entries*5/8",
			New: "b.turnTokens > b.past.Budget",
			Dir: agent, Test: "^TestNoEntryCostsTheEntriesBeforeIt$/^many_(rounds|calls)$",
		},
		{
			Promise: row, Defect: "keeps an album that has no room",
			File: agent + "/prompt/history.go", Old: "if b.tokens+n > b.most && len(m.Images) > 0 {",
			New: "if b.tokens > b.past.Budget && len(m.Images) > 0 {",
			Dir: agent, Test: "^TestAnAlbumDoesNotHideWhatWasSaidBefore$",
		},
		{
			Promise: row, Defect: "keeps a large Extra of an answer",
			File: "pkg/providers/shorten.go",
			Old:  "c.Extra, c.RawArguments, c.Arguments = nil, shortArguments(&c, share), nil",
			New:  "c.RawArguments, c.Arguments = shortArguments(&c, share), nil",
			Dir:  agent, Test: "^TestNoEntryCostsTheEntriesBeforeIt$/^something_opaque$",
		},
	}
}

// spaceMutants break how files of spaces and of the operator are opened.
func spaceMutants() []Mutant {
	const agent, gateway, kept, files, prompt = "pkg/agent", "cmd/gateway", "pkg/gateway/files", "files of a space", "system prompt"
	return []Mutant{
		{
			Promise: files, Defect: "reads a file that has a second name",
			File: "pkg/openat/openat.go", Old: "case names(info) > 1:\n\t\terr = wrong(name, ErrManyNames)",
			New: "case names(info) > 9:\n\t\terr = wrong(name, ErrManyNames)",
			Dir: agent, Test: "^TestThePromptHasPlainFilesOfTheSpaceAlone$/^a_second_name$",
		},
		{
			Promise: files, Defect: "follows a link in a space",
			File: "pkg/openat/openat.go", Old: "if err == nil && info.Mode()&fs.ModeSymlink != 0 {",
			New: "if err == nil && info.Mode()&fs.ModeSymlink != 0 && i < 0 {",
			Dir: "pkg/openat", Test: "^TestFile$",
		},
		{
			Promise: files, Defect: "waits for the other end of a pipe",
			File: "pkg/openat/openat.go", Old: "const noWait = syscall.O_NONBLOCK | syscall.O_NOCTTY", New: "const noWait = syscall.O_NOCTTY",
			Dir: gateway, Test: "^TestAPipeInTheStateFolderHoldsNobodyUp$",
		},
		{
			Promise: files, Defect: "looks into a pipe as if it were a folder",
			File: "pkg/tools/shell/globs.go", Old: "f, _, err := openat.LinkedFolder(b.root, name)\n\tif err != nil {",
			New: "f, err := b.root.Open(name)\n\tif err != nil {",
			Dir: "pkg/tools/shell", Test: "^TestAPatternBelowAPipeWaitsForNobody$",
		},
		{
			Promise: files, Defect: "follows a link in the place of the inbox",
			File: kept + "/attachments.go", Old: "box, err := openat.Folder(root, Inbox)",
			New: "box, err := root.OpenRoot(Inbox); _ = openat.Folder",
			Dir: kept, Test: "^TestAnInboxThatIsSomethingElse$",
		},
		{
			Promise: files, Defect: "follows a link in the state folder",
			File: "pkg/openat/openat.go", Old: "os.O_WRONLY|syscall.O_NOFOLLOW|noWait", New: "os.O_WRONLY|noWait",
			Dir: kept, Test: "^TestUnreadUpdatesFollowNoLink$",
		},
		{
			Promise: files, Defect: "reads the files of the summary where the process stands",
			File: agent + "/command/commands.go", Old: "\th.T.Take(items)\n", New: "\th.T.Provenance.AddItems(items)\n",
			Dir: agent, Test: "^TestTheSummaryReadsTheChatsFiles$",
		},
		{
			Promise: "turns that do not get on", Defect: "waits for the disk whatever arrives",
			File: agent + "/prompt/files.go", Old: "case <-ctx.Done():", New: "case <-context.WithoutCancel(ctx).Done():",
			Dir: agent, Test: "^TestATurnThatDoesNotGetToAskingIsNamedAndStops$",
		},
		{
			Promise: "turns that do not get on", Defect: "asks the model for a turn that was stopped in the queue",
			File: "pkg/agent/turn/interrupts.go", Old: "if t.early != nil {", New: "if t.early != nil && t.Input.Task != nil {",
			Dir: agent, Test: "^TestATurnThatWaitsForAPlaceStops$",
		},
		{
			Promise: "turns that do not get on", Defect: "names no turn in the status",
			File: gateway + "/status.go", Old: "range r.Slow {", New: "range r.Slow[:0] {",
			Dir: gateway, Test: "^TestTheStatusNamesWhatDoesNotGetOn$",
		},
		{
			Promise: prompt, Defect: "goes on without the system prompt",
			File: kept + "/promptfile.go", Old: "\t\t}\n\t\treturn f.text\n\t}\n\tif f.trouble", New: "\t\t}\n\t\treturn \"\"\n\t}\n\tif f.trouble",
			Dir: "internal/test/e2e", Test: "^TestTheSystemPromptOutlastsItsFile$",
		},
		{
			Promise: prompt, Defect: "cuts a system prompt that is too long",
			File: kept + "/agentfile.go", Old: "if len(text) > maxAgentFile {", New: "if len(text) > 2*maxAgentFile {",
			Dir: gateway, Test: "^TestScripts$/^agent_file$",
		},
		{
			Promise: prompt, Defect: "takes an empty system prompt",
			File: kept + "/agentfile.go", Old: `if strings.TrimSpace(string(text)) == "" {`, New: "if len(text) == 0 {",
			Dir: gateway, Test: "^TestScripts$/^agent_file$",
		},
		{
			Promise: prompt, Defect: "puts back a system prompt that was taken away",
			File: "workspace/workspace.go",
			Old:  "\tif Begun(dir) {\n\t\treturn ensureOperator(", New: "\tif !Begun(dir) {\n\t\treturn ensureOperator(",
			Dir: gateway, Test: "^TestScripts$/^agent_file$",
		},
	}
}

// firstFileMutants spoil the making of the files that an agent and a chat start with.
func firstFileMutants() []Mutant {
	const first, files = "first files", "workspace/workspace.go"
	return []Mutant{
		{
			Promise: first, Defect: "makes files and folders in their own place",
			File: files, Old: "\t\terr = fill(part)\n", New: "\t\tpart = target\n\t\terr = fill(part)\n",
			Dir: "internal/test/kill", Test: "^TestKillWhereTheWorkspaceIsMade$/^W1:[59]$",
		},
		{
			Promise: first, Defect: "keeps what a killed process left",
			File: files, Old: "\terr := os.RemoveAll(part) // of a process that was killed\n", New: "\tvar err error\n",
			Dir: "workspace", Test: "^TestRemainsOfAKilledProcess$",
		},
	}
}

// summaryMutants spoil the summaries of a conversation's oldest part.
func summaryMutants() []Mutant {
	const row, outside, agent = "oldest part", "content from outside: summaries", "pkg/agent"
	return []Mutant{
		{
			Promise: row, Defect: "sends a summary's model all of the oldest part",
			File: agent + "/summary/ask.go", Old: "Fit(t.Of, room)", New: "t.Of",
			Dir: agent, Test: "^TestASummaryFitsItsOwnModel$",
		},
		{
			Promise: outside, Defect: "takes a summary of a page for the words of people",
			File: agent + "/turn/turn.go", Old: "AddOrigin(h.Outside, h.Tainted)", New: "AddOrigin(h.Outside, false)",
			Dir: agent, Test: "^TestASummaryKeepsTheTaintOfItsSources$",
		},
		{
			Promise: outside, Defect: "forgets the origin of what is summarised",
			File: agent + "/prompt/history.go", Old: "part.Outside = part.Outside || e.outside", New: "part.Outside = part.Outside && e.outside",
			Dir: agent, Test: "^TestASummaryKeepsTheTaintOfItsSources$",
		},
		{
			Promise: outside, Defect: "takes the words of a turn that was set aside for the chat's own",
			File: agent + "/turn/turn.go", Old: "\t\tt.Provenance.Taint() // the words may come from anywhere\n", New: "",
			Dir: agent, Test: "^TestWordsOfATurnThatIsSetAsideCountAsFromOutside$",
		},
		{
			Promise: outside, Defect: "stores no mark of a summary",
			File: "pkg/session/engine/table/marks.go", Old: "if e.Outside {", New: "if e.Outside && !e.Summary {",
			Dir: "pkg/session/engine", Test: "^TestConformance$/^sessions$/^entries_have_the_marks",
		},
		{
			Promise: "context of a model", Defect: "fills a small context with the conversation",
			File: agent + "/turn/models.go", Old: "return min(limit, m.Context/half)", New: "return max(limit, m.Context/half)",
			Dir: agent, Test: "^TestHistoryFitsTheContext$",
		},
		{
			Promise: "context of a model", Defect: "ignores the context in the configuration",
			File: "pkg/gateway/modelset/models.go", Old: "cmp.Or(m.Context, row.Traits.Context)",
			New: "cmp.Or(row.Traits.Context, m.Context)",
			Dir: "pkg/gateway/modelset", Test: "^TestContext$",
		},
	}
}

// outsideMutants let content from outside in without a word.
func outsideMutants() []Mutant {
	const row = "what programs read"
	return []Mutant{
		{
			Promise: row, Defect: "takes what a command prints for the chat's own",
			File: "pkg/gateway/toolset/shell.go", Old: "Readable: c.Readable, Outside: files.Inbox,",
			New: "Readable: c.Readable, Outside: files.Inbox[:0],",
			Dir: "internal/test/e2e", Test: "^TestAProgramDoesNotLaunderWhatOthersSent$",
		},
		{
			Promise: row, Defect: "notes nothing of what a call brings",
			File: "pkg/agent/approval/gate.go", Old: "if req.Examination.Taints || req.Examination.Brings {", New: "if req.Examination.Taints {",
			Dir: "pkg/agent", Test: "^TestTaint$/^a_note_after_such_a_program$",
		},
		{
			Promise: row, Defect: "takes the list of tasks for the chat's own",
			File: "pkg/agent/task/calls.go", Old: "func(t session.Task) bool { return t.Tainted }",
			New: "func(t session.Task) bool { return t.Tainted && t.ID == \"\" }",
			Dir: "pkg/agent", Test: "^TestTheListOfTasksIsFromOutsideWhereTheirResultsAre$",
		},
		{
			Promise: row, Defect: "takes the list of jobs for the chat's own",
			File: "pkg/tools/schedule/result.go", Old: "func(j Job) bool { return j.Outside }",
			New: "func(j Job) bool { return j.Outside && j.Paused }",
			Dir: "pkg/tools/schedule", Test: "^TestAListShowsTextsFromOutside$",
		},
		{
			Promise: row, Defect: "takes an empty inbox for one with letters",
			File: "pkg/tools/internal/program/program.go", Old: "Holds: !errors.Is(err, io.EOF), mark",
			New: "Holds: err == nil || errors.Is(err, io.EOF), mark",
			Dir: "pkg/tools/code", Test: "^TestCodeBringsWhatOthersSent$",
		},
		{
			Promise: row, Defect: "lets own tools read letters",
			File: "pkg/tools/script/tool.go", Old: "return program.LookOutside(root, t.options.Outside)",
			New: "return program.LookOutside(root, \"\")",
			Dir: "pkg/tools/script", Test: "^TestOwnToolsBringWhatOthersSent$",
		},
		{
			Promise: row, Defect: "forgets in a sequence what a step brings",
			File: "pkg/tools/composed/composed.go", Old: "ex.Taints || ex.Brings || a.OpenWorld", New: "ex.Taints || a.OpenWorld",
			Dir: "pkg/tools/composed", Test: "^TestASequenceBringsWhatItsStepsBring$",
		},
		{
			Promise: row, Defect: "takes another bot's words for the sender's",
			File: "pkg/channels/telegram/update/decode.go",
			Old:  "m.External != nil || m.ViaBot != nil || m.card() {", New: "m.External != nil || m.card() {",
			Dir: "pkg/channels/telegram/update", Test: "^TestDecodeMessages$/^what_another_bot_wrote$",
		},
		{
			Promise: row, Defect: "takes an app's words for the sender's",
			File: "pkg/channels/slack/event/content.go", Old: "shared || words != \"\" // an app has written them", New: "shared",
			Dir: "pkg/channels/slack/event", Test: "^TestDecodeContent$/^what_an_app_attaches$",
		},
	}
}

// meanwhileMutants overlook the content that comes while a program runs.
func meanwhileMutants() []Mutant {
	const late = "what comes while programs run"
	return []Mutant{
		{
			Promise: late, Defect: "forgets what a task brought at its end",
			File: "pkg/agent/task/end.go", Old: "Tainted: ts.o.Work.tainted(t.ID)}", New: "Tainted: t.Tainted}",
			Dir: "pkg/agent", Test: "^TestATaskThatBroughtALetter$",
		},
		{
			Promise: late, Defect: "believes an inbox that a program has emptied",
			File: "pkg/tools/internal/program/program.go", Old: "now.Holds || now.mark != o.mark", New: "now.Holds",
			Dir: "internal/test/e2e", Test: "^TestALetterThatComesWhileAProgramRuns$",
		},
		{
			Promise: late, Defect: "looks at an own tool's inbox before it runs alone",
			File: "pkg/tools/script/tool.go", Old: "	outside.Brought(ctx, inv.Space, t.options.Outside)\n", New: "	_ = outside\n",
			Dir: "pkg/tools/script", Test: "^TestALetterThatComesWhileAToolRuns$",
		},
		{
			Promise: late, Defect: "lets a sequence go on as it was decided on",
			File: "pkg/agent/approval/gate.go", Old: "if late && !turn.IsDecided(", New: "if late && req.Nested && !req.Covered && !turn.IsDecided(",
			Dir: "pkg/agent", Test: "^TestALetterThatComesWhileASequenceRuns$",
		},
		{
			Promise: late, Defect: "asks for a step of a sequence that the operator has waived",
			File: "pkg/agent/approval/gate.go", Old: `if !why.Asks() || !g.approvals.o.Rules.Asks(whole).Asks() {`, New: `if !why.Asks() {`,
			Dir: "pkg/agent", Test: "^TestALetterThatComesWhileASequenceRuns$",
		},
	}
}

// restoreMutants break a restore that dies before its end.
func restoreMutants() []Mutant {
	const restore = "operator: restore"
	return []Mutant{
		{
			Promise: restore, Defect: "holds an old note of damage against the restored store",
			File: "pkg/session/bolt/damage.go", Old: "err == nil && m.Cured != note", New: "err == nil && m.Cured == note",
			Dir: "pkg/session/engine", Test: "^TestARestoreThatDiesBeforeItsEnd$/^the_same_note$",
		},
		{
			Promise: restore, Defect: "believes that a restored store is never damaged",
			File: "pkg/session/bolt/damage.go", Old: "err == nil && m.Cured != note", New: `err == nil && m.Cured == ""`,
			Dir: "pkg/session/engine", Test: "^TestARestoreThatDiesBeforeItsEnd$/^a_later_one$",
		},
		{
			Promise: restore, Defect: "needs a file system with links",
			File: "pkg/session/bolt/damage.go", Old: "!errors.Is(err, syscall.EPERM) && ", New: "",
			Dir: "pkg/session/bolt", Test: "^TestARestoreWithoutLinks$",
		},
		{
			Promise: restore, Defect: "leaves the store a second name",
			File: "pkg/session/bolt/damage.go", Old: "look == nil && os.SameFile(now, info)", New: "look != nil && os.SameFile(now, info)",
			Dir: "pkg/session/engine", Test: "^TestARestoreThatDiesBeforeTheRename$",
		},
	}
}
