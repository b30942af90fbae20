package slack

import (
	"sync"

	"parley/pkg/channels"
	"parley/pkg/channels/wire"
)

// ailing is what may fail on the way in, each by itself; the first that fails is
// what the health tells.
type ailing int

const (
	ailingToken ailing = iota
	ailingLink
	ailingStore
	ailings
)

// ailment is how one of them fails; the zero value is well.
type ailment struct {
	state  channels.HealthState
	reason string
}

// ailments puts together what fails at once.
type ailments struct {
	mu     sync.Mutex
	all    [ailings]ailment
	health *wire.Health
}

// ail says that something fails, and why.
func (a *ailments) ail(what ailing, state channels.HealthState, reason string) {
	a.set(what, ailment{state: state, reason: reason})
}

// recovered says that something works; changed that it did not before.
func (a *ailments) recovered(what ailing) (changed bool) { return a.set(what, ailment{}) }

func (a *ailments) set(what ailing, to ailment) (changed bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.all[what] == to {
		return false
	}
	a.all[what] = to
	for _, one := range a.all {
		if one.state != "" {
			a.health.Set(one.state, one.reason)
			return true
		}
	}
	a.health.Set(channels.HealthOK, "")
	return true
}
