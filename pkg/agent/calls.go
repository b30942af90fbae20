package agent

import (
	"parley/pkg/agent/subagent"
	"parley/pkg/agent/turn"
)

// Calls is what the tools may do with the turn that their call belongs to. A call finds
// its turn by its context; outside of a running turn each method returns an error.
type Calls struct {
	turn.Calls
	subagent.Starter
	a *Agent
}

// Calls serves the tools.
func (a *Agent) Calls() Calls {
	return Calls{turn.Calls{Running: a.turns, Zones: a.zones}, a.agents.Starter(a.turns), a}
}

// Turns are those that run.
func (a *Agent) Turns() *turn.Running { return a.turns }
