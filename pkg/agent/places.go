package agent

import (
	"context"

	"parley/pkg/channels"
)

// enter waits for one of the places, and returns the function that gives it back. Turns
// that no person started have places of their own, by their kind, so that a thousand of
// them at a start keep no person waiting. Such a turn takes one of the places for people
// once awaited is closed: somebody wrote in its chat, and that message is answered after it.
func (r *run) enter(ctx context.Context, own *places, awaited <-chan struct{}) (leave func(), err error) {
	since := r.info.Items[0].Time
	w := own.join(since, r.info.Newest)
	select {
	case <-w.given:
		return func() { own.leave(w) }, nil
	default:
	}
	ctx, served := r.heedStop(ctx)
	leave, err = r.a.inLine(ctx, own, w, awaited)
	if served(); r.early != nil && err != nil {
		return func() {}, nil //nolint:nilerr // the /stop that ended the wait is in r.early; no model is asked
	}
	return leave, err
}

// heedStop ends the wait for a place for a /stop of the chat, which the turn then
// finds in r.early. The returned function ends that.
func (r *run) heedStop(ctx context.Context) (wait context.Context, served func()) {
	r.authorize(ctx) // whose /stop counts
	wait, cancel := context.WithCancelCause(ctx)
	unwatch := interrupts{r}.watch(wait, cancel)
	return wait, func() {
		unwatch()
		if cause := context.Cause(wait); ended(cause) {
			r.early = cause
		}
		cancel(nil)
	}
}

// inLine waits for a place that w stands for, or for one of those for people from when
// a person waits.
func (a *Agent) inLine(ctx context.Context, own *places, w *waiter, awaited <-chan struct{}) (leave func(), err error) {
	select {
	case <-w.given:
		return func() { own.leave(w) }, nil
	case <-ctx.Done():
		own.abandon(w)
		return nil, ctx.Err()
	case <-awaited:
	}
	other := a.slots.join(w.since, w.young)
	select {
	case <-w.given:
		a.slots.abandon(other)
		return func() { own.leave(w) }, nil
	case <-other.given:
		own.abandon(w)
		return func() { a.slots.leave(other) }, nil
	case <-ctx.Done():
		own.abandon(w)
		a.slots.abandon(other)
		return nil, ctx.Err()
	}
}

// unasked says whose words the turn's messages are where no person waits for them.
func (r *run) unasked() channels.Unasked {
	select {
	case <-r.info.Awaited:
		return ""
	default:
		return r.kind.unasked
	}
}
