package mutants

// exampleMutants break the examples.
func exampleMutants() []Mutant {
	const e2e = "internal/test/e2e"
	return []Mutant{
		{
			Promise: "example: two commands", Defect: "runs commands one after the other",
			File: "pkg/tools/internal/program/program.go", Old: "Level: tools.LevelExec, Executes: true,",
			New: "Level: tools.LevelExec, Executes: true, Destructive: true,",
			Dir: e2e, Test: "^TestExampleRunsTwoCommands$/^with_tools$/^waived$",
		},
		{
			Promise: "example: a tool of the operator's", Defect: "shows no progress",
			File: "pkg/agent/turn/journal.go", Old: "case tools.EventProgress:", New: "case tools.EventReasoning:",
			Dir: e2e, Test: "^TestExampleToolOfTheOperator$",
		},
		{
			Promise: "example: what the operator reads", Defect: "lists a question's bytes as they are",
			File: "cmd/gateway/approvals.go", Old: "visible.Text(r.Text)", New: `visible.Text("")+r.Text`,
			Dir: "cmd/gateway", Test: "^TestListedQuestionsAreShownWhole$",
		},
	}
}
