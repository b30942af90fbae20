package mutants

import "slices"

// attachMutants break the promises about consoles at a running gateway.
func attachMutants() []Mutant {
	const gateway, session, show = "cmd/gateway", "pkg/gateway/attach/session.go", "pkg/gateway/attach/show.go"
	const attach, many, users = "console: attach", "console: many", "console: users"
	all := []Mutant{
		{
			Promise: attach, Defect: "does not show what another console says",
			File: show, Old: "case own || words == ", New: "case true || words == ",
			Dir: gateway, Test: "^TestTwoConsolesShareAConversation$",
		},
		{
			Promise: attach, Defect: "does not show the open questions to a console that comes later",
			File: "pkg/gateway/attach/questions.go", Old: "if s.closed[d.ID] {", New: "if true {",
			Dir: gateway, Test: "^TestAQuestionOutlivesItsTerminal$",
		},
		{
			Promise: many, Defect: "a console leaves before the last answer is shown",
			File: session, Old: "if err == nil && s.alone && ctx.Err() == nil {", New: "if err != nil {",
			Dir: gateway, Test: "^TestScripts$/^tasks$",
		},
		{
			Promise: many, Defect: "a console waits for the work of all chats",
			File: "pkg/session/engine/drain/drain.go", Old: `return a == meant || meant.Chat == "" && a.Channel == meant.Channel`,
			New: `return a == meant || a.Channel == meant.Channel`,
			Dir: "pkg/session/engine", Test: "^TestConformance$/^drained$",
		},
		{
			Promise: users, Defect: "lets every user of the machine in",
			File: "pkg/gateway/socket/group.go", Old: "if own(p.UID) || g != nil &&", New: "if p.UID >= 0 || g != nil &&",
			Dir: gateway, Test: "^TestOtherUsersAreTurnedAway$",
		},
		{
			Promise: users, Defect: "a refusal is not written down",
			File: "pkg/gateway/socket/socket.go", Old: `Outcome: "refused", Detail: detail})`, New: `Outcome: "refused"})`,
			Dir: gateway, Test: "^TestOtherUsersAreTurnedAway$",
		},
		{
			Promise: users, Defect: "the group of the configuration may not attach",
			File: "pkg/gateway/operations.go", Old: "Group: a.cfg.Admin.Group}", New: `Group: ""}`,
			Dir: gateway, Test: "^TestAGroupMayAttach$",
		},
		{
			Promise: attach, Defect: "shows the first of several messages of another console alone",
			File: "pkg/agent/telling/telling.go", Old: "	l.Joined(info.Items[1:])\n", New: "",
			Dir: gateway, Test: "^TestMessagesThatShareATurn$",
		},
		{
			Promise: attach, Defect: "hides from a console what another one has seen meanwhile",
			File: session, Old: "case !s.begun && !slices", New: "case !slices",
			Dir: gateway, Test: "^TestAConsoleShowsWhatAnotherOneHasSeen$",
		},
	}
	return slices.Concat(all, restartMutants(), consoleUserMutants(), returnMutants())
}

// restartMutants break those about a gateway that is gone.
func restartMutants() []Mutant {
	const gateway, attach, restarts = "cmd/gateway", "pkg/gateway/attach/", "console: restarts"
	const client, stream, show = attach + "client.go", attach + "stream.go", attach + "show.go"
	return []Mutant{
		{
			Promise: restarts, Defect: "a message has no key, and counts twice when it is sent again",
			File: client, Old: `req.Header.Set("Idempotency-Key", key)`, New: `_ = key`,
			Dir: "internal/test/kill", Test: "^TestKillTheGatewayUnderAConsole$/^P2$",
		},
		{
			Promise: restarts, Defect: "gives a message up while the gateway is gone",
			File: client, Old: "late() || !backoff.Sleep", New: "true || !backoff.Sleep",
			Dir: gateway, Test: "^TestAConsoleOutlastsItsGateway$",
		},
		{
			Promise: restarts, Defect: "does not say that the gateway is back",
			File: stream, Old: "			f.back()\n", New: "",
			Dir: gateway, Test: "^TestAConsoleTellsThatTheGatewayIsGone$",
		},
		{
			Promise: restarts, Defect: "waits for the gateway of a console that has left",
			File: attach + "house.go", Old: "case c.session.client.passing.Load() &&", New: "case false &&",
			Dir: gateway, Test: "^TestAConsoleTakesTheGatewayOver$",
		},
		{
			Promise: restarts, Defect: "shows an answer again that is on the screen",
			File: show, Old: `if s.shown[d.ID] && d.Replaces == "" {`, New: `if false {`,
			Dir: "internal/test/kill", Test: "^TestKillTheGatewayUnderAConsole$/^P10$",
		},
		{
			Promise: restarts, Defect: "a console gives up where another one is starting the gateway",
			File: gateway + "/talk.go", Old: "if !ok || e.Code != admin.CodeInUse ||", New: "if !ok || e.Code == admin.CodeInUse ||",
			Dir: gateway, Test: "^TestAConsoleWaitsForOneThatStarts$",
		},
		{
			Promise: "console: screen", Defect: "the log is on the screen of the console",
			File: gateway + "/runverbs.go", Old: "h.logFile = gateway.LogFile(cfg)", New: "_ = gateway.LogFile(cfg)",
			Dir: gateway, Test: "^TestRunInATerminalHasAConsole$",
		},
		{
			Promise: "console: screen", Defect: "the log grows without end",
			File: "pkg/gateway/files/logfile.go", Old: "l.size+int64(len(lines)) > maxLog", New: "l.size < 0",
			Dir: "pkg/gateway/files", Test: "^TestALogIsBounded$",
		},
		{
			Promise: "console: releases", Defect: "serves consoles of other releases",
			File: "pkg/gateway/consoles/consoles.go", Old: "version != admin.ConsoleProtocol", New: "version == admin.LastsPassing",
			Dir: gateway, Test: "^TestConsolesOfOtherReleases$",
		},
	}
}

