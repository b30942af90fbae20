package mutants

// answerMutants break the reading of hostile answers.
func answerMutants() []Mutant {
	return []Mutant{
		{
			Promise: "R9", Defect: "shows a key that was replaced during its request",
			File: "pkg/providers/internal/exchange/failure.go", Old: `slices.Clone(c.keys)`, New: `slices.Clone(c.keys[:0])`,
			Dir: "pkg/providers/internal/exchange", Test: "^TestAReplacedKeyStaysHidden$",
		},
		{
			Promise: "model: keys", Defect: "overlooks a key that was written over",
			File: "pkg/config/secretfile.go", Old: `info.ModTime().Equal(f.seen.ModTime())`, New: `!info.ModTime().IsZero()`,
			Dir: "pkg/config", Test: "^TestASecretIsRenewed$",
		},
		{
			Promise: "model: keys", Defect: "asks with each new key after a refusal",
			File: "pkg/providers/internal/exchange/client.go", Old: `	r.used = true`, New: `	r.used = false`,
			Dir: "pkg/providers/internal/exchange", Test: "^TestRenewal$",
		},
		{
			Promise: "R10", Defect: "keeps any number of blocks of an answer",
			File: "pkg/providers/anthropic/answer.go", Old: `a.starts > mostBlocks`, New: `a.starts < 0`,
			Dir: "pkg/providers/anthropic", Test: "^TestTooManyBlocks$",
		},
		{
			Promise: "R10", Defect: "goes on with a paused answer of any length",
			File: "pkg/providers/anthropic/anthropic.go", Old: ` && a.size < p.server.MaxBody()`, New: ``,
			Dir: "pkg/providers/anthropic", Test: "^TestALongPause$",
		},
		{
			Promise: "R10", Defect: "reads the arguments of a call anew with each piece",
			File: "pkg/providers/openai/assembly.go", Old: `c.object.complete()`, New: `json.Valid([]byte(c.args.String()))`,
			Dir: "pkg/providers/openai", Test: "^TestALongAnswerIsReadOnce$",
		},
		{
			Promise: "kinds of servers", Defect: "learns anew which models speak by turns",
			File: "pkg/providers/openai/openai.go", Old: `byTurns: match.Traits.ByTurns,`, New: `byTurns: false,`,
			Dir: "pkg/providers/openai", Test: "^TestSpeakersByTurns$",
		},
		{
			Promise: "model cut", Defect: "takes each line of an event for a frame",
			File: "pkg/providers/internal/exchange/frames.go", Old: `if len(f.event) == 0 && (`, New: `if len(f.event) == 0 || (`,
			Dir: "pkg/providers/internal/exchange", Test: "^TestEnds$",
		},
		{
			Promise: "R8", Defect: "writes a request into memory that is still being sent",
			File: "pkg/providers/internal/exchange/body.go", Old: `	b.lent.use()
	return`, New: `	return`,
			Dir: "pkg/providers/internal/exchange", Test: "^TestARequestKeepsItsBytes$",
		},
		{
			Promise: "R8", Defect: "reads a request's memory after it went back",
			File: "pkg/providers/internal/exchange/body.go", Old: `	if r.closed {
		return 0, http.ErrBodyReadAfterClose`, New: `	if r.closed {
		return 1, nil`,
			Dir: "pkg/providers/internal/exchange", Test: "^TestARequestKeepsItsBytes$",
		},
		{
			Promise: "encoded once", Defect: "sends the settings of a request with another key",
			File: "pkg/providers/openai/form.go", Old: `k := formKey{*s, p.client.Key()}`, New: `k := formKey{settings: *s}`,
			Dir: "pkg/providers/openai", Test: "^TestRequestsKeepTheirOwnSettings$",
		},
		{
			Promise: "encoded once", Defect: "sends the settings of a request with another limit",
			File: "pkg/providers/openai/form.go", Old: `k := formKey{*s, p.client.Key()}`,
			New: `k := formKey{*s, p.client.Key()}
	k.limit = 0`,
			Dir: "pkg/providers/openai", Test: "^TestRequestsKeepTheirOwnSettings$",
		},
		{
			Promise: "encoded once", Defect: "gives a chat the instructions of another",
			File: "pkg/agent/prompt/prompt.go", Old: `s.closing == closing && s.chat == files.Chat && `, New: `s.closing == closing && `,
			Dir: "pkg/agent/prompt", Test: "^TestInstructionsStayWithTheirChat$",
		},
		{
			Promise: "encoded once", Defect: "takes a field that stands there twice for the first of them",
			File: "pkg/providers/internal/exchange/scan.go", Old: `		case seen&(1<<at) != 0:
			s.off = true`, New: `		case seen&(1<<at) != 0:
			s.Skip()`,
			Dir: "pkg/providers/internal/exchange", Test: "^FuzzScan$",
		},
	}
}

// endMutants break the reading of ends of answers, and the time that a request may take.
func endMutants() []Mutant {
	return []Mutant{
		{
			Promise: "model cut", Defect: "takes an answer for whole that its server broke off",
			File: "pkg/providers/openai/assembly.go", Old: `	if !whole {`, New: `	if !whole && a.content.Len() == 0 {`,
			Dir: "pkg/providers/openai", Test: "^TestEndsOfServers$",
		},
		{
			Promise: "model cut", Defect: "takes the announcement of a call for the answer",
			File: "pkg/providers/gemini/answer.go", Old: `strings.HasPrefix(a.finish, "MALFORMED")`, New: `strings.HasPrefix(a.finish, "MALFORMED_RESPONSE")`,
			Dir: "pkg/providers/gemini", Test: "^TestAnswers$",
		},
		{
			Promise: "model silent", Defect: "counts the time in which a long request leaves",
			File: "pkg/providers/internal/exchange/exchange.go", Old: `	if n > 0 && !b.x.heard.Load() {`, New: `	if n < 0 {`,
			Dir: "pkg/providers/openai", Test: "^TestConformanceOverHTTP$/^a_question_on_a_slow_line$",
		},
		{
			Promise: "model: another steps in", Defect: "asks a model again whose answer broke off late",
			File: "pkg/providers/request.go", Old: `.After(c.began.Add(`, New: `.After(now.Add(`,
			Dir: "pkg/providers", Test: "^TestFailoverSwitches$",
		},
		{
			Promise: "tools as JSON", Defect: "takes any demand of a tool",
			File: "pkg/providers/toolmode/toolmode.go", Old: `		refused.Model = q.model`, New: `		refused.Model, err = q.model, nil`,
			Dir: "pkg/providers/toolmode", Test: "^TestConformanceOverHTTP$/^tool_choice$",
		},
	}
}
