package mutants

// spokenMutants break the promises about markup in the text of an answer.
func spokenMutants() []Mutant {
	const dir = "pkg/providers/internal/spoken"
	return []Mutant{
		{
			Promise: "thoughts in text", Defect: "leaves the thoughts in the text",
			File: dir + "/reader.go", Old: "r.at, r.marked = beginning, true", New: "r.at, r.marked = beginning, false",
			Dir: dir, Test: "^TestReasoning$",
		},
		{
			Promise: "thoughts in text", Defect: "hides an unclosed thought",
			File: dir + "/reader.go", Old: "r.pending = append([]byte(r.open.String()), r.pending...)", New: "r.pending = nil",
			Dir: dir, Test: "^TestReasoning$",
		},
		{
			Promise: "calls in text", Defect: "runs a call in a block of code",
			File: dir + "/code.go", Old: "return c.fence != 0 || span > 0", New: "return span > 0",
			Dir: dir, Test: "^TestNoCalls$",
		},
		{
			Promise: "calls in text", Defect: "runs a call in a quotation",
			File: dir + "/code.go", Old: "span > 0 || c.quotes ||", New: "span > 0 ||",
			Dir: dir, Test: "^TestNoCalls$",
		},
		{
			Promise: "calls in text", Defect: "runs a call before the end of an answer",
			File: dir + "/calls.go", Old: `if s.space(); s.rest != "" || len(s.found) == 0 {`, New: "if len(s.found) == 0 {",
			Dir: dir, Test: "^TestNoCalls$",
		},
		{
			Promise: "calls by others", Defect: "compares the text of a call letter by letter",
			File: dir + "/echo.go", Old: "		if unicode.IsLetter(r) || unicode.IsDigit(r) {", New: "		if r != 0 {",
			Dir: dir, Test: "^TestEchoes$",
		},
		{
			Promise: "calls by others", Defect: "runs the other calls of an answer with an echo",
			File: dir + "/reader.go", Old: "); echo {\n				break", New: "); echo {\n				r.at = holding",
			Dir: dir, Test: "^TestEchoesOne$",
		},
	}
}

// toolModeMutants break the promises about servers without tools.
func toolModeMutants() []Mutant {
	const dir = "pkg/providers/toolmode"
	return []Mutant{
		{
			Promise: "tools as JSON", Defect: "runs a call whose text a message held",
			File: dir + "/reply.go", Old: "if spoken.Echoes(r.q.messages, texts) {", New: "if spoken.Echoes(nil, texts) {",
			Dir: dir, Test: "^TestRepliesThatEcho$",
		},
		{
			Promise: "tools as JSON", Defect: "shows the person calls that are broken",
			File: dir + "/reply.go", Old: "if !ok && !r.cutCalls(resp) {", New: "if !ok && r.cutCalls(resp) {",
			Dir: dir, Test: "^TestReplies$",
		},
		{
			Promise: "tools as JSON", Defect: "loses the calls of an answer that is several objects",
			File: dir + "/reply.go", Old: "append(all, wire.Calls...), true", New: "wire.Calls, true",
			Dir: dir, Test: "^TestReplies$",
		},
		{
			Promise: "tools as JSON", Defect: "tells results in the order in which they came",
			File: dir + "/rewrite.go", Old: "return at(a) - at(b)", New: "return at(a) - at(a)",
			Dir: dir, Test: "^TestRounds$",
		},
		{
			Promise: "tools refused", Defect: "learns from any 400 that names tools",
			File: dir + "/learned.go", Old: "namesTools(words) && denies(words)", New: "namesTools(words)",
			Dir: dir, Test: "^TestRefusalsThatTeach$",
		},
		{
			Promise: "tools refused", Defect: "remembers a refusal for ever",
			File: dir + "/learned.go", Old: "if !time.Now().Before(known.until) {", New: "if known.until.IsZero() {",
			Dir: dir, Test: "^TestLearnedRefusal$",
		},
		{
			Promise: "no tools", Defect: "tells the person at each answer",
			File: dir + "/toolmode.go", Old: "&& !toldOf(q.messages) {", New: "&& !toldOf(nil) {",
			Dir: dir, Test: "^TestNone$",
		},
	}
}
