package main

import (
	"context"
	"fmt"

	"parley/pkg/config"
	"parley/pkg/gateway/admin"
	"parley/pkg/session"
	"parley/pkg/session/bolt"
)

// openStore opens the engine in the state folder. For a command that looks, nothing
// is made or changed there.
func openStore(ctx context.Context, cfg *config.Config, o *appOptions) (*bolt.Engine, error) {
	open := bolt.Open
	if o.look {
		open = bolt.Look
	}
	e, err := open(ctx, bolt.Options{Dir: cfg.StateDir, Log: o.log, Trouble: o.trouble})
	if err != nil {
		return nil, admin.StoreError(err)
	}
	return e, nil
}

// held says why the store hands nothing out, as an error.
func (a *App) held(ctx context.Context) error {
	st, err := a.engine.Status(ctx)
	if err != nil {
		return err
	}
	if st.Held != "" {
		return fmt.Errorf("%w (%s)", session.ErrHeld, st.Held)
	}
	return nil
}