// consoleUserMutants break those about the users of consoles.
func consoleUserMutants() []Mutant {
	const gateway, socket, users = "cmd/gateway", "pkg/gateway/socket/", "console: users"
	return []Mutant{
		{
			Promise: "console: rights", Defect: "gives another conversation of the console other rights",
			File: "pkg/policy/authorize.go", Old: "c.place.Governs(a)", New: "c.place.Matches(a)",
			Dir: gateway, Test: "^TestTheRightsOfTheConsoleHoldInEachConversation$",
		},
		{
			Promise: users, Defect: "an answer to a question is not on record with its user",
			File: "pkg/gateway/consoles/consoles.go", Old: `question != "" && answer.status <`, New: `question == "?" && answer.status <`,
			Dir: gateway, Test: "^TestConsolesOfTwoUsers$",
		},
		{
			Promise: users, Defect: "a command of an operator is not on record with its user",
			File: "pkg/gateway/admin/operation.go", Old: "			row.Sender = operator(ctx)\n", New: "",
			Dir: gateway, Test: "^TestConsolesOfTwoUsers$",
		},
		{
			Promise: users, Defect: "knows of a user only the first group",
			File: socket + "peer_linux.go", Old: "p.Groups = append(p.Groups, int(g))", New: "_ = g",
			Dir: gateway, Test: "^TestConsolesOfTwoUsers$",
		},
		{
			Promise: users, Defect: "one member takes all places",
			File: socket + "places.go", Old: "p.of[uid] >= p.most/half", New: "p.of[uid] >= p.most",
			Dir: "pkg/gateway/socket", Test: "^TestPlacesAreShared$",
		},
		{
			Promise: users, Defect: "a user who is turned away fills the audit log",
			File: socket + "socket.go", Old: "if r.noted >= maxRefusals {", New: "if r.noted < 0 {",
			Dir: "pkg/gateway/socket", Test: "^TestRefusalsAreBounded$",
		},
		{
			Promise: "console: many", Defect: "a question that waits for a person ends without an error",
			File: gateway + "/chat.go", Old: "return cmp.Or(failed, err, unanswered(a))", New: "return cmp.Or(failed, err)",
			Dir: gateway, Test: "^TestAskReadsItsInput$",
		},
	}
}

// returnMutants break those about a person who comes back.
func returnMutants() []Mutant {
	const gateway, session, show, attach = "cmd/gateway", "pkg/gateway/attach/session.go", "pkg/gateway/attach/show.go", "console: attach"
	return []Mutant{
		{
			Promise: attach, Defect: "does not draw what another console says",
			File: show, Old: "Watch(ctx, d, own)", New: "Watch(ctx, d, true)",
			Dir: "internal/test/terminal", Test: "^TestTwoConsolesOnOneGateway$",
		},
		{
			Promise: attach, Defect: "names the task of a schedule as the last words of a person",
			File: session, Old: `unasked[m.Turn] || m.Origin != ""`, New: `unasked[m.Turn]`,
			Dir: "pkg/gateway/attach", Test: "^TestLastSaid$",
		},
		{
			Promise: attach, Defect: "prints a message of 20 kB to say which conversation goes on",
			File: session, Old: `m.Time.Local().Format(textTime), channels.OneLine(m.Text))`, New: `m.Time.Local().Format(textTime), m.Text)`,
			Dir: gateway, Test: "^TestAConsoleSaysWhichConversationGoesOn$",
		},
		{
			Promise: attach, Defect: "leaves before a busy gateway knows what was seen",
			File: show, Old: "	if s.alone {\n		defer context", New: "	if s.alone && ctx == nil {\n		defer context",
			Dir: "pkg/gateway/attach", Test: "^TestASlowGatewayKnowsWhatWasSeen$",
		},
		{
			Promise: "screen: history", Defect: "keeps no lines of a member of the group",
			File: "pkg/console/history/history.go", Old: "filepath.IsAbs(ownDir) &&", New: "false &&",
			Dir: "pkg/console/history", Test: "^TestAMemberHasAnOwnFile$",
		},
	}
}
