package turn

import (
	"context"

	"parley/pkg/agent/places"
)

// Wait waits for one of the places, and returns the function that gives it back. Turns
// that no person started have places of their own, by their kind, so that a thousand of
// them at a start keep no person waiting. Such a turn takes one of the places for people
// once awaited is closed: somebody wrote in its chat, and that message is answered after it.
func (t *Turn) Wait(ctx context.Context, own *places.Places, awaited <-chan struct{}) (leave func(), err error) {
	w := own.Join(t.Info.Items[0].Time, t.Info.Newest)
	if leave, ok := w.Now(); ok {
		return leave, nil
	}
	ctx, served := t.Interrupts().waitForPlace(ctx)
	leave, err = w.Wait(ctx, t.Deps.Places, awaited)
	if served(); t.early != nil && err != nil {
		return func() {}, nil //nolint:nilerr // the /stop that ended the wait is in t.early; no model is asked
	}
	return leave, err
}
