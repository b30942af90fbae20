package places

import (
	"context"
	"slices"
	"sync"
	"time"
)

// newestShare is which part of the places goes to the turns that began to wait last:
// one in so many. The others go to the longest waiting, so that each wait ends and a
// newcomer behind thousands of chats does not wait for all of them.
const newestShare = 4

// Places are those in which turns run. They are given to turns by how long these wait.
type Places struct {
	mu sync.Mutex
	// oldest are the free places for the turns that wait longest, newest those for the
	// turns that came last.
	oldest, newest int
	// waiting is in the order in which the turns' items came.
	waiting []*Waiter
}

// Waiter is a turn that waits for one of the places. The channel given is closed when it has one.
// The flag newest says of which kind.
type Waiter struct {
	of     *Places
	since  time.Time
	given  chan struct{}
	newest bool
	// young says that its chat did not wait in order before.
	young bool
}

// New makes n places.
func New(n int) *Places {
	return &Places{oldest: n - n/newestShare, newest: n / newestShare}
}

// Join lets a turn with a first item of the time since wait; young is the Newest of its
// TurnInfo. The caller goes on with [Waiter.Now] or [Waiter.Wait].
func (p *Places) Join(since time.Time, young bool) *Waiter {
	w := &Waiter{of: p, since: since, given: make(chan struct{}), young: young}
	p.mu.Lock()
	defer p.mu.Unlock()
	at, _ := slices.BinarySearchFunc(p.waiting, w.since, func(o *Waiter, since time.Time) int {
		if o.since.After(since) {
			return 1
		}
		return -1 // behind those that came at the same time
	})
	p.waiting = slices.Insert(p.waiting, at, w)
	p.give()
	return w
}

// Now gives the place that a turn has already; false leaves it in line. The caller calls leave
// once.
func (w *Waiter) Now() (leave func(), ok bool) {
	select {
	case <-w.given:
		return func() { w.of.leave(w) }, true
	default:
		return nil, false
	}
}

// Wait waits for the place, or for one of those for people from when awaited is closed: a person
// waits. The caller calls leave once; with an error the turn has no place and waits no more.
func (w *Waiter) Wait(ctx context.Context, people *Places, awaited <-chan struct{}) (leave func(), err error) {
	select {
	case <-w.given:
		return func() { w.of.leave(w) }, nil
	case <-ctx.Done():
		w.of.abandon(w)
		return nil, ctx.Err()
	case <-awaited:
	}
	other := people.Join(w.since, w.young)
	select {
	case <-w.given:
		people.abandon(other)
		return func() { w.of.leave(w) }, nil
	case <-other.given:
		w.of.abandon(w)
		return func() { people.leave(other) }, nil
	case <-ctx.Done():
		w.of.abandon(w)
		people.abandon(other)
		return nil, ctx.Err()
	}
}

// abandon takes a turn out that waits no longer, or gives back the place that it got in
// this moment.
func (p *Places) abandon(w *Waiter) {
	p.mu.Lock()
	at := slices.Index(p.waiting, w)
	if at >= 0 {
		p.waiting = slices.Delete(p.waiting, at, at+1)
	}
	p.mu.Unlock()
	if at < 0 {
		p.leave(w)
	}
}

// leave gives a turn's place back.
func (p *Places) leave(w *Waiter) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if w.newest {
		p.newest++
	} else {
		p.oldest++
	}
	p.give()
}

// last is the place in line of the turn that came last: of those that the store gave out
// as the newest, if one of them waits. Else these, each of which keeps a lane for the
// newest, would wait behind the others that came since. The lock is held.
func (p *Places) last() int {
	for at, w := range slices.Backward(p.waiting) {
		if w.young {
			return at
		}
	}
	return len(p.waiting) - 1
}

// give gives the free places, those for the newest last. The lock is held.
func (p *Places) give() {
	for len(p.waiting) > 0 && p.oldest+p.newest > 0 {
		at := 0
		if p.oldest > 0 {
			p.oldest--
		} else {
			p.newest--
			at = p.last()
			p.waiting[at].newest = true
		}
		close(p.waiting[at].given)
		p.waiting = slices.Delete(p.waiting, at, at+1)
	}
}
