package mutants

// commandMutants break the commands of the chats.
func commandMutants() []Mutant {
	const unknown, table = "commands: those that there are not", "commands: one table"
	const room, agent = "pkg/agent/command", "pkg/agent"
	return []Mutant{
		{
			Promise: unknown, Defect: "asks the model about a mistyped command",
			File: room + "/commands.go", Old: "name == startCommand || it.Solo", New: "name == startCommand",
			Dir: agent, Test: "^TestCommandsAnswerWithoutAModel$",
		},
		{
			Promise: unknown, Defect: "lets a mistyped command join a turn",
			File: agent + "/intake.go", Old: "command.Is(m.Text)", New: `command.Name(m.Text) != ""`,
			Dir: agent, Test: "^TestACommandStandsAlone$",
		},
		{
			Promise: unknown, Defect: "takes a path for a command",
			File: room + "/parse.go", Old: "r != '_' && r != '-'", New: "r != '_' && r != '-' && r != '/'",
			Dir: agent, Test: "^TestAPathIsAMessage$",
		},
		{
			Promise: unknown, Defect: "sees no swapped letters",
			File: "pkg/text/distance.go", Old: "rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)",
			New: "rows[i][j] = min(rows[i][j], rows[i-2][j-2]+2)",
			Dir: room, Test: "^TestNear$|^TestTyped$",
		},
		{
			Promise: table, Defect: "offers the page where there is none",
			File: "pkg/gateway/commands.go", Old: `cfg.HTTP.Listen != "" && `, New: "",
			Dir: "pkg/gateway", Test: "^TestOneTableOfCommands$",
		},
		{
			Promise: table, Defect: "offers a token models that it lacks",
			File: "pkg/gateway/commands.go", Old: "if len(own) > 0 {", New: "if len(own) > 99 {",
			Dir: "pkg/gateway", Test: "^TestCommandsOfAToken$",
		},
	}
}

// revokeMutants break /revoke, and the figures of /tools and /usage.
func revokeMutants() []Mutant {
	const revoke, figures, agent = "commands: revoke", "commands: figures", "pkg/agent"
	return []Mutant{
		{
			Promise: figures, Defect: "forgets the conversation for words behind a command",
			File: agent + "/command/help.go", Old: `[]string{"new", retryCommand, `, New: `[]string{retryCommand, `,
			Dir: agent, Test: "^TestCommandsAnswerWithoutAModel$",
		},
		{
			Promise: figures, Defect: "tells each person the counts of all chats",
			File: agent + "/command/tools.go", Old: "if h.T.Principal.Owner {\n		counted", New: "if len(names) > 0 {\n		counted",
			Dir: agent, Test: "^TestToolsTellsOwnersWhatTheyDid$",
		},
		{
			Promise: figures, Defect: "counts the command itself as a message that waits",
			File: agent + "/command/commands.go", Old: "st.Waiting - min(st.Waiting, len(h.T.Info.Items))", New: "st.Waiting",
			Dir: "cmd/gateway", Test: "^TestScripts$/^figures$",
		},
		{
			Promise: revoke, Defect: "lets anybody revoke",
			File: agent + "/approval/grants.go", Old: "if t.Principal.Owner || t", New: "if t.Principal.Level != \"\" || t",
			Dir: agent, Test: "^TestAGrantIsRevokedInItsChat$",
		},
		{
			Promise: revoke, Defect: "says so and revokes nothing",
			File: agent + "/approval/grants.go", Old: "re.Revoked = append(re.Revoked, g.ID)", New: "",
			Dir: agent, Test: "^TestAGrantIsRevokedInItsChat$",
		},
		{
			Promise: revoke, Defect: "revokes in another chat",
			File: "pkg/session/engine/rules/tasks.go", Old: "if err != nil || g.Chat != chat {",
			New: `if err != nil || g.Chat == "" {`,
			Dir: "pkg/session/engine", Test: "^TestConformanceInMemory$/^approvals$",
		},
		{
			Promise: revoke, Defect: "writes no row of the audit log",
			File: "pkg/gateway/app.go", Old: ", OnRevoke: a.audit.revoked}", New: "}",
			Dir: "cmd/gateway", Test: "^TestScripts$/^approval$",
		},
	}
}

