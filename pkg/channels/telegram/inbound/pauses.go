package inbound

import (
	"context"
	"errors"
	"fmt"
	"time"

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

// after is how long to wait after err.
func after(p *wire.Pauses, err error) time.Duration {
	ae, ok := errors.AsType[*api.Error](err)
	switch {
	case !ok:
		return p.Failed(0)
	case ae.RetryAfter <= 0 && ae.RefusesToken():
		return p.Refused()
	default:
		return p.Failed(ae.RetryAfter)
	}
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
