package mutants

// operatorMutants break the promises of the section "The operator's commands".
func operatorMutants() []Mutant {
	const dir = "cmd/gateway"
	const calls = "operator: direct calls"
	return []Mutant{
		{
			Promise: calls, Defect: "asks nobody",
			File: dir + "/toolcall.go", Old: "if req.Covered || g.args.Yes {", New: "if req.Covered || g.args.Tool != \"\" {",
			Dir: dir, Test: "^TestScripts$/^tool_call$",
		},
		{
			Promise: calls, Defect: "runs a call that has changed since it was shown",
			File: dir + "/toolcall.go", Old: "g.args.Shown == g.fingerprint(&req.Examination)", New: "g.args.Shown != \"\"",
			Dir: dir, Test: "^TestADirectCallAsksOnATerminal$",
		},
		{
			Promise: calls, Defect: "calls tools that are not offered in the chat",
			File: dir + "/toolcall.go", Old: "return offered(at, name) })", New: "return name != \"\" || offered(at, name) })",
			Dir: dir, Test: "^TestADirectCallInAnotherChat$",
		},
	}
}
