package turn

import (
	"context"
)

// Wait waits for one of the places, and returns the function that gives it back. Turns
// that no person started have places of their own, by their kind, so that a thousand of
// them at a start keep no person waiting. Such a turn takes one of the places for people
// once awaited is closed: somebody wrote in its chat, and that message is answered after it.
func (t *Turn) Wait(ctx context.Context, own *Places, awaited <-chan struct{}) (leave func(), err error) {
	since := t.Info.Items[0].Time
	w := own.join(since, t.Info.Newest)
	select {
	case <-w.given:
		return func() { own.leave(w) }, nil
	default:
	}
	ctx, served := t.Interrupts().waitForPlace(ctx)
	leave, err = inLine(ctx, own, t.Deps.Places, w, awaited)
	if served(); t.early != nil && err != nil {
		return func() {}, nil //nolint:nilerr // the /stop that ended the wait is in t.early; no model is asked
	}
	return leave, err
}

// inLine waits for a place that w stands for, or for one of those for people from when
// a person waits.
func inLine(ctx context.Context, own, people *Places, w *waiter, awaited <-chan struct{}) (leave func(), err error) {
	select {
	case <-w.given:
		return func() { own.leave(w) }, nil
	case <-ctx.Done():
		own.abandon(w)
		return nil, ctx.Err()
	case <-awaited:
	}
	other := people.join(w.since, w.young)
	select {
	case <-w.given:
		people.abandon(other)
		return func() { own.leave(w) }, nil
	case <-other.given:
		own.abandon(w)
		return func() { people.leave(other) }, nil
	case <-ctx.Done():
		own.abandon(w)
		people.abandon(other)
		return nil, ctx.Err()
	}
}
