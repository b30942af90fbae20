package tools

import (
	"context"
	"errors"
	"sync"
	"time"
)

type clockKey struct{}

// clock is the context of a call. Its time stands still while the call waits for
// a place that others hold: [Waiting].
type clock struct {
	context.Context //nolint:containedctx // it is a context itself
	end             context.CancelCauseFunc
	outer           *clock // of the call that makes this one

	mu    sync.Mutex
	until time.Time
	left  time.Duration // while it stands
	waits int           // how many waits hold it
	timer *time.Timer
}

func newClock(ctx context.Context, limit time.Duration) *clock {
	c := &clock{until: time.Now().Add(limit)}
	c.outer, _ = ctx.Value(clockKey{}).(*clock)
	c.Context, c.end = context.WithCancelCause(ctx)
	c.timer = time.AfterFunc(limit, func() { c.end(context.DeadlineExceeded) })
	return c
}

// stop ends the context.
func (c *clock) stop() {
	c.timer.Stop()
	c.end(nil)
}

// Value implements [context.Context].
func (c *clock) Value(key any) any {
	if key == (clockKey{}) {
		return c
	}
	return c.Context.Value(key)
}

// Deadline implements [context.Context]. It moves when the call has waited.
func (c *clock) Deadline() (time.Time, bool) {
	of, ok := c.Context.Deadline()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waits == 0 && (!ok || c.until.Before(of)) {
		return c.until, true
	}
	return of, ok
}

// Err implements [context.Context].
func (c *clock) Err() error {
	err := c.Context.Err()
	if err != nil && c.over() {
		return context.DeadlineExceeded
	}
	return err
}

// over says whether the call's own time has ended.
func (c *clock) over() bool { return errors.Is(context.Cause(c.Context), context.DeadlineExceeded) }

func (c *clock) hold() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waits++
	if c.waits == 1 {
		c.timer.Stop()
		c.left = time.Until(c.until)
	}
}

func (c *clock) goOn() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waits--
	if c.waits == 0 {
		c.until = time.Now().Add(c.left)
		c.timer.Reset(max(c.left, 0))
	}
}

// Waiting says that the call of ctx waits for a place that all chats share: until
// over is called, once, the call's time and that of the calls around it stand still.
// The caller bounds the wait. Outside a call it does nothing.
func Waiting(ctx context.Context) (over func()) {
	c, _ := ctx.Value(clockKey{}).(*clock)
	for o := c; o != nil; o = o.outer {
		o.hold()
	}
	return func() {
		for o := c; o != nil; o = o.outer {
			o.goOn()
		}
	}
}
