package isolate

import (
	"context"
	"sync/atomic"
	"time"
)

// slot leases one value to one call at a time: the token in free is the right to it.
type slot struct {
	free chan struct{}
	// injected says that a call left its facts in the value.
	injected bool
}

// Lease is the right of one call to a value; outer is the lease around it.
type Lease struct {
	slot  *slot
	outer *Lease
	over  atomic.Bool
}

// End gives the value back. A second call, and one on a nil lease, has no effect.
func (l *Lease) End() {
	if l != nil && l.over.CompareAndSwap(false, true) {
		l.slot.free <- struct{}{}
	}
}

// Inject notes whether the call puts facts of its own into the value, and says whether
// the value must be told: it is also told of a call without facts while it still has
// those of an earlier call. Only the holder of the lease may call it; a nil lease has
// no earlier call.
func (l *Lease) Inject(given bool) (tell bool) {
	if l == nil {
		return given
	}
	tell = given || l.slot.injected
	l.slot.injected = given
	return tell
}

// covers says whether a call within l would wait for a lease that cannot end before it.
func (l *Lease) covers(s *slot) bool {
	for ; l != nil; l = l.outer {
		if l.slot == s && !l.over.Load() {
			return true
		}
	}
	return false
}

// lease waits for the value.
func (s *slot) lease(ctx context.Context, wait time.Duration, outer *Lease) (*Lease, error) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	if outer.covers(s) {
		return nil, ErrNested
	}
	select {
	case <-s.free:
		return &Lease{slot: s, outer: outer}, nil
	case <-timer.C:
		return nil, ErrLeased
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
