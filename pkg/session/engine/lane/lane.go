package lane

import (
	"context"
	"slices"
	"sync"
	"time"
)

// The shortest and the longest pause after a step that failed.
const (
	MinPause = 100 * time.Millisecond
	MaxPause = 30 * time.Second
)

// maxLanes bounds the chats that are at work at once, unless Options.Lanes does; more
// of them wait. Jobs, and results of background tasks, have a quarter of the lanes each
// at most. A quarter goes to the newest senders, and the others in order: a newcomer
// behind thousands of chats does not wait for all of them, and each wait ends.
const (
	maxLanes  = 4096
	laneShare = 4
)

// Scheduler runs one lane per chat that has work: serial within the chat, beside each
// other across chats. A lane ends when its chat has no more work, and an idle chat is
// free of cost. The work itself stands in the store; the scheduler only knows in which
// chats to look for it.
type Scheduler struct {
	ctx  context.Context //nolint:containedctx // it is the life of the lanes, which start from signals that have no context
	step Step

	mu    sync.Mutex
	lanes map[uint64]*lane
	// ready are the chats that wait for a lane, by urgency; the urgencies take turns.
	ready [Urgencies][]ticket
	// young are those that wait for a person and have had no lane since, the newest
	// last: that of the newest sender.
	young   []youth
	tickets uint64
	active  [Urgencies]int
	// newest are the active lanes that were given to the newest, most is how many lanes
	// there are.
	newest, most int
	last         Urgency // which was served last
	ended        bool
	workers
}

// Urgency is the beneficiary of a chat's work; the lowest is the most urgent.
type Urgency int

// The urgencies; Urgencies is how many there are.
const (
	ForPerson Urgency = iota
	ForJob
	ForResult
	Urgencies
)

// Step does the next piece of a chat's work and says whether there is more.
type Step func(ctx context.Context, chat uint64, p Pass) (more bool, err error)

// Pass is how a chat came by its lane.
type Pass struct {
	// Awaited is closed from when a person waits for the chat's work.
	Awaited <-chan struct{}
	// Newest says that no waiting chat has a newer message: the lane is one of those
	// for the newest, or was free at once.
	Newest bool
}

// ticket is a chat's place in a queue. It is passed over once the lane has another.
type ticket struct{ chat, number uint64 }

// youth is a ticket, and when the person wrote.
type youth struct {
	ticket
	asked time.Time
}

// lane is a chat that is ready, running or pausing.
type lane struct {
	ticket  uint64
	newest  bool // it runs because it was the newest
	urgency Urgency
	awaited chan struct{} // closed for ForPerson
	queued  bool          // it stands in ready
	running bool
	again   bool // a signal came while it ran
	fails   int
	pause   *time.Timer
}

// New makes a scheduler with a number of lanes; 0 stands for 4096. Its lanes end with ctx.
func New(ctx context.Context, most int, step Step) *Scheduler {
	if most <= 0 {
		most = maxLanes
	}
	return &Scheduler{ctx: ctx, step: step, lanes: map[uint64]*lane{}, most: most}
}

// Signal says that a chat may have work, how urgent it is, and when the person wrote
// that waits for it, or zero.
func (s *Scheduler) Signal(chat uint64, u Urgency, asked time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return
	}
	l, known := s.lanes[chat]
	if known {
		l.again = true
	} else {
		l = &lane{urgency: Urgencies, awaited: make(chan struct{})}
		s.lanes[chat] = l
	}
	if u < l.urgency {
		s.hurry(chat, l, u, asked)
	}
	if !known {
		s.push(chat, l)
		s.welcome(chat, l, asked)
	}
	s.dispatch()
}

// welcome notes a chat for which a person waits among the newest; the lock is held.
func (s *Scheduler) welcome(chat uint64, l *lane, asked time.Time) {
	if l.urgency != ForPerson {
		return
	}
	const few = 64
	if len(s.young) >= few && len(s.young) > 2*len(s.ready[ForPerson]) {
		s.young = slices.DeleteFunc(s.young, func(t youth) bool { return !s.holds(t.ticket, ForPerson) })
	}
	at := len(s.young)
	if at > 0 && s.young[at-1].asked.After(asked) { // rarely: it is a search among all
		at, _ = slices.BinarySearchFunc(s.young, asked, func(t youth, asked time.Time) int {
			if t.asked.After(asked) {
				return 1
			}
			return -1 // behind those of the same time
		})
	}
	s.young = slices.Insert(s.young, at, youth{ticket{chat, l.ticket}, asked})
}