// undoMutants break /undo.
func undoMutants() []Mutant {
	const undo = "commands: undo"
	const agent, engine = "pkg/agent", "pkg/session/engine"
	const conformance = "^TestConformanceInMemory$/^conversations$"
	return []Mutant{
		{
			Promise: undo, Defect: "shows the model what was taken out",
			File: engine + "/history.go", Old: "if entry.Undone && which == visible {", New: "if entry.Undone && which != visible {",
			Dir: engine, Test: conformance,
		},
		{
			Promise: undo, Defect: "takes a summary out too",
			File: engine + "/table/marks.go", Old: "if e.Summary || first == nil ||", New: "if first == nil ||",
			Dir: engine, Test: conformance,
		},
		{
			Promise: undo, Defect: "takes a decision out without its question",
			File: agent + "/approval/turn.go", Old: "Start: session.StartSequel, ", New: "",
			Dir: agent, Test: "^TestUndoTakesADecisionAlong$",
		},
		{
			Promise: undo, Defect: "leaves the question open",
			File: agent + "/approval/takeback.go", Old: "void, out = append(void, *a), append(out, o)", New: "out = append(out, o)",
			Dir: agent, Test: "^TestUndoClosesAnOpenQuestion$",
		},
		{
			Promise: undo, Defect: "finds what was taken out",
			File: "pkg/history/search.go", Old: "err != nil || e == nil || e.Undone {", New: "err != nil || e == nil {",
			Dir: "pkg/history", Test: "^TestWhatWasTakenOut$",
		},
		{
			Promise: undo, Defect: "takes results of a call that was taken out",
			File: "pkg/api/native/results.go", Old: "moved = moved || e.Undone", New: "_ = e.Undone",
			Dir: "pkg/api/native", Test: "^TestResultsOfWhatWasTakenOut$",
		},
		{
			Promise: undo, Defect: "takes results of a call of /v1 that was taken out",
			File: "pkg/api/openai/match.go", Old: "if last.Undone {", New: "if last.Undone && last.Summary {",
			Dir: "pkg/api/openai", Test: "^TestACallThatWasTakenOut$",
		},
	}
}

// takenOutMutants let words come back that were taken out, and lose those of earlier builds.
func takenOutMutants() []Mutant {
	const reports, agent, room = "commands: undo and reports", "pkg/agent", "pkg/agent/task"
	const test = "^TestAReportOfWhatWasTakenOut$"
	const summaries, command = "commands: undo and summaries", agent + "/command/conversation.go"
	return []Mutant{
		{
			Promise: "commands: earlier builds", Defect: "takes entries without a mark for the end of an exchange before",
			File: agent + "/prompt/exchange.go", Old: "w.first.Start != session.StartSequel", New: "w.first.Start == session.StartSchedule",
			Dir: agent, Test: "^TestConversationsOfAnEarlierBuild$",
		},
		{
			Promise: summaries, Defect: "stores a summary that was being made",
			File: command, Old: "if err := h.t.Deps.Prompts.Summaries.Drop(ctx, h.t.Info.Session); err != nil {\n\t\treturn re, err\n\t}\n\tx, err",
			New: "x, err", Dir: agent, Test: "^TestUndoEndsASummary$",
		},
		{
			Promise: summaries, Defect: "takes out what a summary was made of",
			File: command, Old: "x, err := last(h.reader(ctx, h.o.Sessions.Tail,", New: "x, err := last(h.reader(ctx, h.o.Sessions.Back,",
			Dir: agent, Test: "^TestUndoBesideASummary$",
		},
		{
			Promise: summaries, Defect: "summarises what was taken out",
			File: "pkg/session/engine/history.go", Old: "if entry.Undone && which == visible {", New: "if entry.Undone && entries < 40 {",
			Dir: agent, Test: "^TestUndoInALongConversation$",
		},
		{
			Promise: reports, Defect: "asks the model about the report",
			File: room + "/report.go", Old: "if h.takenOut {\n\t\treturn", New: "if h.takenOut && t.Waited {\n\t\treturn",
			Dir: agent, Test: test,
		},
		{
			Promise: reports, Defect: "does not say where a result belongs that the person is shown",
			File: room + "/takenout.go", Old: "if err != nil || !out {", New: "if err != nil || out || !out {",
			Dir: agent, Test: test,
		},
		{
			Promise: reports, Defect: "keeps the words about a task that was cancelled",
			File: room + "/command.go", Old: "TakenOut(ctx, &t); out || err != nil {", New: "TakenOut(ctx, &t); out && err != nil {",
			Dir: agent, Test: "^TestTheEndOfATaskThatWasTakenOut$",
		},
	}
}

