package telegram

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"time"

	"parley/pkg/channels"
)

// The pauses between two attempts.
const (
	minPause = 100 * time.Millisecond
	maxPause = 30 * time.Second
	// Of two that poll for one bot, each ends the other's poll.
	minConflictPause = 5 * time.Second
	maxConflictPause = 60 * time.Second
	// A token that was refused is seldom accepted later.
	authPause = 5 * time.Minute
)

// backoff is a pause that grows.
type backoff struct{ first, last, next time.Duration }

func newBackoff(first, last time.Duration) *backoff {
	return &backoff{first: first, last: last, next: first}
}

func (b *backoff) reset() { b.next = b.first }

func (b *backoff) take() time.Duration {
	d := b.next
	b.next = min(2*b.next, b.last)
	return d
}

// pauseFor is how long to wait after err; what has no rule of its own grows with b.
func (c *Channel) pauseFor(err error, b *backoff) time.Duration {
	if ae, ok := errors.AsType[*apiError](err); ok {
		switch {
		case ae.RetryAfter > 0:
			return jitter(ae.RetryAfter)
		case refusedToken(ae):
			return jitter(authPause)
		}
	}
	return jitter(b.take())
}

// refusedToken says that the bot may not do anything at all: its token was revoked.
func refusedToken(e *apiError) bool {
	return e.Code == http.StatusUnauthorized || e.Code == http.StatusNotFound
}

// ail tells the health what err means for taking in.
func (c *Channel) ail(err error) {
	state := channels.HealthDegraded
	if ae, ok := errors.AsType[*apiError](err); ok && refusedToken(ae) {
		state = channels.HealthAuth
	}
	c.health.set(state, err.Error())
}

// recovered says that taking in works.
func (c *Channel) recovered() {
	if c.health.read().State != channels.HealthOK {
		c.health.set(channels.HealthOK, "")
		c.log.Info().Msg("taking in works again")
	}
}

// sleep waits, and reports false when ctx ended before.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}

// jitter keeps those that failed together from coming back together; it never
// makes a pause shorter.
func jitter(d time.Duration) time.Duration {
	return d + rand.N(d/4+1) //nolint:gosec // spreads load; nothing secret depends on it
}
