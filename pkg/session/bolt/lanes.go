package bolt

import (
	"context"
	"slices"
	"sync"
	"time"
)

// The pauses after a handler that failed.
const (
	minPause = 100 * time.Millisecond
	maxPause = 30 * time.Second
)

// maxLanes bounds the chats that are at work at once, unless Options.Lanes does; more of
// them wait. Jobs, and results of background tasks, have a quarter of the lanes each at
// most. A quarter goes to the people who wrote last, and the others in order: a newcomer
// behind thousands of chats does not wait for all of them, and no chat waits for ever.
const (
	maxLanes  = 4096
	laneShare = 4
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
	ready [urgencies][]ticket
	// young are those that wait for a person and have had no lane since, the newest last.
	young   []ticket
	tickets uint64
	active  [urgencies]int
	// newest are the active lanes that were given to the newest, most is how many lanes
	// there are.
	newest, most int
	last         urgency // which was served last
	ended        bool
	wg           sync.WaitGroup
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

// ticket is a chat's place in a queue. It is passed over once the lane has another.
type ticket struct{ chat, number uint64 }

// lane is a chat that is ready, running or pausing.
type lane struct {
	ticket  uint64
	newest  bool // it runs because it was the newest
	urgency urgency
	awaited chan struct{} // closed for forPerson
	queued  bool          // it stands in ready
	running bool
	again   bool // a signal came while it ran
	fails   int
	pause   *time.Timer
}

// newScheduler makes one with a number of lanes, 0 being [maxLanes].
func newScheduler(ctx context.Context, most int, step stepFunc) *scheduler {
	if most <= 0 {
		most = maxLanes
	}
	return &scheduler{ctx: ctx, step: step, lanes: map[uint64]*lane{}, most: most}
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
		s.welcome(chat, l)
	}
	s.dispatch()
}

// welcome notes a chat for which a person waits as the newest; the lock is held.
func (s *scheduler) welcome(chat uint64, l *lane) {
	if l.urgency != forPerson {
		return
	}
	const few = 64
	if len(s.young) >= few && len(s.young) > 2*len(s.ready[forPerson]) {
		s.young = slices.DeleteFunc(s.young, func(t ticket) bool { return !s.holds(t, forPerson) })
	}
	s.young = append(s.young, ticket{chat, l.ticket})
}

// holds says whether a ticket is still its chat's; the lock is held.
func (s *scheduler) holds(t ticket, u urgency) bool {
	l := s.lanes[t.chat]
	return l != nil && l.queued && l.urgency == u && l.ticket == t.number
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
		s.welcome(chat, l)
	}
}

// idle says that a chat has no lane and that one for a person would start at once.
func (s *scheduler) idle(chat uint64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.ended && s.lanes[chat] == nil && len(s.ready[forPerson]) == 0 && s.full() < s.most
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
	s.tickets++
	l.queued, l.ticket = true, s.tickets
	s.ready[l.urgency] = append(s.ready[l.urgency], ticket{chat, l.ticket})
}

// next says of which urgency a chat may have a lane now; false for none. The lock is held.
func (s *scheduler) next() (urgency, bool) {
	if s.ended || s.full() >= s.most {
		return 0, false
	}
	for i := range urgencies {
		u := (s.last + 1 + i) % urgencies
		if s.trim(u); len(s.ready[u]) > 0 && (u == forPerson || s.active[u] < s.most/laneShare) {
			return u, true
		}
	}
	return 0, false
}

// trim takes places away that are passed over; the lock is held.
func (s *scheduler) trim(u urgency) {
	for len(s.ready[u]) > 0 {
		if s.holds(s.ready[u][0], u) {
			return
		}
		s.ready[u] = s.ready[u][1:]
	}
	s.ready[u] = nil
}

// dispatch starts ready lanes as long as there is room; the lock is held.
func (s *scheduler) dispatch() {
	for u, ok := s.next(); ok; u, ok = s.next() {
		chat, newest := s.ready[u][0].chat, false
		if u == forPerson && s.full()-s.newest >= s.most-s.most/laneShare {
			chat, newest = s.newcomer(chat), true
			s.newest++
		}
		s.last = u
		l := s.lanes[chat]
		l.running, l.queued, l.newest = true, false, newest
		s.active[u]++
		s.wg.Go(func() { s.run(chat, l) })
	}
}

// newcomer takes the newest chat for which a person waits, or else is the one that
// waits longest; the lock is held.
func (s *scheduler) newcomer(longest uint64) uint64 {
	for n := len(s.young); n > 0; n = len(s.young) {
		t := s.young[n-1]
		s.young = s.young[:n-1]
		if s.holds(t, forPerson) {
			return t.chat
		}
	}
	return longest
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
	if l.newest {
		s.newest--
	}
	l.running, l.newest = false, false
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
