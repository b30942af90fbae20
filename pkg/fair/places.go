package fair

import (
	"container/heap"
	"context"
	"errors"
	"slices"
	"sync"
)

// MostWaiting is how many calls of one owner may wait.
const MostWaiting = 256

// ErrFull says that too many calls of this owner wait already.
var ErrFull = errors.New("too many wait for a place already")

// Places are shared by owners. They may be used from many goroutines.
type Places struct {
	mu     sync.Mutex
	free   int
	most   int    // how many calls of one owner may wait
	turns  uint64 // orders the owners: it counts each arrival, and each place given and given back
	owners map[string]*owner
	queue  queue // the owners that wait
}

// owner is one that holds places or waits for them.
type owner struct {
	held    int
	waiting []*waiter
	last    uint64 // when it came or last had a place, by Places.turns
	at      int    // its index in Places.queue, while it waits
}

// waiter is one call that waits; granted is closed when it has its place.
type waiter struct{ granted chan struct{} }

// New makes a number of places, at least one.
func New(places int) *Places { return NewWithQueues(places, MostWaiting) }

// NewWithQueues makes a number of places, at least one, for which up to waiting calls of
// one owner may wait.
func NewWithQueues(places, waiting int) *Places {
	return &Places{free: max(places, 1), most: waiting, owners: map[string]*owner{}}
}

// Take waits for a place until ctx ends, and returns its cause then, or [ErrFull].
// The caller calls free once, when it needs the place no longer. Waits, when set, is
// called before a wait, and the function it returns after it: a call that is served
// at once does not call it.
func (p *Places) Take(ctx context.Context, name string, waits func() (over func())) (free func(), err error) {
	w, err := p.ask(name)
	if err != nil {
		return nil, err
	}
	free = func() { p.release(name) }
	select {
	case <-w.granted:
		return free, nil
	default:
	}
	if waits != nil {
		defer waits()()
	}
	select {
	case <-w.granted:
		return free, nil
	case <-ctx.Done():
		p.leave(name, w)
		return nil, context.Cause(ctx)
	}
}

// Wanted says whether a place that the owner gave back now would go to another owner,
// which has fewer. The owner of a call that takes long asks from time to time, gives its
// place back then, and takes another one.
func (p *Places) Wanted(name string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	mine := p.owners[name]
	if mine == nil {
		return false
	}
	if len(p.queue) == 0 {
		return false
	}
	next := p.queue[0]
	return next.held < mine.held && next.held <= p.free
}

func (p *Places) ask(name string) (*waiter, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	o := p.owners[name]
	if o == nil {
		o = &owner{}
		p.owners[name] = o
		p.turn(o)
	}
	if len(o.waiting) >= p.most {
		return nil, ErrFull
	}
	w := &waiter{granted: make(chan struct{})}
	if o.waiting = append(o.waiting, w); len(o.waiting) == 1 {
		heap.Push(&p.queue, o)
	}
	p.grant()
	return w, nil
}

func (p *Places) release(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	o := p.owners[name]
	o.held--
	p.turn(o)
	if len(o.waiting) > 0 {
		heap.Fix(&p.queue, o.at)
	}
	p.free++
	p.forget(name)
	p.grant()
}

// leave takes a waiter out, or gives back the place that it got in this moment.
func (p *Places) leave(name string, w *waiter) {
	p.mu.Lock()
	o := p.owners[name]
	i := slices.Index(o.waiting, w)
	if i >= 0 {
		if o.waiting = slices.Delete(o.waiting, i, i+1); len(o.waiting) == 0 {
			heap.Remove(&p.queue, o.at)
		}
		p.forget(name)
	}
	p.mu.Unlock()
	if i < 0 {
		p.release(name)
	}
}

// forget drops an owner that neither holds a place nor waits for one.
func (p *Places) forget(name string) {
	if o := p.owners[name]; o.held == 0 && len(o.waiting) == 0 {
		delete(p.owners, name)
	}
}

// turn puts an owner behind all others of as many places.
func (p *Places) turn(o *owner) {
	p.turns++
	o.last = p.turns
}

// grant gives out all places that may be given.
func (p *Places) grant() {
	for len(p.queue) > 0 && p.queue[0].held < p.free {
		next := p.queue[0]
		p.free--
		next.held++
		p.turn(next)
		close(next.waiting[0].granted)
		if next.waiting = next.waiting[1:]; len(next.waiting) == 0 {
			heap.Pop(&p.queue)
		} else {
			heap.Fix(&p.queue, 0)
		}
	}
}

// queue is a heap of owners that wait, the one that comes first on top.
type queue []*owner

func (q *queue) Len() int { return len(*q) }

func (q *queue) Less(i, j int) bool {
	a, b := (*q)[i], (*q)[j]
	if a.held != b.held {
		return a.held < b.held
	}
	return a.last < b.last
}

func (q *queue) Swap(i, j int) {
	all := *q
	all[i], all[j] = all[j], all[i]
	all[i].at, all[j].at = i, j
}

// Push implements [heap.Interface].
func (q *queue) Push(o any) {
	waits, _ := o.(*owner)
	waits.at = len(*q)
	*q = append(*q, waits)
}

// Pop implements [heap.Interface].
func (q *queue) Pop() any {
	last := len(*q) - 1
	o := (*q)[last]
	(*q)[last] = nil
	*q = (*q)[:last]
	return o
}
