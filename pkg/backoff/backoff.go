package backoff

import (
	"context"
	"math/rand/v2"
	"time"
)

// Exponential is a pause that grows to twice its length each time, from a first to a last one. It is
// one goroutine's.
type Exponential struct{ first, last, next time.Duration }

// New returns a pause that begins with first and grows to at most last.
func New(first, last time.Duration) *Exponential {
	first = min(first, last)
	return &Exponential{first: first, last: last, next: first}
}

// Reset begins anew.
func (b *Exponential) Reset() { b.next = b.first }

// Next is the pause to make now, the same for all who take it: see [Spread].
func (b *Exponential) Next() time.Duration {
	d := b.next
	b.next = b.last
	if d < b.last/2 {
		b.next = 2 * d
	}
	return d
}

// Spread spreads the next attempts of callers that failed together: it makes a pause longer by up
// to a quarter, by whole milliseconds.
func Spread(d time.Duration) time.Duration { return d + Below(d/4).Truncate(time.Millisecond) }

// Below draws a pause evenly from 0 to d; d is not negative.
func Below(d time.Duration) time.Duration {
	return rand.N(d + 1) //nolint:gosec // spreads load; no secret depends on it
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
