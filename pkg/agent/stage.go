package agent

import (
	"slices"
	"time"

	"parley/pkg/channels"
)

// The stages of a turn before it asks the model.
const (
	stagePlace = "waits for a place among the turns"
	stageBegin = "looks at what it is about"
	stageFetch = "fetches the files of its messages"
	stageFiles = "reads the instructions and the chat's files"
	stagePast  = "reads the conversation"
)

// at notes what the turn does; "" is that it asks the model, or is done with that.
func (r *run) at(stage string) { r.stage.Store(&stage) }

// SlowTurn is a turn that has not begun to ask the model.
type SlowTurn struct {
	Turn    string           `json:"turn"`
	Address channels.Address `json:"address"`
	// Since is when it began, Stage what it does, such as "reads the conversation".
	Since time.Time `json:"since"`
	Stage string    `json:"stage"`
}

// SlowTurns are the turns that have not begun to ask the model for longer than
// over, the oldest first. A /stop of their chat ends them.
func (a *Agent) SlowTurns(over time.Duration) []SlowTurn {
	a.mu.Lock()
	defer a.mu.Unlock()
	var all []SlowTurn
	for id, r := range a.runs {
		if stage := r.stage.Load(); stage != nil && *stage != "" && time.Since(r.began) > over {
			all = append(all, SlowTurn{Turn: id, Address: r.info.Address, Since: r.began, Stage: *stage})
		}
	}
	slices.SortFunc(all, func(x, y SlowTurn) int { return x.Since.Compare(y.Since) })
	return all
}
