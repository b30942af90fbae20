package channels

import (
	"fmt"
	"sync"
	"time"
)

// HealthState is the word for how sending goes.
type HealthState string

// The states of a [Health].
const (
	// HealthOK: all work goes well at the first attempt.
	HealthOK HealthState = "ok"
	// HealthDegraded: some chats wait for a second attempt.
	HealthDegraded HealthState = "degraded"
	// HealthAuth: the account may not send; everything waits for the operator.
	HealthAuth HealthState = "auth"
)

// Health is how sending goes, for an operator.
type Health struct {
	State HealthState `json:"state"`
	// Reason is the last failure, without message text; empty when State is [HealthOK].
	Reason string `json:"reason,omitempty"`
	// Since is when the state began.
	Since time.Time `json:"since,omitzero"`
}

// health counts the messages that wait for another attempt.
type health struct {
	mu      sync.Mutex
	waiting map[*delivering]struct{}
	reason  string
	state   HealthState
	since   time.Time
}

func newHealth() *health {
	return &health{waiting: map[*delivering]struct{}{}, state: HealthOK, since: time.Now()}
}

func (h *health) failing(d *delivering, reason string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.waiting[d] = struct{}{}
	h.reason = reason
	h.moved(HealthDegraded)
}

func (h *health) recovered(d *delivering) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.waiting, d)
	if len(h.waiting) == 0 {
		h.moved(HealthOK)
	}
}

func (h *health) moved(s HealthState) {
	if h.state != s {
		h.state, h.since = s, time.Now()
	}
}

func (h *health) read(denied string) Health {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case denied != "":
		return Health{State: HealthAuth, Reason: denied, Since: h.since}
	case h.state == HealthOK:
		return Health{State: HealthOK, Since: h.since}
	default:
		return Health{State: h.state, Reason: fmt.Sprintf("%d messages wait for another attempt: %s", len(h.waiting), h.reason), Since: h.since}
	}
}
