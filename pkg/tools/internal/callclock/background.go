package callclock

import (
	"context"
	"sync"
	"time"
)

// Background is a context that keeps the values of another one and has a deadline of
// its own. Most background work is short, so the timer starts with the first call of
// Done. Use [Background.Start] first.
type Background struct {
	values   context.Context //nolint:containedctx // it is a context itself
	deadline time.Time

	mu    sync.Mutex
	err   error
	done  chan struct{}
	timer *time.Timer
}

// Start sets the values and the deadline.
func (b *Background) Start(values context.Context, deadline time.Time) {
	b.values, b.deadline = values, deadline
}

// Deadline implements [context.Context].
func (b *Background) Deadline() (time.Time, bool) { return b.deadline, true }

// Value implements [context.Context].
func (b *Background) Value(key any) any { return b.values.Value(key) }

// Done implements [context.Context].
func (b *Background) Done() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.done == nil {
		b.done = make(chan struct{})
		if b.err != nil {
			close(b.done)
		} else {
			b.timer = time.AfterFunc(time.Until(b.deadline), func() { b.end(context.DeadlineExceeded) })
		}
	}
	return b.done
}

// Err implements [context.Context].
func (b *Background) Err() error {
	b.mu.Lock()
	ended, waited := b.err, b.done != nil
	b.mu.Unlock()
	if ended == nil && !waited && !time.Now().Before(b.deadline) {
		b.end(context.DeadlineExceeded)
		return b.Err()
	}
	return ended
}

// Cancel ends the context.
func (b *Background) Cancel() { b.end(context.Canceled) }

func (b *Background) end(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err != nil {
		return
	}
	b.err = err
	if b.done != nil {
		close(b.done)
		b.timer.Stop()
	}
}
