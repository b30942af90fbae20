package main

import (
	"context"
	"errors"

	"github.com/rs/zerolog"

	"parley/pkg/config"
	"parley/pkg/session/bolt"
)

// openStore opens the engine in the state folder.
func openStore(ctx context.Context, cfg *config.Config, log zerolog.Logger) (*bolt.Engine, error) {
	e, err := bolt.Open(ctx, bolt.Options{Dir: cfg.StateDir, Log: log})
	switch {
	case err == nil:
		return e, nil
	case errors.Is(err, bolt.ErrLocked):
		return nil, coded(exitInUse, err)
	default:
		return nil, coded(exitFailed, err)
	}
}
