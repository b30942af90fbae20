package fakehttp

import (
	"context"
	"fmt"
	"sync"
)

// Changes wakes those that wait for an event. The zero value is ready.
type Changes struct {
	mu   sync.Mutex
	next chan struct{}
}

// Wake says that something has happened.
func (c *Changes) Wake() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.next != nil {
		close(c.next)
		c.next = nil
	}
}

// Next is closed by the next Wake. Take it before looking at the state that may change.
func (c *Changes) Next() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.next == nil {
		c.next = make(chan struct{})
	}
	return c.next
}

// Until waits until cond holds. It is looked at again whenever something has
// happened. The error is that of ctx.
func (c *Changes) Until(ctx context.Context, cond func() bool) error {
	for {
		changed := c.Next()
		if cond() {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("still waiting: %w", context.Cause(ctx))
		}
	}
}
