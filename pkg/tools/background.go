package tools

import (
	"context"
	"sync"
	"time"
)

// background is a context that keeps the values of another one and has a
// deadline of its own. Most background work is short, so the timer starts only
// when somebody waits for the end.
type background struct {
	values   context.Context //nolint:containedctx // it is a context itself
	deadline time.Time

	mu    sync.Mutex
	err   error
	done  chan struct{}
	timer *time.Timer
}

func (b *background) Deadline() (time.Time, bool) { return b.deadline, true }

func (b *background) Value(key any) any { return b.values.Value(key) }

func (b *background) Done() <-chan struct{} {
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

func (b *background) Err() error {
	b.mu.Lock()
	ended, waited := b.err, b.done != nil
	b.mu.Unlock()
	if ended == nil && !waited && !time.Now().Before(b.deadline) {
		b.end(context.DeadlineExceeded)
		return b.Err()
	}
	return ended
}

func (b *background) cancel() { b.end(context.Canceled) }

func (b *background) end(err error) {
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