// holds says whether a ticket is still its chat's; the lock is held.
func (s *Scheduler) holds(t ticket, u Urgency) bool {
	l := s.lanes[t.chat]
	return l != nil && l.queued && l.urgency == u && l.ticket == t.number
}

// hurry makes a lane more urgent; the lock is held.
func (s *Scheduler) hurry(chat uint64, l *lane, u Urgency, asked time.Time) {
	if l.running {
		s.active[l.urgency]--
		s.active[u]++
	}
	l.urgency = u
	if u == ForPerson {
		close(l.awaited)
	}
	if l.queued { // its former place is passed over
		s.push(chat, l)
		s.welcome(chat, l, asked)
	}
}

// Idle says that a chat has no lane and that one for a person would start at once.
func (s *Scheduler) Idle(chat uint64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.ended && s.lanes[chat] == nil && len(s.ready[ForPerson]) == 0 && s.full() < s.most
}

// full is how many lanes are active; the lock is held.
func (s *Scheduler) full() (n int) {
	for _, of := range s.active {
		n += of
	}
	return n
}

// Calm says that so few lanes are at work without a waiting person that one more would
// not wait for them.
func (s *Scheduler) Calm() bool {
	const few = 32
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.active[ForJob]+s.active[ForResult] < few
}

// push makes a lane ready; the lock is held.
func (s *Scheduler) push(chat uint64, l *lane) {
	s.tickets++
	l.queued, l.ticket = true, s.tickets
	s.ready[l.urgency] = append(s.ready[l.urgency], ticket{chat, l.ticket})
}

// next is the urgency with which a chat may have a lane now, or false. The lock is
// held.
func (s *Scheduler) next() (Urgency, bool) {
	if s.ended || s.full() >= s.most {
		return 0, false
	}
	for i := range Urgencies {
		u := (s.last + 1 + i) % Urgencies
		if s.trim(u); len(s.ready[u]) > 0 && (u == ForPerson || s.active[u] < s.most/laneShare) {
			return u, true
		}
	}
	return 0, false
}

// trim takes places away that are passed over; the lock is held.
func (s *Scheduler) trim(u Urgency) {
	for len(s.ready[u]) > 0 {
		if s.holds(s.ready[u][0], u) {
			return
		}
		s.ready[u] = s.ready[u][1:]
	}
	s.ready[u] = nil
}

// dispatch starts ready lanes as long as there is room; the lock is held.
func (s *Scheduler) dispatch() {
	for u, ok := s.next(); ok; u, ok = s.next() {
		chat, newest, last := s.ready[u][0].chat, false, false
		if u == ForPerson {
			newcomer := s.newcomer(chat)
			if s.full()-s.newest >= s.most-s.most/laneShare {
				chat, newest = newcomer, true
				s.newest++
			}
			last = newest || chat == newcomer
		}
		s.last = u
		l := s.lanes[chat]
		l.running, l.queued, l.newest = true, false, newest
		s.active[u]++
		s.start(func() { s.run(chat, l, last) })
	}
}

// newcomer is the newest chat for which a person waits, or else the one that waits
// longest; the lock is held.
func (s *Scheduler) newcomer(longest uint64) uint64 {
	for n := len(s.young); n > 0; n = len(s.young) {
		if t := s.young[n-1]; s.holds(t.ticket, ForPerson) {
			return t.chat
		}
		s.young = s.young[:n-1]
	}
	return longest
}

func (s *Scheduler) run(chat uint64, l *lane, last bool) {
	for {
		s.mu.Lock()
		l.again = false
		s.mu.Unlock()
		if more, err := s.step(s.ctx, chat, Pass{Awaited: l.awaited, Newest: last}); !s.goOn(chat, l, outcome{more: more, err: err}) {
			return
		}
	}
}

// outcome is how a step ended.
type outcome struct {
	more bool
	err  error
}

// goOn decides the fate of a lane after a step.
func (s *Scheduler) goOn(chat uint64, l *lane, o outcome) bool {
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
		d := min(MinPause<<min(l.fails, 10), MaxPause)
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
func (s *Scheduler) resume(chat uint64, l *lane) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended || s.lanes[chat] != l {
		return
	}
	l.pause = nil
	s.push(chat, l)
	s.dispatch()
}

// Chats is how many chats have a lane or wait for one.
func (s *Scheduler) Chats() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.lanes)
}

// Stop starts no more lanes and waits for those that run.
func (s *Scheduler) Stop() {
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
	s.dismiss()
	s.mu.Unlock()
	s.wg.Wait()
}
