package inbound

import (
	"context"
	"errors"
	"fmt"
	"time"

	"parley/pkg/channels"
	"parley/pkg/channels/telegram/api"
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

// after is the wait after err; errors without a rule of their own wait longer each
// time.
func (p *pauses) after(err error) time.Duration {
	if ae, ok := errors.AsType[*api.Error](err); ok {
		switch {
		case ae.RetryAfter > 0:
			return wire.Jitter(ae.RetryAfter)
		case ae.RefusesToken():
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

// errToken names the cure for a token that is refused for good.
var errToken = errors.New("the token is refused by Telegram: ask @BotFather for the bot's present token, " +
	"put it where the configuration takes this one from, and start the gateway again")

// confirm asks getMe whether a refusal is about the token. Where getMe is refused
// too, the error is [errToken] as well.
func confirm(ctx context.Context, client *api.Client, err error) error {
	ae, ok := errors.AsType[*api.Error](err)
	if !ok || !ae.RefusesToken() {
		return err
	}
	again, ok := errors.AsType[*api.Error](client.Call(ctx, "getMe", nil, nil))
	if !ok || !again.RefusesToken() {
		return err
	}
	return fmt.Errorf("%w (%w)", errToken, err)
}
