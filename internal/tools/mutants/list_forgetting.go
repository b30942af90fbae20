package mutants

// forgetMutants leave words of chats that are forgotten, or take words of others.
func forgetMutants() []Mutant {
	const (
		bolt   = "pkg/session/bolt"
		engine = "pkg/session/engine"
		room   = "pkg/gateway/forgetting"
		files  = "pkg/gateway/files"
		erases = "^TestErasingLeavesNoByteOfAForgottenChat$"
	)
	return []Mutant{
		{
			Promise: "forget: no byte is left", Defect: "overwrites no free page",
			File: bolt + "/erase.go", Old: `free = info.Type == "free"`, New: `free = info.Type == "leaf" && info.Type == "free"`,
			Dir: engine, Test: erases,
		},
		{
			Promise: "forget: no byte is left", Defect: "leaves the older copies as they are",
			File: bolt + "/erase.go", Old: "	if err == nil && !has && !all {", New: "	if err == nil && !has {",
			Dir: engine, Test: erases,
		},
		{
			Promise: "forget: no byte is left", Defect: "keeps a copy that cannot be read",
			File: bolt + "/erase.go", Old: "	return true, errors.Join(remove(path), durable", New: "	return true, errors.Join(durable",
			Dir: engine, Test: erases,
		},
		{
			Promise: "forget: no byte is left", Defect: "leaves the index of the past",
			File: room + "/clean.go", Old: "	cleaners := o.Indexes\n", New: "	var cleaners []Cleaner\n",
			Dir: room, Test: "^TestFortyChats$",
		},
		{
			Promise: "forget: no byte is left", Defect: "leaves the files of the chat",
			File: files + "/forget.go", Old: "errs = append(errs, remove(folder))", New: "errs = append(errs, nil)",
			Dir: files, Test: "^TestForgettingTakesTheFilesOfOneChat$",
		},
		{
			Promise: "forget: no byte is left", Defect: "shows the events of the chat to those that come back",
			File: "pkg/events/forget.go", Old: "	for c.events.len() > 0 {", New: "	for c.events.len() < 0 {",
			Dir: "pkg/events", Test: "^TestForgottenEvents$",
		},
		{
			Promise: "forget: others keep all", Defect: "removes what all chats wait to send",
			File: files + "/forget.go", Old: "strings.HasPrefix(string(id), chat+\"-\") ||", New: "len(id) > 0 ||",
			Dir: files, Test: "^TestForgettingTakesTheFilesOfOneChat$",
		},
		{
			Promise: "forget: others keep all", Defect: "gives a forgotten chat a new budget",
			File: engine + "/rules/forget.go", Old: "{table.Spent, table.Shares, table.Inbox}", New: "{table.Inbox}",
			Dir: room, Test: "^TestForgettingKeepsTheBudget$",
		},
	}
}

