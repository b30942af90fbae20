package mutants

// claudeMutants are about the adapter of the Messages API.
func claudeMutants() []Mutant {
	const room = "pkg/providers/anthropic"
	return []Mutant{
		{
			Promise: "claude: thinking", Defect: "sends the thinking of one model to every other",
			File: room + "/layout.go", Old: "if raw == nil {", New: "if raw = msg.Extra; raw == nil {",
			Dir: room, Test: "^TestThinkingReturns$",
		},
		{
			Promise: "claude: thinking", Defect: "gives up a conversation whose thinking is refused",
			File: room + "/quirks.go", Old: "	q.forgetful = true", New: "	q.forgetful = false",
			Dir: room, Test: "^TestRefusedThinking$",
		},
		{
			Promise: "claude: thinking", Defect: "asks for thinking behind the calls of another model",
			File: room + "/thinking.go", Old: "(q.forgetful || !unwrap(m, running).thinks())", New: "q.forgetful",
			Dir: room, Test: "^TestThinkingBegunElsewhere$",
		},
		{
			Promise: "claude: requests", Defect: "puts each result into a message of its own",
			File: room + "/messages.go", Old: "	if role != w.role {", New: "	if role != w.role || w.blocks > 0 && role == providers.RoleUser {",
			Dir: room, Test: "^TestRequestFields$",
		},
		{
			Promise: "claude: requests", Defect: "reads the environment",
			File: room + "/anthropic.go", Old: "option.WithoutEnvironmentDefaults(), ", New: "",
			Dir: room, Test: "^TestEnvironmentDecidesNothing$",
		},
		{
			Promise: "claude: refused settings", Defect: "forgets a refusal at once",
			File: room + "/anthropic.go", Old: "	p.quirks[model] = k", New: "	_ = k",
			Dir: room, Test: "^TestRefusedParameters$",
		},
		{
			Promise: "claude: cache", Defect: "marks the newest message alone",
			File: room + "/messages.go", Old: "		if i == old {", New: "		if i == old && i < 0 {",
			Dir: room, Test: "^TestCacheMarkers$",
		},
		{
			Promise: "claude: connected", Defect: "sends a token of Vertex AI as a key",
			File: room + "/anthropic.go", Old: `case p.opts.Bearer || p.form != "":`, New: "case p.opts.Bearer:",
			Dir: "pkg/gateway/modelset", Test: "^TestAnthropic$",
		},
		{
			Promise: "claude: pause", Defect: "ends an answer where the server pauses",
			File: room + "/answer.go", Old: "return a.stop == stopPause && len(a.blocks) > 0", New: "return false",
			Dir: room, Test: "^TestPausedTurn$",
		},
		{
			Promise: "model cut", Defect: "takes a stream of the Messages API for complete at its last event",
			File: room + "/answer.go", Old: "		return a.stopped(), nil", New: "		a.end(stopEnd, nil)\n		return true, nil",
			Dir: room, Test: "^TestStreamShapes$",
		},
	}
}
