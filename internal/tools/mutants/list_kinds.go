package mutants

// kindMutants break the table of model servers and the requests that follow it.
func kindMutants() []Mutant {
	const openai = "pkg/providers/openai"
	return []Mutant{
		{
			Promise: "kinds of servers", Defect: "knows a server by any host name that ends alike",
			File: "pkg/providers/kinds/kinds.go", Old: `strings.HasSuffix(host, "."+h)`, New: `strings.HasSuffix(host, h)`,
			Dir: "pkg/providers/kinds", Test: "^TestOf$",
		},
		{
			Promise: "kinds of servers", Defect: "forces a call on a server that takes no forced one",
			File: openai + "/choice.go", Old: `c.form == kinds.ChoiceRequired && !strongest.Takes(c.form)`, New: `strongest == ""`,
			Dir: openai, Test: "^TestWeakerChoices$",
		},
		{
			Promise: "kinds of servers", Defect: "sends an id in another form with the call than with its result",
			File: openai + "/messages.go", Old: `AppendString(b, k.callID(m.ToolCallID))`, New: `AppendString(b, m.ToolCallID)`,
			Dir: openai, Test: "^TestRowsShapeTheRequest$",
		},
		{
			Promise: "kinds of servers", Defect: "sends the reasoning of all turns back",
			File: openai + "/messages.go", Old: `k.past = i < turn`, New: `k.past = i < turn && i < 0`,
			Dir: openai, Test: "^TestRowsShapeTheRequest$",
		},
		{
			Promise: "kinds of servers", Defect: "sends more reasoning to a server that knows none",
			File: openai + "/quirks.go", Old: `case closed, k.thinking()`, New: `case closed && k.past, k.thinking()`,
			Dir: openai, Test: "^TestReasoningIsUnlearnt$",
		},
		{
			Promise: "check of a model", Defect: "takes any call for a well-formed one",
			File: "pkg/providers/check/check.go", Old: `c.BadArguments != "" || !a || !b`, New: `c.BadArguments != "" || !a && !b && c.Arguments == nil`,
			Dir: "pkg/providers/check", Test: "^TestVerdicts$",
		},
		{
			Promise: "check of a model", Defect: "demands no earlier reasoning for DeepSeek",
			File: "pkg/providers/kinds/servers.go", Old: `Choice: ChoiceNone, Thinking: ThinkingAlways, EmptyContent: true`,
			New: `Choice: ChoiceNone, EmptyContent: true`,
			Dir: "pkg/providers/check", Test: "^TestEveryRowCallsTools$",
		},
	}
}
