package mutants

// specMutants make the OpenAPI document say something else than the handlers do.
func specMutants() []Mutant {
	const native = "pkg/api/native"
	return []Mutant{
		{
			Promise: "api: document", Defect: "answers with a field that the document does not have",
			File: native + "/reading/message.go", Old: "`json:\"file,omitempty\"`", New: "`json:\"filename\"`",
			Dir: native, Test: "^TestAMessageAndItsEvents$|^TestADeliveredMessageIsReadAtItsPlace$",
		},
		{
			Promise: "api: document", Defect: "refuses a field of the document",
			File: native + "/post.go", Old: "if *q.Rounds < 1 || ", New: "if *q.Rounds < 2 || ",
			Dir: native, Test: "^TestBodiesAreThoseOfTheDocument$",
		},
		{
			Promise: "api: document", Defect: "serves a route that the document does not have",
			File: "pkg/gateway/http.go", Old: `{Pattern: "GET /page/me", Access`, New: `{Pattern: "GET /api/we", Access`,
			Dir: "pkg/gateway", Test: "^TestTheDocumentHasEachRoute$",
		},
		{
			Promise: "api: direct calls", Defect: "tells of a call that waits for a person as made",
			File: native + "/call.go", Old: "end.done.Stop == events.StopAsked:", New: `end.done.Stop == "":`,
			Dir: native, Test: "^TestADirectCallAsks$",
		},
		{
			Promise: "api: direct calls", Defect: "takes a call that is sent again for a new one",
			File: native + "/call.go", Old: "keyed: len(r.Header.Values(keyHeader)) > 0", New: "keyed: false",
			Dir: native, Test: "^TestADirectCallIsMadeOnce$",
		},
		{
			Promise: "api: passing names", Defect: "takes a message that will be forgotten",
			File: native + "/post.go", Old: "strings.HasPrefix(p.id, channels.PassingID)", New: "p == nil",
			Dir: native, Test: "^TestPassingChatsTakeNoMessages$",
		},
		{
			Promise: "api: ids of others", Defect: "answers a question of any chat",
			File: native + "/chat.go", Old: "err == nil && q.Address != p.at:", New: "err == nil && q.ID == \"\":",
			Dir: "pkg/gateway", Test: "^TestIdsOfOthersAreUnknown$",
		},
		{
			Promise: "api: telemetry", Defect: "forgets what the files have",
			File: "pkg/gateway/telemetry/telemetry.go", Old: "	if l.written = now; l.pruned", New: "	if l.pruned",
			Dir: "pkg/gateway/telemetry", Test: "^TestCountsOutlastTheProcess$",
		},
		{
			Promise: "api: telemetry", Defect: "shows the telemetry to each token",
			File: "pkg/gateway/telemetry/serve.go", Old: "c == nil || !c.May(httpd.RightTelemetry)", New: "c == nil",
			Dir: "pkg/gateway/telemetry", Test: "^TestWhoReadsTelemetry$",
		},
		{
			Promise: "api: ids of others", Defect: "looks for a schedule in all chats",
			File: "pkg/gateway/panel/work.go", Old: "	all, err := p.o.Store.JobList(r.Context(), r.chat.Chat)",
			New: "	all, err := p.o.Store.JobList(r.Context(), \"\")",
			Dir: "pkg/gateway", Test: "^TestThePageKnowsNoIdsOfOthers$",
		},
		{
			Promise: "http: wrong credentials", Defect: "keeps a goroutine for each wrong credential",
			File: "pkg/gateway/keyring.go", Old: "	if errors.Is(err, session.ErrNotFound) {\n		return t, who, nil, httpd.ErrNoCredential",
			New: "	if errors.Is(err, session.ErrNotFound) {\n		go func() { select {} }()\n		return t, who, nil, httpd.ErrNoCredential",
			Dir: "pkg/gateway", Test: "^TestWrongCredentialsCostNothing$",
		},
		{
			Promise: "api: what a question shows", Defect: "shows the text of a question as the tool gave it",
			File: native + "/chat.go", Old: "Text: visible.Text(a.o.Redact(q.Text)), Choices", New: "Text: a.o.Redact(q.Text), Choices",
			Dir: native, Test: "^TestAQuestionHidesNothing$",
		},
		{
			Promise: "api: what a question shows", Defect: "shows the arguments as the model wrote them",
			File: "pkg/events/data.go", Old: "visible.JSON(string(arguments(string(d.Arguments), redact)))",
			New: "string(arguments(string(d.Arguments), redact))",
			Dir: native, Test: "^TestAQuestionHidesNothing$",
		},
		{
			Promise: "http: revoked streams", Defect: "lets the request outlive its credential",
			File: "pkg/httpd/guard.go", Old: "func() { cancel(ErrRevoked) })", New: "func() {})",
			Dir: "pkg/gateway", Test: "^TestRevocationEndsEachKindOfStream$",
		},
	}
}

// lastWordsMutants break the ends of streams.
func lastWordsMutants() []Mutant {
	return []Mutant{
		{
			Promise: "http: last words", Defect: "drops what has happened when the gateway stops",
			File: "pkg/httpd/streams.go", Old: "case errors.Is(cause, ErrRevoked):\n", New: "case errors.Is(cause, ErrRevoked) || cause != nil:\n",
			Dir: "pkg/httpd", Test: "^TestTheLastWordsOfAStream$",
		},
		{
			Promise: "http: last words", Defect: "tells a revoked client one thing more",
			File: "pkg/httpd/streams.go", Old: "case errors.Is(cause, ErrRevoked):\n", New: "case errors.Is(cause, ErrRevoked) && false:\n",
			Dir: "pkg/httpd", Test: "^TestTheLastWordsOfAStream$",
		},
	}
}
