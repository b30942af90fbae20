package telegram

import (
	"errors"
	"net/http"
	"time"

	"parley/pkg/channels"
	"parley/pkg/channels/wire"
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

// pauseFor is how long to wait after err; what has no rule of its own grows with b.
func (c *Channel) pauseFor(err error, b *wire.Backoff) time.Duration {
	if ae, ok := errors.AsType[*apiError](err); ok {
		switch {
		case ae.RetryAfter > 0:
			return wire.Jitter(ae.RetryAfter)
		case refusedToken(ae):
			return wire.Jitter(authPause)
		}
	}
	return wire.Jitter(b.Take())
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
	c.health.Set(state, err.Error())
}

// recovered says that taking in works.
func (c *Channel) recovered() {
	if c.health.Read().State != channels.HealthOK {
		c.health.Set(channels.HealthOK, "")
		c.log.Info().Msg("taking in works again")
	}
}
