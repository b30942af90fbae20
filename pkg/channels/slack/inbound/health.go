package inbound

import (
	"sync"

	"github.com/rs/zerolog"

	"parley/pkg/channels"
	"parley/pkg/channels/wire"
)

// step is one step of the way in. Each may fail by itself; the health tells the first
// that fails.
type step int

const (
	owning  step = iota // the owner of the bot token is known
	linking             // events can arrive
	storing             // events are stored
	steps
)

// failure is how a step fails; the zero value means that it works.
type failure struct {
	state  channels.HealthState
	reason string
}

// status puts together which steps fail at present.
type status struct {
	mu     sync.Mutex
	all    [steps]failure
	health *wire.Health
	log    zerolog.Logger
}

// fails says that a step fails, and why.
func (s *status) fails(at step, state channels.HealthState, reason string) {
	s.set(at, failure{state: state, reason: reason})
}

// works says that a step works, and logs it where it did not before.
func (s *status) works(at step) {
	if s.set(at, failure{}) {
		s.log.Info().Msg("taking in works again")
	}
}

func (s *status) set(at step, to failure) (changed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all[at] == to {
		return false
	}
	s.all[at] = to
	for _, one := range s.all {
		if one.state != "" {
			s.health.Set(one.state, one.reason)
			return true
		}
	}
	s.health.Set(channels.HealthOK, "")
	return true
}
