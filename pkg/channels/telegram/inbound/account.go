package inbound

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"parley/pkg/backoff"
	"parley/pkg/channels/telegram/api"
	"parley/pkg/channels/telegram/update"
	"parley/pkg/channels/wire"
)

// identity is the bot's name, for updates that must wait for it.
type identity struct {
	id    int64
	known chan struct{}
	once  sync.Once
	name  string
}

func newIdentity(account string) *identity {
	id, err := strconv.ParseInt(account, 10, 64)
	if err != nil {
		id = 0 // package api has read it
	}
	return &identity{id: id, known: make(chan struct{})}
}

func (i *identity) learn(name string) {
	i.once.Do(func() {
		i.name = name
		close(i.known)
	})
}

// read is the present knowledge.
func (i *identity) read() update.Bot {
	select {
	case <-i.known:
		return update.Bot{ID: i.id, Name: i.name}
	default:
		return update.Bot{ID: i.id}
	}
}

// wait returns when the name is known or ctx ends.
func (i *identity) wait(ctx context.Context) error {
	select {
	case <-i.known:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// introduce asks for the bot's name until it has one, then sees to the menu. Polling
// goes on beside it.
func (r *Receiver) introduce(ctx context.Context) {
	pauses := wire.NewPauses(time.Second, maxPause)
	for {
		var me struct {
			ID       int64  `json:"id"`
			Username string `json:"username"`
		}
		err := r.opt.API.Call(ctx, "getMe", nil, &me)
		if err == nil && me.Username == "" {
			err = errors.New("getMe: no name")
		}
		if err == nil {
			if me.ID != r.me.id {
				r.log.Warn().Int64("id", me.ID).Msg("the server knows this token by another id")
			}
			r.me.learn(me.Username)
			r.log.Info().Msgf("connected as @%.100s", me.Username)
			break
		}
		wait, level := after(pauses, err), zerolog.WarnLevel
		if ae, ok := errors.AsType[*api.Error](err); ok && ae.RefusesToken() {
			level = zerolog.DebugLevel // taking in is refused too, and says so
		}
		r.log.WithLevel(level).Err(err).Dur("pause", wait).Msg("the bot's name is not known yet")
		if !backoff.Sleep(ctx, wait) {
			return
		}
	}
	r.registerMenu(ctx)
}
