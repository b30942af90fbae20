package agent

import (
	"context"

	"parley/pkg/channels"
	"parley/pkg/session"
)

// enter waits until a turn may run, and returns what gives its place back. Turns that
// no person started have places of their own, by their kind, so that a thousand of them
// at a start keep no person waiting. Such a turn takes one of the places for people as soon as
// somebody writes in its chat, since that message is answered after it.
func (a *Agent) enter(ctx context.Context, r *run) (leave func(), err error) {
	own, awaited := a.slots, (<-chan struct{})(nil)
	switch first := &r.info.Items[0]; {
	case r.info.Address.Channel == session.AgentChannel:
		own = a.slotsOf(ctx, r.info.Address)
	case r.job() != nil:
		own, awaited = a.jobs.slots, r.info.Awaited
	case first.Kind == session.ItemTask:
		own, awaited = a.reports, r.info.Awaited
	}
	since := r.info.Items[0].Time
	w := own.join(since)
	select {
	case <-w.given:
		return func() { own.leave(w) }, nil
	case <-ctx.Done():
		own.abandon(w)
		return nil, ctx.Err()
	case <-awaited:
	}
	other := a.slots.join(since)
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
	}
	switch r.info.Items[0].Kind {
	case session.ItemSchedule:
		return channels.ByJob
	case session.ItemTask:
		return channels.ByTask
	default:
		return ""
	}
}
