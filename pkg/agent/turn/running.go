package turn

import (
	"context"
	"slices"
	"sync"
	"time"

	"parley/pkg/channels"
	"parley/pkg/tools"
)

// The stages of a turn before it asks the model.
const (
	// StagePlace is that of a turn which waits for a place.
	StagePlace = "waits for a place among the turns"
	// StageAsking is that of a turn which asks the model, or is done with that.
	StageAsking = ""

	stageBegin = "looks at what it is about"
	stageFetch = "fetches the files of its messages"
	stageSense = "listens to recordings and looks at pictures"
	stageFiles = "reads the instructions and the chat's files"
	stagePast  = "reads the conversation"
)

// Running are the turns that run, or wait for their place, in this process.
type Running struct {
	mu    sync.Mutex
	turns map[string]*Turn
}

// NewRunning has no turn yet.
func NewRunning() *Running { return &Running{turns: map[string]*Turn{}} }

// Add takes in a turn; it runs until the returned function is called.
func (r *Running) Add(t *Turn) (ended func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.turns[t.Info.ID] = t
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.turns, t.Info.ID)
	}
}

// Of finds the turn that a call belongs to by the call's context, and the call's key within
// it. Outside of a running turn it returns an error for the model.
func (r *Running) Of(ctx context.Context) (*Turn, string, error) {
	inv := tools.InvocationFrom(ctx)
	r.mu.Lock()
	t := r.turns[inv.Turn]
	r.mu.Unlock()
	if t == nil {
		return nil, "", tools.Fail(tools.ErrExecutionFailed, "this can be done only while a turn of its chat runs", nil)
	}
	return t, inv.Key[len(inv.Turn)+1:], nil
}

// SlowTurn is a turn that has not begun to ask the model.
type SlowTurn struct {
	Turn    string           `json:"turn"`
	Address channels.Address `json:"address"`
	// Since is when it began, Stage its activity, such as "reads the conversation".
	Since time.Time `json:"since"`
	Stage string    `json:"stage"`
}

// Slow are the turns that have not begun to ask the model for longer than
// over, the oldest first. A /stop of their chat ends them.
func (r *Running) Slow(over time.Duration) []SlowTurn {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []SlowTurn
	for id, t := range r.turns {
		if stage := t.stage.Load(); stage != nil && *stage != StageAsking && time.Since(t.Clock.Began) > over {
			all = append(all, SlowTurn{Turn: id, Address: t.Info.Address, Since: t.Clock.Began, Stage: *stage})
		}
	}
	slices.SortFunc(all, func(x, y SlowTurn) int { return x.Since.Compare(y.Since) })
	return all
}
