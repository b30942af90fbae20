package agent

import (
	"context"
	"time"

	"parley/pkg/agent/job"
	"parley/pkg/agent/memory"
	"parley/pkg/agent/subagent"
	"parley/pkg/agent/task"
	"parley/pkg/agent/turn"
)

// The calls of each room have a name of their own in [Calls].
type (
	turnCalls = turn.Calls
	jobCalls  = job.Calls
	taskCalls = task.Calls
	factCalls = memory.Calls
)

// Calls are the tools' view of the turn that their call belongs to. A call finds its
// turn by its context; outside of a running turn each method returns an error.
type Calls struct {
	turnCalls
	jobCalls
	taskCalls
	factCalls
	subagent.Starter
}

// Calls serves the tools.
func (a *Agent) Calls() Calls {
	return Calls{
		turnCalls{Running: a.turns, Zones: a.zones},
		jobCalls{Running: a.turns, Scheduler: a.jobs},
		taskCalls{Running: a.turns, All: a.tasks},
		factCalls{Running: a.turns, Memory: a.memory},
		a.agents.Starter(a.turns),
	}
}

// Turns are those that run.
func (a *Agent) Turns() *turn.Running { return a.turns }

// Location is the time zone of the running call's chat, UTC when it is not known.
func (c Calls) Location(ctx context.Context) *time.Location {
	t, _, err := c.turnCalls.Running.Of(ctx)
	if err != nil {
		return time.UTC
	}
	return t.Clock.Location()
}
