package main

import (
	"context"
	"fmt"

	"parley/pkg/session"
)

// endOnTrouble ends a piped chat when the store cannot be written: no person is there to make
// room.
func endOnTrouble(stop context.CancelCauseFunc) func(error) {
	return func(err error) {
		if err != nil {
			stop(fmt.Errorf(textStoreFullPiped, fmt.Errorf("%w: %w", session.ErrStore, err)))
		}
	}
}