// restoredMutants bring a forgotten chat back, or half of it, or forget without a question.
func restoredMutants() []Mutant {
	const (
		engine = "pkg/session/engine"
		room   = "pkg/gateway/forgetting"
	)
	return []Mutant{
		{
			Promise: "forget: a restore brings no chat back", Defect: "restores a snapshot as it is",
			File: "pkg/session/bolt/file.go", Old: "	if err == nil && source != \"\" {", New: "	if err == nil && source == \"\" {",
			Dir: engine, Test: "^TestARestoreBringsNoForgottenChatBack$",
		},
		{
			Promise: "forget: a restore brings no chat back", Defect: "knows a chat that moved by its number alone",
			File: "pkg/session/local/forgotten.go", Old: "err == nil && n <= e.Until &&", New: "err == nil && n < 0+1 &&",
			Dir: engine, Test: "^TestARestoreFromBeforeAMove$",
		},
		{
			Promise: "forget: others keep all", Defect: "forgets a chat that began later at the address of one that moved",
			File: "pkg/session/local/forgotten.go", Old: "err == nil && n <= e.Until &&", New: "err == nil && n > 0 &&",
			Dir: engine, Test: "^TestARestoreFromBeforeAMove$",
		},
		{
			Promise: "forget: a restore brings no chat back", Defect: "takes an empty ledger for one that cannot be read",
			File: "pkg/session/forgets/forgets.go", Old: "			return nil, fmt.Errorf(\"line %d",
			New: "			_ = fmt.Errorf(\"line %d",
			Dir: "pkg/session/forgets", Test: "^TestAnUnreadableLedger$",
		},
		{
			Promise: "forget: it is finished", Defect: "takes a step that failed for done",
			File: room + "/forgetting.go", Old: "			return fmt.Errorf(\"%s: %w\", s, errors.Join(err, unwritten))\n",
			New: "			f.o.Log.Err(err).Send()\n",
			Dir: room, Test: "^TestAStepThatFails$",
		},
		{
			Promise: "forget: others keep all", Defect: "begins the chat anew before the ledger has it that its files are gone",
			File: room + "/forgetting.go", Old: "s == forgets.StepFiles {", New: "s == \"\" {",
			Dir: room, Test: "^TestALedgerWithoutRoom$",
		},
		{
			Promise: "forget: others keep all", Defect: "removes the files again behind the records",
			File: room + "/forgetting.go", Old: "return rest(ctx, &f.o, e)",
			New: "return errors.Join(files(ctx, &f.o, e), rest(ctx, &f.o, e))",
			Dir: room, Test: "^TestALedgerWithoutRoom$",
		},
		{
			Promise: "forget: no byte is left", Defect: "leaves the chat that has taken the forgotten one over",
			File: room + "/clean.go", Old: "errors.Join(f.store(ctx, e), f.follow(ctx, e))", New: "f.store(ctx, e)",
			Dir: room, Test: "^TestAChatThatBecomesPartOfAnother$",
		},
		{
			Promise: "forget: it is finished", Defect: "strikes out all steps with the first one",
			File: "pkg/session/forgets/forgets.go", Old: "return left == s })", New: "return left == s || s != \"\" })",
			Dir: room, Test: "^TestAStepThatFails$",
		},
		{
			Promise: "forget: it asks", Defect: "forgets a group for everybody",
			File: "pkg/agent/approval/forget.go", Old: "	if t.Principal.Direct || t.Principal.Owner {", New: "	if t.Principal.Level != \"\" {",
			Dir: "internal/test/e2e", Test: "^TestForgetInAGroup$",
		},
		{
			Promise: "forget: it asks", Defect: "takes a no for a yes",
			File: "pkg/agent/approval/forget.go", Old: "	case try.decision.answer == denyCall:", New: "	case try.decision.answer == \"\":",
			Dir: "internal/test/e2e", Test: "^TestForgetInTheChat$/^telegram$",
		},
		{
			Promise: "forget: it asks", Defect: "leaves a question whose answer was quicker than its receipt",
			File: "pkg/gateway/forget.go", Old: "	if err := awaitReceipt(ctx, a.store.Outbox(), f.Question); err != nil {",
			New: "	if err := awaitReceipt(ctx, a.store.Outbox(), \"\"); err != nil {",
			Dir: "internal/test/e2e", Test: "^TestForgetInTheChat$/^slack$",
		},
	}
}

// conversationMutants keep something of a conversation that is forgotten alone.
func conversationMutants() []Mutant {
	const engine = "pkg/session/engine"
	return []Mutant{
		{
			Promise: "forget: one conversation", Defect: "keeps the messages that waited in it",
			File: engine + "/rules/forgetone.go", Old: "== nil && table.SessionID(c.Session) == id {",
			New: "!= nil && table.SessionID(c.Session) == id {",
			Dir: engine, Test: "^TestForgettingOneConversationTakesItsMessages$",
		},
		{
			Promise: "forget: one conversation", Defect: "keeps its answers that wait to be sent",
			File: engine + "/rules/forgetone.go", Old: "ok && has(turn) {", New: "ok && has(turn[:1]) {",
			Dir: engine, Test: "^TestForgettingOneConversationTakesItsMessages$",
		},
		{
			Promise: "forget: one conversation", Defect: "keeps its questions",
			File: engine + "/rules/forgetone.go", Old: "return a.Session == id || of[a.Task] })", New: "return a.Session == \"\" || of[a.Task] })",
			Dir: engine, Test: "^TestForgettingOneConversationTakesItsMessages$",
		},
	}
}

// anewMutants lose messages that come after the answer to /forget.
func anewMutants() []Mutant {
	const room, test = "pkg/gateway/forgetting", "^TestAMessageAfterTheAnswer$"
	return []Mutant{
		{
			Promise: "forget: later messages", Defect: "deletes them with the chat",
			File: "pkg/session/engine/rules/forget.go", Old: "{table.Spent, table.Shares, table.Inbox}", New: "{table.Spent, table.Shares}",
			Dir: room, Test: test,
		},
		{
			Promise: "forget: later messages", Defect: "deletes them at a start",
			File: "pkg/session/local/forgotten.go", Old: `case e.Question != "" && e.Whole()`, New: `case e.Question == "" && e.Question != ""`,
			Dir: room, Test: test,
		},
		{
			Promise: "forget: later messages", Defect: "tells no lane of them",
			File: "pkg/session/engine/sessions.go", Old: "		if fresh != 0 {", New: "		if fresh == 1 {",
			Dir: room, Test: test,
		},
	}
}

