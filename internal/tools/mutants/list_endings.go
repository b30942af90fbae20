package mutants

// endingMutants break the visible end of an agent.
func endingMutants() []Mutant {
	const dir = "pkg/agent"
	const progress, cancelled = "background: progress", "background: cancelled"
	return []Mutant{
		{
			Promise: progress, Defect: "puts the end of an agent that may not go on below its progress",
			File: dir + "/subagent/end.go", Old: "c.Outbox[0].Finishes = now.Status", New: "_ = now.Status",
			Dir: dir, Test: "^TestWhatShowsAnAgentsProgressIsFinishedByItsEnd$",
		},
		{
			Promise: progress, Defect: "leaves an agent's report to the notice of a limit",
			File: dir + "/task/report.go", Old: "\tif text != \"\" {\n\t\ttext +=", New: "\tif text != \"\" && l == nil {\n\t\ttext +=",
			Dir: dir, Test: "^TestWhatShowsAnAgentsProgressIsFinishedByItsEnd$",
		},
		{
			Promise: cancelled, Defect: "leaves the question of a task that is over open",
			File: dir + "/subagent/takeup.go",
			Old:  "if !errors.Is(context.Cause(h.ctx), turn.ErrTaskOver) {",
			New:  "if errors.Is(context.Cause(h.ctx), turn.ErrTaskOver) {",
			Dir:  dir, Test: "^TestACancelledAgentEndsAndIsToldOnce$",
		},
		{
			Promise: cancelled, Defect: "says nothing to whoever cancels a subagent",
			File: dir + "/task/command.go", Old: "shown = t.Result\n", New: "shown = \"\"\n",
			Dir: dir, Test: "^TestASubagentOfAnAgentIsCancelled$",
		},
	}
}
