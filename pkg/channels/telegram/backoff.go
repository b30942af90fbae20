package telegram

import (
	"context"
	"errors"
	"fmt"
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
)

// pauses are the pauses of one loop of attempts.
type pauses struct {
	usual   *wire.Backoff
	refused channels.Refusals
}

func newPauses(first time.Duration) *pauses { return &pauses{usual: wire.NewBackoff(first, maxPause)} }

// after is how long to wait after err; what has no rule of its own grows.
func (p *pauses) after(err error) time.Duration {
	if ae, ok := errors.AsType[*apiError](err); ok {
		switch {
		case ae.RetryAfter > 0:
			return wire.Jitter(ae.RetryAfter)
		case refusedToken(ae):
			return wire.Jitter(p.refused.Take())
		}
	}
	p.refused.Reset()
	return wire.Jitter(p.usual.Take())
}

// reset begins anew: an attempt went well.
func (p *pauses) reset() {
	p.usual.Reset()
	p.refused.Reset()
}

// errToken says what an operator can do about a token that is refused for good.
var errToken = errors.New("the token is refused by Telegram: ask @BotFather for the bot's present token, put it where the configuration takes this one from, and start the gateway again")

// refusedToken says that the bot may not do anything at all: its token was revoked,
// or the server or a proxy has a fault; see [Channel.confirm].
func refusedToken(e *apiError) bool {
	return e.Code == http.StatusUnauthorized || e.Code == http.StatusNotFound
}

// confirm asks getMe whether a refusal is about the token. Where getMe is refused
// too, the error is [errToken] as well.
func (c *Channel) confirm(ctx context.Context, err error) error {
	ae, ok := errors.AsType[*apiError](err)
	if !ok || !refusedToken(ae) {
		return err
	}
	again, ok := errors.AsType[*apiError](c.client.call(ctx, "getMe", nil, nil))
	if !ok || !refusedToken(again) {
		return err
	}
	return fmt.Errorf("%w (%w)", errToken, err)
}

// ail tells the health what err means for taking in, and says that it is news: a
// token that is refused is told once.
func (c *Channel) ail(err error) (news bool) {
	state, before := channels.HealthDegraded, c.health.Read().State
	if errors.Is(err, errToken) {
		state = channels.HealthAuth
	}
	c.health.Set(state, err.Error())
	return state != channels.HealthAuth || before != state
}

// recovered says that taking in works.
func (c *Channel) recovered() {
	if c.health.Read().State != channels.HealthOK {
		c.health.Set(channels.HealthOK, "")
		c.log.Info().Msg("taking in works again")
	}
}
