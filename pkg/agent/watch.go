package agent

import (
	"context"

	"parley/pkg/session"
)

// interrupts looks at what arrives behind a turn.
type interrupts struct{ r *run }

// watch looks at what arrives while the turn runs, and ends the turn for /stop,
// or for any newer message of somebody with the right when interrupting is
// configured: that ends what a person waits for, not a job. The returned function ends the watch and waits for it.
func (c interrupts) watch(ctx context.Context, cancel context.CancelCauseFunc) func() {
	r := c.r
	done, ended := make(chan struct{}), make(chan struct{})
	if r.early != nil {
		cancel(r.early)
	}
	go func() {
		defer close(ended)
		for {
			select {
			case <-done:
				return
			case <-ctx.Done():
				return
			case <-r.info.Arrivals:
				if cause := c.cause(ctx); cause != nil {
					cancel(cause)
					return
				}
			}
		}
	}()
	return func() { close(done); <-ended }
}

// cause says why the turn should end for what waits behind it; nil lets it run.
func (c interrupts) cause(ctx context.Context) error {
	r := c.r
	items, err := r.t.Waiting(ctx)
	if err != nil {
		return nil //nolint:nilerr // a failed look changes nothing; the next arrival looks again
	}
	for i := range items {
		c.handsOn(ctx, &items[i])
		switch {
		case items[i].Inbound == nil:
		case isStop(items[i].Inbound.Text) && c.mayEnd(ctx, items[i]):
			return stopError{item: items[i].ID}
		case r.a.o.WhileBusy == Interrupt && !r.kind.steady && !items[i].Solo && c.mayEnd(ctx, items[i]):
			return errInterrupted
		}
	}
	return nil
}

// mayEnd says whether the sender of an item has at least the turn's rights.
func (c interrupts) mayEnd(ctx context.Context, it session.Item) bool {
	r := c.r
	who, refused := r.a.rights.Of(ctx, it)
	return refused == "" && who.AtLeast(&r.principal)
}