// againMutants break the other commands about what was said.
func againMutants() []Mutant {
	const retry, resume = "commands: retry", "commands: resume"
	const taint, rights = "commands: taint", "commands: rights and order"
	const room, agent, engine = "pkg/agent/command", "pkg/agent", "pkg/session/engine"
	const conformance = "^TestConformanceInMemory$/^conversations$"
	return []Mutant{
		{
			Promise: retry, Defect: "asks the command instead of the question",
			File: room + "/retry.go", Old: "Words: prompt.Again(x.Asked, h.T.Space), ", New: "",
			Dir: agent, Test: "^TestRetryAsksTheLastQuestionAgain$",
		},
		{
			Promise: retry, Defect: "does not say that it asks again",
			File: agent + "/turn/prompt.go", Old: `if t.Input.Note != "" {`, New: `if t.Input.Note == "-" {`,
			Dir: agent, Test: "^TestRetryAsksTheLastQuestionAgain$",
		},
		{
			Promise: resume, Defect: "resumes the conversation of another chat",
			File: engine + "/rules/conversations.go", Old: "if rec.Chat != n || num == c.Session {", New: "if rec.Chat == 0 || num == c.Session {",
			Dir: engine, Test: conformance,
		},
		{
			Promise: resume, Defect: "tells of the conversation of another chat",
			File: room + "/conversation.go", Old: "(info.Chat != h.t.Info.Chat || info.Current)", New: "info.Current",
			Dir: agent, Test: "^TestNoOtherConversationIsResumed$",
		},
		{
			Promise: resume, Defect: "loses the present conversation",
			File: engine + "/rules/conversations.go",
			Old:  "	if err := keepSession(t, n, c); err != nil {\n		return err\n	}\n	c.Session", New: "	c.Session",
			Dir: engine, Test: conformance,
		},
		{
			Promise: resume, Defect: "forgets the compaction",
			File: engine + "/rules/conversations.go", Old: "num, past.Entries, past.CompactedTo", New: "num, past.Entries, 0",
			Dir: engine, Test: conformance,
		},
		{
			Promise: "commands: history", Defect: "shows what was taken out",
			File: agent + "/prompt/exchange.go", Old: "e.Summary || e.Undone ||", New: "e.Summary ||",
			Dir: agent, Test: "^TestHistoryShowsTheLastExchanges$",
		},
		{
			Promise: taint, Defect: "forgets the taint of a question",
			File: room + "/retry.go", Old: "if x.Outside || !own {", New: "if !own {",
			Dir: agent, Test: "^TestARetryKeepsTheTaint$",
		},
		{
			Promise: taint, Defect: "takes the question of another for one's own",
			File: room + "/retry.go", Old: "if x.Outside || !own {", New: "if x.Outside || !own && x.Outside {",
			Dir: agent, Test: "^TestARetryKeepsTheTaint$",
		},
		{
			Promise: taint, Defect: "takes the words of several people for one's own",
			File: room + "/conversation.go", Old: "if x.Scheduled || len(x.Asked) != 1 {", New: "if x.Scheduled {",
			Dir: agent, Test: "^TestWordsOfSeveralPeople$",
		},
		{
			Promise: rights, Defect: "lets anybody take out the words of another",
			File: room + "/conversation.go", Old: "if !own && !h.mayChange() {", New: "if !own && h.mayChange() && false {",
			Dir: agent, Test: "^TestCommandsInAGroup$",
		},
		{
			Promise: rights, Defect: "lets anybody change the conversation of a group",
			File: room + "/conversation.go", Old: "return p.Direct || p.Owner ||", New: "return true || p.Owner ||",
			Dir: agent, Test: "^TestCommandsInAGroup$",
		},
	}
}
