package agent

import (
	"parley/pkg/agent/job"
	"parley/pkg/agent/turn"
	"parley/pkg/session"
)

// newKinds are the rows of the dispatcher: the first that fits is the turn's kind.
func newKinds(a *Agent) []turn.Kind {
	of := func(handler func(a *Agent, t *turn.Turn) turn.Handler) func(*turn.Turn) turn.Handler {
		return func(t *turn.Turn) turn.Handler { return handler(a, t) }
	}
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
		{
			Fits: isCommandTurn, Handler: of(newCommandTurn),
			Purpose: session.ForPeople, Late: turn.WrittenLate,
		},
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
