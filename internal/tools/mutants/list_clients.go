package mutants

// clientMutants break what outlasts the request of a program.
func clientMutants() []Mutant {
	const agent, face = "pkg/agent", "pkg/api/openai"
	return []Mutant{
		{
			Promise: "http: revoked tokens", Defect: "lets a schedule outlive its token",
			File: agent + "/trust/principal.go", Old: "q.p.Tainted, q.wish = it.Job.Tainted, it.Job.Wish",
			New: "q.p.Tainted = it.Job.Tainted",
			Dir: agent, Test: "^TestAScheduleEndsWithItsToken$",
		},
		{
			Promise: "http: revoked tokens", Defect: "forgets the token of a schedule that a schedule makes",
			File: agent + "/job/turn.go", Old: "Items: []session.Item{it}, Handed: h.job.Wish}", New: "Items: []session.Item{it}}",
			Dir: agent, Test: "^TestAScheduleOfAScheduleHasTheToken$",
		},
		{
			Promise: "openai: pictures", Defect: "shows the pictures of the first message with each",
			File: agent + "/prompt/prompt.go", Old: "		from += n\n", New: "		from += 0\n",
			Dir: "internal/test/e2e", Test: "^TestPicturesOfClients$",
		},
		{
			Promise: "openai: pictures", Defect: "believes what a request says of its bytes",
			File: "pkg/shelf/picture.go", Old: "http.DetectContentType(p.data) == kind", New: "http.DetectContentType(p.data) != \"\"",
			Dir: "internal/test/e2e", Test: "^TestWhatIsNoPicture$",
		},
		{
			Promise: "openai: chats of one request", Defect: "offers files and schedules to a chat that passes",
			File: "pkg/gateway/toolset/toolset.go", Old: "(!at.Passing() || !s.lasting[tool])", New: "(!at.Passing() || s.lasting != nil)",
			Dir: "pkg/gateway/toolset", Test: "^TestAChatOfOneRequestHasNoToolThatNeedsALastingOne$",
		},
		{
			Promise: "openai: results of the client", Defect: "takes the result of another token in a lasting chat",
			File: face + "/match.go", Old: "(!program.Calls || program.Credential != p.caller.Credential)", New: "!program.Calls",
			Dir: face, Test: "^TestAResultCountsOnceAndByItsToken$",
		},
		{
			Promise: "openai: results of the client", Defect: "takes a result for any call",
			File: face + "/match.go", Old: "if !ok {", New: "if !ok && id != \"\" {",
			Dir: face, Test: "^TestAResultCountsOnceAndByItsToken$",
		},
		{
			Promise: "openai: results of the client", Defect: "refuses a request that comes again with its result",
			File: face + "/match.go", Old: "if p.keyed {", New: "if !p.keyed {",
			Dir: face, Test: "^TestAResultCountsOnceAndByItsToken$",
		},
		{
			Promise: "openai: stored responses", Defect: "reads the turn of somebody else's chat",
			File: face + "/run.go", Old: "if err == nil && fact.Chat != info.Chat {",
			New: "if err == nil && fact.Chat != info.Chat && fact.Chat == \"\" {",
			Dir: face, Test: "^TestAStoredResponse$",
		},
		{
			Promise: "openai: stored responses", Defect: "tells the claims of a request as its answer",
			File: face + "/past.go", Old: "p.entries = p.entries[min(fact.Program.Said, len(p.entries)):]",
			New: "p.entries = p.entries[:len(p.entries)]",
			Dir: face, Test: "^TestAStoredResponse$",
		},
		{
			Promise: "openai: stored responses", Defect: "tells that a replayed answer used nothing",
			File: face + "/past.go", Old: "Usage: p.usage}", New: "Usage: events.Usage{}}",
			Dir: face, Test: "^TestAnAnswerWhoseEventsAreGone$",
		},
		{
			Promise: "agui: tools of the client", Defect: "takes the result of another token",
			File: "pkg/api/agui/client.go", Old: "} else if mine && !moved {", New: "} else if (mine || err == nil) && !moved {",
			Dir: "pkg/api/agui", Test: "^TestAToolOfTheClient$",
		},
		{
			Promise: "openai: answers", Defect: "shows the text of an error in front of it",
			File: face + "/assembly.go", Old: "if s.failure != nil || !strings.HasPrefix(", New: "if !strings.HasPrefix(",
			Dir: face, Test: "^TestAFailedStream$",
		},
	}
}

// formatMutants break the form of answers, and the wish for no questions.
func formatMutants() []Mutant {
	const face = "pkg/api/openai"
	return []Mutant{
		{
			Promise: "openai: forms of an answer", Defect: "takes a form that the model does not hold to",
			File: face + "/format.go", Old: "if len(w.Schema) == 0 || a.o.Formats(", New: "if len(w.Schema) >= 0 || a.o.Formats(",
			Dir: face, Test: "^TestTheFormOfAnAnswer$",
		},
		{
			Promise: "openai: forms of an answer", Defect: "does not tell the model",
			File: "pkg/agent/caller/options.go", Old: `options["response_format"] = w.Schema`, New: `_ = options`,
			Dir: "pkg/agent", Test: "^TestAWishForAFormat$",
		},
		{
			Promise: "openai: forms of an answer", Defect: "forgets the models that step in",
			File: "pkg/gateway/modelset/models.go", Old: "append([]string{name}, k.cfg.FallbacksOf(name)...)", New: "[]string{name}",
			Dir: "pkg/gateway/modelset", Test: "^TestFormats$",
		},
		{
			Promise: "openai: no questions", Defect: "asks all the same",
			File: "pkg/agent/approval/ask.go", Old: "w != nil && w.NoQuestions {", New: "w == nil && w.NoQuestions {",
			Dir: "pkg/agent", Test: "^TestAWishForNoQuestions$",
		},
	}
}