// workingMutants let the work of a chat go on beside its forget.
func workingMutants() []Mutant {
	const (
		agent   = "pkg/agent"
		ongoing = agent + "/ongoing/ongoing.go"
		works   = "^TestForgettingEndsTheWorkOfTheChat$"
	)
	return []Mutant{
		{
			Promise: "forget: its work ends", Defect: "ends no turn",
			File: ongoing, Old: "			it.end(session.ErrForgotten)", New: "			_ = session.ErrForgotten",
			Dir: agent, Test: works,
		},
		{
			Promise: "forget: its work ends", Defect: "lets turns begin meanwhile",
			File: ongoing, Old: "i >= 0 {\n\t\treleased", New: "i > len(w.holds) {\n\t\treleased",
			Dir: agent, Test: works,
		},
		{
			Promise: "forget: its work ends", Defect: "leaves the work in the background",
			File: agent + "/forget.go", Old: "	a.work.CloseAll(", New: "	func(func(t *session.Task) bool) {}(",
			Dir: agent, Test: works,
		},
		{
			Promise: "forget: its work ends", Defect: "does not wait for calls that outlast their turn",
			File: agent + "/forget.go", Old: "		err = a.works.All(ctx, of)", New: "		err = a.works.Turns(ctx, of)",
			Dir: agent, Test: works,
		},
		{
			Promise: "forget: its work ends", Defect: "ends the work of all conversations of the chat",
			File: ongoing, Old: "(o.Session == \"\" || o.Session == other.Session)", New: "(o.Session == \"\" || o.Session != \"*\")",
			Dir: agent, Test: "^TestForgettingOneConversationLeavesTheWorkOfOthers$",
		},
		{
			Promise: "forget: its work ends", Defect: "forgets beside work that goes on",
			File: "pkg/gateway/forgetting/forgetting.go", Old: "goOn(gone(f.find(id))) }()\n	if err != nil {",
			New: "goOn(gone(f.find(id))) }()\n	if err != nil && goOn == nil {",
			Dir: "pkg/gateway/forgetting", Test: "^TestWorkThatGoesOn$",
		},
		{
			Promise: "forget: its work ends", Defect: "leaves programs without a sandbox behind a gateway that was killed",
			File: "pkg/sandbox/helper_linux.go", Old: "			_ = unix.Kill(0, unix.SIGKILL)", New: "			_ = unix.Kill(0, 0)",
			Dir: "pkg/sandbox", Test: "^TestKilledGatewayEndsTheGroup$",
		},
		{
			Promise: "forget: its work ends", Defect: "ends no work at all",
			File: "pkg/gateway/forget.go", Old: "			return a.agent.EndWork(ctx, chat, conversation)", New: "			return func() {}, nil",
			Dir: "internal/test/e2e", Test: "^TestForgetEndsTheWork$",
		},
	}
}

// forgetAttemptMutants break those about forgets that need several attempts, and what comes meanwhile.
func forgetAttemptMutants() []Mutant {
	const room = "pkg/gateway/forgetting"
	return []Mutant{
		{
			Promise: "forget: no byte is left", Defect: "deletes the files beside a message that brings another one",
			File: "pkg/session/engine/outbox/hold.go", Old: "	if left != nil {", New: "	if left == nil {",
			Dir: room, Test: "^TestAFileOnItsWay$",
		},
		{
			Promise: "forget: no byte is left", Defect: "leaves the files that came between two attempts",
			File: room + "/clean.go", Old: "	if err == nil && there {", New: "	if err != nil && there {",
			Dir: room, Test: "^TestFilesBetweenTwoAttempts$",
		},
		{
			Promise: "forget: others keep all", Defect: "removes the files of a chat that another forget let begin anew",
			File: room + "/clean.go", Old: "s == forgets.StepFiles && other.Chat == e.Chat", New: "s == forgets.StepPages && other.Chat == e.Chat",
			Dir: room, Test: "^TestTwoForgetsOfOneChat$",
		},
		{
			Promise: "forget: it is finished", Defect: "takes a yes back whose forget has begun",
			File: "pkg/agent/approval/forget.go", Old: "	if try.AllowedBefore() {", New: "	if !try.AllowedBefore() && ctx == nil {",
			Dir: "pkg/agent", Test: "^TestAnAllowedForgetIsNotTakenBack$",
		},
		{
			Promise: "forget: its work ends", Defect: "begins a turn that was read before the forget",
			File: "pkg/agent/ongoing/ongoing.go", Old: "	if w.isGone(of) {", New: "	if !w.isGone(of) && w == nil {",
			Dir: "pkg/agent/ongoing", Test: "^TestTheTurnThatAsksGoesOn$",
		},
	}
}
