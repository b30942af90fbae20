package telegram

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"time"

	tgbotapi "github.com/go-telegram-bot-api/telegram-bot-api/v5"

	"parley/pkg/channels/wire"
)

// registerMenu makes the server's menu ours. It asks first, because setting it
// has a rate limit of its own that locks out for long.
func (c *Channel) registerMenu(ctx context.Context) {
	if c.opt.MenuCommands == nil {
		return
	}
	const attempts = 5
	pause := newPauses(time.Second)
	for range attempts {
		err := c.syncMenu(ctx)
		if err == nil || ctx.Err() != nil {
			return
		}
		c.log.Warn().Err(err).Msg("the menu of commands cannot be registered")
		if ae, ok := errors.AsType[*apiError](err); ok && ae.Code == http.StatusTooManyRequests {
			return // the next start sees to it
		}
		if !wire.Sleep(ctx, pause.after(err)) {
			return
		}
	}
}

func (c *Channel) syncMenu(ctx context.Context) error {
	var have []Command
	if err := c.client.call(ctx, "getMyCommands", nil, &have); err != nil {
		return err
	}
	if slices.Equal(have, c.opt.MenuCommands) {
		return nil
	}
	list, err := json.Marshal(c.opt.MenuCommands)
	if err != nil {
		return err
	}
	return c.client.call(ctx, "setMyCommands", tgbotapi.Params{"commands": string(list)}, nil)
}
