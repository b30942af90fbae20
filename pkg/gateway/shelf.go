package gateway

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"time"

	"parley/pkg/channels"
	"parley/pkg/channels/console"
	"parley/pkg/channels/web"
	"parley/pkg/config"
	"parley/pkg/gateway/screens"
	"parley/pkg/session"
	"parley/pkg/shelf"
)

// newShelf is the shelf with the files of the chats of screens.
func newShelf(cfg *config.Config, store session.Engine) *shelf.Shelf {
	const megabyte = 1e6
	missing := func(err error) (bool, error) {
		if errors.Is(err, session.ErrNotFound) {
			return false, nil
		}
		return err == nil, err
	}
	return shelf.New(shelf.Options{
		Dir:       filepath.Join(cfg.StateDir, "web"),
		ChatBytes: int64(cfg.Channels.Inbox.MaxMB) * megabyte, PersonBytes: int64(cfg.HTTP.FilesMB) * megabyte,
		Waits: func(ctx context.Context, item string) (bool, error) {
			_, err := store.Inbox().Waits(ctx, item)
			return missing(err)
		},
		Lives: func(ctx context.Context, chat string) (bool, error) {
			at := channels.Address{Channel: web.Name, Chat: chat}
			if screens.Person(chat) == "" { // no name of a person: a console's
				at.Channel = console.Name
			}
			_, err := store.Sessions().Lookup(ctx, at)
			return missing(err)
		},
	})
}

// serveHTTP answers HTTP until sending ends, and looks after the files of chats until work does.
func serveHTTP(sending, work context.Context, a *App, parts *sync.WaitGroup, stop context.CancelCauseFunc) {
	if a.front.server != nil {
		parts.Go(func() { failWith(stop, a.front.serve(sending, a.o.Log)) })
	}
	parts.Go(func() { sweepShelf(work, a) })
}

// sweepEvery is the pause between two looks at old files.
const sweepEvery = time.Hour

// sweepShelf removes old uploads, and the files of forgotten chats, until ctx ends. A store
// that is held cannot tell which chats those are.
func sweepShelf(ctx context.Context, a *App) {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for ctx.Err() == nil {
		if st, err := a.store.Status(ctx); err == nil && st.Held == "" {
			if err := a.kept.shelf.Sweep(ctx); err != nil && ctx.Err() == nil {
				a.o.Log.Warn().Err(err).Msg("the files of chats on screens cannot be looked through")
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
}
