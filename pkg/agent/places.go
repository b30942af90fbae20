package agent

import (
	"context"

	"parley/pkg/channels"
	"parley/pkg/session"
)

// places bound the turns that run at once. Each holds one; those that wait for one get
// it in order.
type places chan struct{}

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
	select {
	case own <- struct{}{}:
		return func() { <-own }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-awaited:
	}
	select {
	case own <- struct{}{}:
		return func() { <-own }, nil
	case a.slots <- struct{}{}:
		return func() { <-a.slots }, nil
	case <-ctx.Done():
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
