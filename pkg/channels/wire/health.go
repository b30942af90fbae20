package wire

import (
	"sync"
	"time"

	"parley/pkg/channels"
)

// Health is how taking in goes, for an operator. It is safe for many goroutines.
type Health struct {
	mu    sync.Mutex
	state channels.Health
}

// NewHealth returns one that says [channels.HealthOK].
func NewHealth() *Health {
	return &Health{state: channels.Health{State: channels.HealthOK, Since: time.Now()}}
}

// Read is the present state.
func (h *Health) Read() channels.Health {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.state
}

// Set takes a state and its reason, "" for [channels.HealthOK].
func (h *Health) Set(state channels.HealthState, reason string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.state.State != state {
		h.state.Since = time.Now()
	}
	h.state.State, h.state.Reason = state, reason
}
