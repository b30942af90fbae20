package wire

import (
	"context"
	"math/rand/v2"
	"time"
)

// Backoff is a pause that grows to twice its length each time, from a first to a
// last one. It is one goroutine's.
type Backoff struct{ first, last, next time.Duration }

// NewBackoff returns a pause that begins with first and grows to at most last.
func NewBackoff(first, last time.Duration) *Backoff {
	return &Backoff{first: first, last: last, next: first}
}

// Reset begins anew.
func (b *Backoff) Reset() { b.next = b.first }

// Take is the pause to make now, without jitter.
func (b *Backoff) Take() time.Duration {
	d := b.next
	b.next = min(2*b.next, b.last)
	return d
}

// Sleep waits, and reports false when ctx ended before.
func Sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}

// Jitter spreads the next attempts of callers that failed together: it makes a pause
// longer by up to a quarter, by whole milliseconds.
func Jitter(d time.Duration) time.Duration {
	return d + rand.N(d/4+1).Truncate(time.Millisecond) //nolint:gosec // spreads load; no secret depends on it
}
