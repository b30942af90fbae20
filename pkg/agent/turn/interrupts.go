package turn

import (
	"context"
	"errors"
	"slices"

	"parley/pkg/channels"
	"parley/pkg/providers"
	"parley/pkg/session"
)

// errInterrupted ends a running turn in favour of a newer message.
var errInterrupted = errors.New("interrupted by a newer message")

// ErrTaskOver is the cause that ends the context of a task that has ended, whether by itself or
// because somebody cancelled it.
var ErrTaskOver = errors.New("the task is over")

// stopError is the /stop that ended a turn.
type stopError struct {
	item string // the id of its inbox item
}

func (stopError) Error() string { return "stopped by /stop" }

// IsEnded reports whether a cause is something that arrived and ended the turn, or the end
// of the task that it works for.
func IsEnded(err error) bool {
	_, stopped := errors.AsType[stopError](err)
	return stopped || errors.Is(err, errInterrupted) || errors.Is(err, ErrTaskOver)
}

// Interrupts looks at messages that arrive behind a turn.
type Interrupts struct{ t *Turn }

// Interrupts are those of the turn.
func (t *Turn) Interrupts() Interrupts { return Interrupts{t} }

// Watch looks at messages that arrive while the turn runs, and ends the turn for a /stop that is
// meant for it, or for any newer message of somebody with the right when interrupting is
// configured: that ends a turn that a person waits for, not a job. The returned function ends the
// watch and waits for it.
func (c Interrupts) Watch(ctx context.Context, cancel context.CancelCauseFunc) func() {
	t := c.t
	done, ended := make(chan struct{}), make(chan struct{})
	if t.early != nil {
		cancel(t.early)
	}
	go func() {
		defer close(ended)
		for {
			select {
			case <-done:
				return
			case <-ctx.Done():
				return
			case <-t.Info.Arrivals:
				if cause := c.cause(ctx); cause != nil {
					cancel(cause)
					return
				}
			}
		}
	}()
	return func() { close(done); <-ended }
}

// cause is the reason to end the turn for a message that waits behind it; nil lets it
// run.
func (c Interrupts) cause(ctx context.Context) error {
	t := c.t
	items, err := t.Stored.Waiting(ctx)
	if err != nil {
		return nil //nolint:nilerr // a failed look has no effect; the next arrival looks again
	}
	for i := range items {
		t.Deps.Approvals.Arrived(ctx, t, &items[i])
		switch {
		case items[i].Inbound == nil:
		case t.Deps.Command(items[i].Inbound.Text) == stopCommand && c.means(items[i].Inbound) && c.mayEnd(ctx, items[i]):
			return stopError{item: items[i].ID}
		case t.Deps.WhileBusy == Interrupt && !t.kind.Steady && !items[i].Solo && c.mayEnd(ctx, items[i]):
			return errInterrupted
		}
	}
	return nil
}

// means says whether a /stop is meant for this turn: one that names a message is meant for the turn
// that answers that.
func (c Interrupts) means(stop *channels.Inbound) bool {
	named := session.InboundItemID(stop.Address, stop.Original)
	every := stop.Original == "" || stop.Kind == channels.KindEdit
	return every || slices.ContainsFunc(c.t.Info.Items, func(it session.Item) bool { return it.ID == named })
}

// mayEnd says whether the sender of an item has at least the turn's rights.
func (c Interrupts) mayEnd(ctx context.Context, it session.Item) bool {
	who, refused := c.t.Deps.Rights.Of(ctx, it)
	return refused == "" && who.AtLeast(&c.t.Principal)
}

// waitForPlace ends the wait for a place for a /stop of the chat, which the turn then
// finds in early. The returned function ends that.
func (c Interrupts) waitForPlace(ctx context.Context) (wait context.Context, served func()) {
	authorize(ctx, c.t) // the principal of /stop
	wait, cancel := context.WithCancelCause(ctx)
	unwatch := c.Watch(wait, cancel)
	return wait, func() {
		unwatch()
		if cause := context.Cause(wait); IsEnded(cause) {
			c.t.early = cause
		}
		cancel(nil)
	}
}

// Reply is the reply of a turn that was ended for why. A /stop that ends several, one
// after the other, is told once.
func (c Interrupts) Reply(ctx context.Context, messages []providers.Message, why error) Reply {
	mark, told, id := "("+why.Error()+")", "", ""
	if stop, ok := errors.AsType[stopError](why); ok {
		mark = TextStopped
		if ended, _ := c.SaidStopped(ctx, stop.item); !ended {
			told, id = TextStopped, session.StopAnswerID(stop.item)
		}
	}
	return Reply{Commit: session.Commit{
		Outcome: session.OutcomeStopped, Reason: why.Error(), Messages: append(messages, Assistant(mark)),
	}, Text: told, ID: id}
}

// SaidStopped reports whether the /stop with this item's id ended a turn, and whether the
// chat was told of that: the platform may have refused the message.
func (c Interrupts) SaidStopped(ctx context.Context, stop string) (ended, told bool) {
	look, cancel := context.WithCancel(ctx)
	cancel() // a message that is still queued counts: do not wait until it is delivered
	_, err := c.t.Deps.Store.Receipt(look, session.StopAnswerID(stop))
	told = err == nil || errors.Is(err, context.Canceled) // still queued
	return told || errors.Is(err, session.ErrEnded), told
}
