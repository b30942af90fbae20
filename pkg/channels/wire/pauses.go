package wire

import (
	"time"

	"parley/pkg/backoff"
	"parley/pkg/channels"
)

// Pauses are the pauses of one loop of attempts at a platform. They are one goroutine's.
type Pauses struct {
	usual   *backoff.Exponential
	refused channels.Refusals
}

// NewPauses returns the pauses of a loop, which grow from first to last.
func NewPauses(first, last time.Duration) *Pauses { return &Pauses{usual: backoff.New(first, last)} }

// Refused is how long to wait after the platform refused the account.
func (p *Pauses) Refused() time.Duration { return backoff.Spread(p.refused.Take()) }

// Failed is how long to wait after another failure: retryAfter, if the platform named a pause, else
// a pause that grows.
func (p *Pauses) Failed(retryAfter time.Duration) time.Duration {
	p.refused.Reset()
	if retryAfter > 0 {
		return backoff.Spread(retryAfter)
	}
	return backoff.Spread(p.usual.Next())
}

// Lasting reports whether at least two refusals have followed each other.
func (p *Pauses) Lasting() bool { return p.refused.Lasting() }

// Reset begins anew: an attempt went well.
func (p *Pauses) Reset() {
	p.usual.Reset()
	p.refused.Reset()
}
