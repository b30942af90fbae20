package main

import (
	"context"
	"fmt"

	"parley/pkg/channels"
	"parley/pkg/channels/console"
	"parley/pkg/session"
)

// troubles carry word of a store that cannot be written to the person at the
// console: no message could leave by the store.
type troubles chan error

func newTroubles() troubles { return make(troubles, 1) }

// add takes word from the store; news that was not told yet gives way.
func (t troubles) add(err error) {
	for {
		select {
		case t <- err:
			return
		default:
		}
		select {
		case <-t: //nolint:errcheck // it is older than err
		default:
		}
	}
}

// tell hands on the news until ctx ends: nil says that it is over.
func (t troubles) tell(ctx context.Context, tell func(error)) {
	for {
		select {
		case err := <-t:
			if err != nil {
				err = fmt.Errorf("%w: %w", session.ErrStore, err)
			}
			tell(err)
		case <-ctx.Done():
			return
		}
	}
}

// onScreen tells the person at a terminal, where the gateway goes on by itself. A
// closed screen shows itself at the next answer.
func onScreen(ctx context.Context, screen *console.Channel) func(error) {
	return func(err error) {
		text := textStoreWorks
		if err != nil {
			text = fmt.Sprintf(textStoreFull, err)
		}
		_ = screen.Status(ctx, channels.Address{}, text)
	}
}

// endOnTrouble ends a piped chat: no person is there to make room.
func endOnTrouble(stop context.CancelCauseFunc) func(error) {
	return func(err error) {
		if err != nil {
			stop(fmt.Errorf(textStoreFullPiped, err))
		}
	}
}
