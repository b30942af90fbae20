package callclock

import (
	"context"
	"errors"
	"sync"
	"time"
)

type clockKey struct{}

// Clock is the context of a call. Its time stands still during a wait for a place
// that other calls hold: [Pause].
type Clock struct {
	context.Context //nolint:containedctx // it is a context itself
	end             context.CancelCauseFunc
	outer           *Clock // of the call that makes this one

	mu    sync.Mutex
	until time.Time
	left  time.Duration // set while the clock stands still
	waits int           // counts the waits that stop the clock
	timer *time.Timer
}

// New makes the context of a call that has this much time.
func New(ctx context.Context, limit time.Duration) *Clock {
	c := &Clock{until: time.Now().Add(limit)}
	c.outer, _ = ctx.Value(clockKey{}).(*Clock)
	c.Context, c.end = context.WithCancelCause(ctx)
	c.timer = time.AfterFunc(limit, func() { c.end(context.DeadlineExceeded) })
	return c
}

// Stop ends the context.
func (c *Clock) Stop() {
	c.timer.Stop()
	c.end(nil)
}

// Value implements [context.Context].
func (c *Clock) Value(key any) any {
	if key == (clockKey{}) {
		return c
	}
	return c.Context.Value(key)
}

// Deadline implements [context.Context]. It moves when the call has waited.
func (c *Clock) Deadline() (time.Time, bool) {
	of, ok := c.Context.Deadline()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waits == 0 && (!ok || c.until.Before(of)) {
		return c.until, true
	}
	return of, ok
}

// Err implements [context.Context].
func (c *Clock) Err() error {
	err := c.Context.Err()
	if err != nil && c.Over() {
		return context.DeadlineExceeded
	}
	return err
}

// Over says whether the call's own time has ended.
func (c *Clock) Over() bool { return errors.Is(context.Cause(c.Context), context.DeadlineExceeded) }

func (c *Clock) pause() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waits++
	if c.waits == 1 {
		c.timer.Stop()
		c.left = time.Until(c.until)
	}
}

func (c *Clock) resume() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waits--
	if c.waits == 0 {
		c.until = time.Now().Add(c.left)
		c.timer.Reset(max(c.left, 0))
	}
}

// Pause stops the time of the call of ctx, and of the calls around it, until resume is
// called once. Outside a call it has no effect.
func Pause(ctx context.Context) (resume func()) {
	c, _ := ctx.Value(clockKey{}).(*Clock)
	for o := c; o != nil; o = o.outer {
		o.pause()
	}
	return func() {
		for o := c; o != nil; o = o.outer {
			o.resume()
		}
	}
}
