package mutants

// aguiMutants break the face of AG-UI.
func aguiMutants() []Mutant {
	const dir, run, client = "pkg/api/agui", "pkg/api/agui/run.go", "pkg/api/agui/client.go"
	return []Mutant{
		{
			Promise: "agui: one turn", Defect: "makes a new turn of a run for each request",
			File: run, Old: `r.chat.Say(ctx, route, r.id, q)`, New: `r.chat.Say(ctx, route, r.id+time.Now().String(), q)`,
			Dir: dir, Test: "^TestEqualRunsAreOneTurn$",
		},
		{
			Promise: "agui: one turn", Defect: "answers a run whose events are gone with nothing",
			File: run, Old: "if r.gone {", New: "if r.gone && r.err != nil {",
			Dir: dir, Test: "^TestARunWhoseEventsAreGone$",
		},
		{
			Promise: "agui: well-formed runs", Defect: "leaves a text open in front of an error",
			File: dir + "/encoder.go", Old: "(pending []string) {\n\te.endWords()\n", New: "(pending []string) {\n",
			Dir: dir, Test: "^TestAnErrorEndsARun$",
		},
		{
			Promise: "agui: well-formed runs", Defect: "goes on behind an error",
			File: run, Old: "Message: message, Code: code})\n\tr.over = true", New: "Message: message, Code: code})",
			Dir: dir, Test: "^TestAnErrorEndsARun$",
		},
		{
			Promise: "agui: well-formed runs", Defect: "shows thoughts to every level",
			File: dir + "/encoder.go", Old: `if !e.thoughts || piece == "" {`, New: `if piece == "" {`,
			Dir: dir, Test: "^TestARunAndItsEvents$",
		},
		{
			Promise: "agui: well-formed runs", Defect: "takes the whole conversation of the client for new",
			File: dir + "/input.go", Old: "		if m.Role == roleAssistant {\n			break", New: "		if m.Role == roleReasoning {\n			break",
			Dir: dir, Test: "^TestTheHistoryIsThatOfTheChat$",
		},
		{
			Promise: "agui: interrupts", Defect: "takes a new message while a question is open",
			File: dir + "/resume.go", Old: "if len(ids) == 0 {", New: "if len(ids) < 2 {",
			Dir: dir, Test: "^TestAnInterruptIsResumed$",
		},
		{
			Promise: "agui: interrupts", Defect: "lets a token allow a call of its own run",
			File: "pkg/api/native/chat.go", Old: "case p.program && own && decision == deny:", New: "case p.program && own:",
			Dir: dir, Test: "^TestAnInterruptIsResumed$",
		},
		{
			Promise: "agui: interrupts", Defect: "tells the allowed call as another one",
			File: run, Old: "r.api.o.CallOf(q) == call", New: "q.Call.ID == call",
			Dir: dir, Test: "^TestAnInterruptIsResumed$",
		},
		{
			Promise: "agui: interrupts", Defect: "leaves a denied call without a result",
			File: run, Old: "text = textDenied", New: "return",
			Dir: dir, Test: "^TestACallIsDenied$",
		},
		{
			Promise: "agui: one turn", Defect: "refuses a run that is sent again behind a part of its answer",
			File: run, Old: `if r.known && (n.wordless() || len(n.results) > 0) {`, New: "if r.known && len(n.results) > 0 {",
			Dir: dir, Test: "^TestEqualRunsAreOneTurn$",
		},
		{
			Promise: "agui: tools of the client", Defect: "takes results of its own tools from the client",
			File: client, Old: "if raw, ok := w.open[one.id]; ok {", New: "if raw := one.id; raw != \"\" {",
			Dir: dir, Test: "^TestAToolOfTheClient$",
		},
		{
			Promise: "agui: tools of the client", Defect: "takes a late result",
			File: client, Old: "} else if mine && !moved {", New: "} else if mine && (!moved || moved) {",
			Dir: dir, Test: "^TestAToolOfTheClient$",
		},
	}
}

// aguiPictureMutants break what runs bring beside words.
func aguiPictureMutants() []Mutant {
	const dir, client = "pkg/api/agui", "pkg/api/agui/client.go"
	return []Mutant{
		{
			Promise: "programs: killed", Defect: "makes a turn of each request that comes again",
			File: "pkg/api/openai/api.go", Old: "if p.keyed {\n\t\tp.id", New: "if !p.keyed {\n\t\tp.id",
			Dir: "internal/test/kill", Test: "^TestKillProgramsAtEachPoint$/^completion$/^P11$",
		},
		{
			Promise: "agui: pictures", Defect: "drops the pictures of a message",
			File: client, Old: "b.Pictures = n.pictures", New: "b.Pictures = nil",
			Dir: "internal/test/e2e", Test: "^TestPicturesOverAGUI$",
		},
		{
			Promise: "agui: pictures", Defect: "takes pictures as instructions and results",
			File: dir + "/input.go", Old: "if f == nil && len(pictures) > 0 {", New: "if f != nil && len(pictures) > 0 {",
			Dir: dir, Test: "^TestBadRunsAreRefused$",
		},
		{
			Promise: "agui: pictures", Defect: "keeps the body of a run while its turn runs",
			File: dir + "/api.go", Old: "one := a.newRun(caller, &in)",
			New: "one := a.newRun(caller, &in)\n\tone.enc.held = func(call string) string { _ = in.Messages; return one.held(call) }",
			Dir: dir, Test: "^TestRunsKeepNoBodies$",
		},
	}
}
