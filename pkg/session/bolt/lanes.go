package bolt

import (
	"context"
	"sync"
	"time"
)

// The pauses after a handler that failed.
const (
	minPause = 100 * time.Millisecond
	maxPause = 30 * time.Second
)

// maxLanes bounds the chats that are at work at once; more of them wait in order.
// Jobs, and results of background tasks, have a quarter of the lanes each at most.
const (
	maxLanes  = 4096
	maxOthers = maxLanes / 4
)

// scheduler runs one lane per chat that has work: serial within the chat,
// beside each other across chats. A lane ends when its chat has no more work,
// and an idle chat costs nothing. What there is to do stands on the disk; the
// scheduler only knows where to look.
type scheduler struct {
	ctx  context.Context //nolint:containedctx // it is the life of the lanes, which start from signals that have no context
	step stepFunc

	mu    sync.Mutex
	lanes map[uint64]*lane
	// ready are the chats that wait for a lane, by urgency; the urgencies take turns.
	ready  [urgencies][]uint64
	active [urgencies]int
	last   urgency // which was served last
	ended  bool
	wg     sync.WaitGroup
}

// urgency says who waits for a chat's work; the lowest is the most urgent.
type urgency int

// The urgencies.
const (
	forPerson urgency = iota
	forJob
	forResult
	urgencies
)

// stepFunc does the next piece of a chat's work and says whether there is more.
// Awaited is closed from when a person waits for it.
type stepFunc func(ctx context.Context, chat uint64, awaited <-chan struct{}) (more bool, err error)

// lane is a chat that is ready, running or pausing.
type lane struct {
	urgency urgency
	awaited chan struct{} // closed for forPerson
	queued  bool          // it stands in ready
	running bool
	again   bool // a signal came while it ran
	fails   int
	pause   *time.Timer
}

func newScheduler(ctx context.Context, step stepFunc) *scheduler {
	return &scheduler{ctx: ctx, step: step, lanes: map[uint64]*lane{}}
}

// signal says that a chat may have work, and how urgent it is.
func (s *scheduler) signal(chat uint64, u urgency) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return
	}
	l, known := s.lanes[chat]
	if known {
		l.again = true
	} else {
		l = &lane{urgency: urgencies, awaited: make(chan struct{})}
		s.lanes[chat] = l
	}
	if u < l.urgency {
		s.hurry(chat, l, u)
	}
	if !known {
		s.push(chat, l)
	}
	s.dispatch()
}

// hurry makes a lane more urgent; the lock is held.
func (s *scheduler) hurry(chat uint64, l *lane, u urgency) {
	if l.running {
		s.active[l.urgency]--
		s.active[u]++
	}
	l.urgency = u
	if u == forPerson {
		close(l.awaited)
	}
	if l.queued { // its former place is passed over
		s.push(chat, l)
	}
}

// idle says that a chat has no lane and that one for a person would start at once.
func (s *scheduler) idle(chat uint64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.ended && s.lanes[chat] == nil && len(s.ready[forPerson]) == 0 && s.full() < maxLanes
}

// full is how many lanes are active; the lock is held.
func (s *scheduler) full() (n int) {
	for _, of := range s.active {
		n += of
	}
	return n
}

// calm says that so few lanes are at work for which nobody waits that one more
// would not wait for them.
func (s *scheduler) calm() bool {
	const few = 32
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.active[forJob]+s.active[forResult] < few
}

// push makes a lane ready; the lock is held.
func (s *scheduler) push(chat uint64, l *lane) {
	l.queued = true
	s.ready[l.urgency] = append(s.ready[l.urgency], chat)
}

// next says of which urgency a chat may have a lane now; false for none. The lock is held.
func (s *scheduler) next() (urgency, bool) {
	if s.ended || s.full() >= maxLanes {
		return 0, false
	}
	for i := range urgencies {
		u := (s.last + 1 + i) % urgencies
		if s.trim(u); len(s.ready[u]) > 0 && (u == forPerson || s.active[u] < maxOthers) {
			return u, true
		}
	}
	return 0, false
}

// trim takes places away that are passed over; the lock is held.
func (s *scheduler) trim(u urgency) {
	for len(s.ready[u]) > 0 {
		if l := s.lanes[s.ready[u][0]]; l != nil && l.queued && l.urgency == u {
			return
		}
		s.ready[u] = s.ready[u][1:]
	}
	s.ready[u] = nil
}

// dispatch starts ready lanes as long as there is room; the lock is held.
func (s *scheduler) dispatch() {
	for u, ok := s.next(); ok; u, ok = s.next() {
		chat := s.ready[u][0]
		s.ready[u] = s.ready[u][1:]
		s.last = u
		l := s.lanes[chat]
		l.running, l.queued = true, false
		s.active[u]++
		s.wg.Go(func() { s.run(chat, l) })
	}
}

func (s *scheduler) run(chat uint64, l *lane) {
	for {
		s.mu.Lock()
		l.again = false
		s.mu.Unlock()
		if more, err := s.step(s.ctx, chat, l.awaited); !s.goOn(chat, l, outcome{more: more, err: err}) {
			return
		}
	}
}

// outcome is how a step ended.
type outcome struct {
	more bool
	err  error
}

// goOn decides what becomes of a lane after a step.
func (s *scheduler) goOn(chat uint64, l *lane, o outcome) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if o.err == nil {
		l.fails = 0
	}
	s.active[l.urgency]--
	if _, crowded := s.next(); o.err == nil && !s.ended && (o.more || l.again) && !crowded {
		s.active[l.urgency]++
		return true
	}
	l.running = false
	switch {
	case s.ended:
		delete(s.lanes, chat)
	case o.err != nil:
		d := min(minPause<<min(l.fails, 10), maxPause)
		l.fails++
		l.pause = time.AfterFunc(d, func() { s.resume(chat, l) })
	case o.more || l.again:
		s.push(chat, l)
	default:
		delete(s.lanes, chat)
	}
	s.dispatch()
	return false
}

// resume makes a lane ready again after its pause.
func (s *scheduler) resume(chat uint64, l *lane) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended || s.lanes[chat] != l {
		return
	}
	l.pause = nil
	s.push(chat, l)
	s.dispatch()
}

// stop starts no more lanes and waits for those that run.
func (s *scheduler) stop() {
	s.mu.Lock()
	s.ended = true
	for chat, l := range s.lanes {
		if l.pause != nil {
			l.pause.Stop()
		}
		if !l.running {
			delete(s.lanes, chat)
		}
	}
	s.mu.Unlock()
	s.wg.Wait()
}
