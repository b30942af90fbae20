package mutants

// spawnMutants break background agents.
func spawnMutants() []Mutant {
	const dir = "pkg/agent"
	const ends, stopped, waited, bounds = "agents: every end", "agents: stopped", "agents: waited for", "agents: bounds"
	return []Mutant{
		{
			Promise: "agents", Defect: "says nothing of a report for which the model has no words",
			File: dir + "/task/report.go", Old: "re.Text = report + turn.CutOff(e.Loop)", New: "re.Text = turn.CutOff(e.Loop)",
			Dir: dir, Test: "^TestAReportIsNotLostWithTheModel$",
		},
		{
			Promise: stopped, Defect: "does not begin an agent that is recorded and has not begun",
			File: dir + "/subagent/takeup.go",
			Old:  "a.o.Store.Append(ctx, []session.Item{beginningOf(t)}, nil); err != nil {",
			New:  "a.o.Store.Append(ctx, nil, nil); err != nil {",
			Dir:  dir, Test: "^TestAnAgentThatIsRecordedBegins$",
		},
		{
			Promise: ends, Defect: "asks the model about an agent that failed",
			File: dir + "/task/report.go", Old: "if t.State == session.TaskDone {", New: "if t.Agent {",
			Dir: dir, Test: "^TestAnAgentThatFailsIsToldOnce$",
		},
		{
			Promise: ends, Defect: "counts the deadline from the restart",
			File: dir + "/task/supervisor.go", Old: "time.AfterFunc(Left(t.Started, t.Deadline),", New: "time.AfterFunc(t.Deadline.Sub(t.Started),",
			Dir: dir, Test: "^TestAnAgentIsGivenUpAtItsDeadline$",
		},
		{
			Promise: ends, Defect: "tells nobody that an agent's creator is gone",
			File: dir + "/subagent/turn.go", Old: "if !h.task.Waited { // no turn", New: "if h.task.Waited { // no turn",
			Dir: dir, Test: "^TestAnAgentOfSomebodyWhoIsGone$",
		},
		{
			Promise: stopped, Defect: "runs an agent again whose task has ended",
			// The context of the task has ended, too, and would end the model's loop at some time.
			File: dir + "/subagent/turn.go", Old: "if t.State != session.TaskRunning {",
			New: `if h.handle = (&Handle{ctx: ctx}); t.ID == "" {`,
			Dir: dir, Test: "^TestAnAgentThatEndedDoesNotRunAgain$",
		},
		{
			Promise: waited, Defect: "lets agents wait for the places of their parents",
			File: dir + "/subagent/start.go", Old: "			r.Input.Place.Leave()\n", New: "",
			Dir: dir, Test: "^TestASubagentIsWaitedFor$",
		},
		{
			Promise: waited, Defect: "lets a subagent outlive its turn",
			File: dir + "/turn/tasks.go", Old: "ts.started[t.ID], ts.begun[t.ID] = true, *t", New: "ts.started[t.ID] = true",
			Dir: dir, Test: "^TestStopEndsTheSubagentToo$",
		},
		{
			Promise: bounds, Defect: "does not count by how many agents a report is deep",
			File: dir + "/task/report.go", Old: "\th.T.Tasks.Depth = t.Depth\n", New: "",
			Dir: dir, Test: "^TestReportsDoNotStartAgentsForEver$",
		},
		{
			Promise: bounds, Defect: "does not count the agents of a chat",
			File: dir + "/subagent/start.go", Old: "case here >= b.PerChat:", New: "case here >= b.PerChat<<20:",
			Dir: dir, Test: "^TestHowManyAgentsThereAre$",
		},
	}
}

// agentRightMutants break the rights and the approvals of background agents.
func agentRightMutants() []Mutant {
	const dir = "pkg/agent"
	const rights, asks = "agents: rights", "agents: approvals"
	return []Mutant{
		{
			Promise: rights, Defect: "gives an agent the rights that its creator had",
			File: dir + "/subagent/turn.go", Old: `if refused != "" || !who.Level.Allows(policy.Level(req.Annotations.Level)) {`,
			New: `if refused != "" || !who.Level.Allows(policy.LevelNone) {`,
			Dir: dir, Test: "^TestAnAgentHasTheRightsOfItsCreator$",
		},
		{
			Promise: rights, Defect: "forgets what an agent has read",
			File: dir + "/subagent/turn.go", Old: "Result: re.Text, Tainted: h.T.Provenance.Tainted()}\n\tswitch", New: "Result: re.Text}\n\tswitch",
			Dir: dir, Test: "^TestTaintIsInheritedBothWays$",
		},
		{
			Promise: asks, Defect: "lets a press wait for the turn that waits for it",
			File: dir + "/turn/interrupts.go", Old: "t.Deps.Approvals.Arrived(ctx, t, &items[i])", New: "_ = t.Deps.Approvals",
			Dir: dir, Test: "^TestASubagentIsAllowedWhileItsTurnWaits$",
		},
		{
			Promise: asks, Defect: "forgets at a restart when a question ends",
			File: dir + "/subagent/takeup.go", Old: "case waits[q.Task]:\n", New: "case waits[q.Task]:\n\t\t\tcontinue\n\t\tcase q.ID == \"\":\n",
			Dir: dir, Test: "^TestNobodyDecidesInTime$",
		},
		{
			Promise: asks, Defect: "says nothing to a press for a task that has ended",
			File: dir + "/approval/handon.go", Old: "v, err := try.void(ctx, by, textTaskEnded)\n",
			New: "return h.T.Commit(ctx, turn.Reply{Commit: session.Commit{Outcome: session.OutcomeAnswered}})\n" +
				"\t\tv, err := try.void(ctx, by, textTaskEnded)\n",
			Dir: dir, Test: "^TestAPressAfterTheTaskHasEnded$",
		},
	}
}
