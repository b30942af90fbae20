package inbound

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"time"

	tgbotapi "github.com/go-telegram-bot-api/telegram-bot-api/v5"

	"parley/pkg/backoff"
	"parley/pkg/channels/telegram/api"
	"parley/pkg/channels/wire"
)

// registerMenu makes the server's menu ours. It asks first, because setting it
// has a rate limit of its own that locks out for long.
func (r *Receiver) registerMenu(ctx context.Context) {
	if r.opt.MenuCommands == nil {
		return
	}
	const attempts = 5
	pauses := wire.NewPauses(time.Second, maxPause)
	for range attempts {
		err := r.syncMenu(ctx)
		if err == nil || ctx.Err() != nil {
			return
		}
		r.log.Warn().Err(err).Msg("the menu of commands cannot be registered")
		if ae, ok := errors.AsType[*api.Error](err); ok && ae.Code == http.StatusTooManyRequests {
			return // the next start sees to it
		}
		if !backoff.Sleep(ctx, after(pauses, err)) {
			return
		}
	}
}

func (r *Receiver) syncMenu(ctx context.Context) error {
	var have []Command
	if err := r.opt.API.Call(ctx, "getMyCommands", nil, &have); err != nil {
		return err
	}
	if slices.Equal(have, r.opt.MenuCommands) {
		return nil
	}
	list, err := json.Marshal(r.opt.MenuCommands)
	if err != nil {
		return err
	}
	return r.opt.API.Call(ctx, "setMyCommands", tgbotapi.Params{"commands": string(list)}, nil)
}
