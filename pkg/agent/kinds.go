package agent

import (
	"parley/pkg/agent/command"
	"parley/pkg/agent/job"
	"parley/pkg/agent/task"
	"parley/pkg/agent/turn"
	"parley/pkg/session"
)

// newKinds are the rows of the dispatcher: the first that fits is the turn's kind.
func newKinds(a *Agent) []turn.Kind {
	of := func(handler func(a *Agent, t *turn.Turn) turn.Handler) func(*turn.Turn) turn.Handler {
		return func(t *turn.Turn) turn.Handler { return handler(a, t) }
	}
	tasks := task.Commands{Tasks: a.tasks, Waits: a.agents.Waits}
	return []turn.Kind{
		{
			Fits: isAgentTurn, Handler: of(newAgentTurn),
			Purpose: session.ForBackground, Late: turn.WrittenLate,
		},
		{
			Fits: isDecisionTurn, Handler: of(newDecisionTurn),
			Purpose: session.ForPeople, Late: turn.WrittenLate,
		},
		job.Kind(a.jobs, a.jobPlaces),
		a.tasks.ReportKind(a.reports),
		command.Kind(command.Options{
			Sessions: a.o.Engine.Sessions(), Approvals: a.o.Engine.Approvals().ApprovalList, Status: a.o.Engine.Status,
			Schedule: a.jobs.Command, Tasks: tasks.List, Cancel: tasks.Cancel,
		}),
		{
			Fits: func(*session.TurnInfo) bool { return true }, Handler: turn.NewMessage,
			Purpose: session.ForPeople, Late: turn.WrittenLate,
		},
	}
}

// kindOf is the kind of a turn.
func kindOf(kinds []turn.Kind, info *session.TurnInfo) turn.Kind {
	for i := range kinds {
		if kinds[i].Fits(info) {
			return kinds[i]
		}
	}
	return turn.Kind{}
}
