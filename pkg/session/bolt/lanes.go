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
const maxLanes = 4096

// scheduler runs one lane per chat that has work: serial within the chat,
// beside each other across chats. A lane ends when its chat has no more work,
// and an idle chat costs nothing. What there is to do stands on the disk; the
// scheduler only knows where to look.
type scheduler struct {
	ctx  context.Context //nolint:containedctx // it is the life of the lanes, which start from signals that have no context
	step func(ctx context.Context, chat uint64) (more bool, err error)

	mu     sync.Mutex
	lanes  map[uint64]*lane
	ready  []uint64
	active int
	ended  bool
	wg     sync.WaitGroup
}

// lane is a chat that is ready, running or pausing.
type lane struct {
	running bool
	again   bool // a signal came while it ran
	fails   int
	pause   *time.Timer
}

func newScheduler(ctx context.Context, step func(context.Context, uint64) (bool, error)) *scheduler {
	return &scheduler{ctx: ctx, step: step, lanes: map[uint64]*lane{}}
}

// signal says that a chat may have work.
func (s *scheduler) signal(chat uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return
	}
	if l := s.lanes[chat]; l != nil {
		l.again = true
		return
	}
	s.lanes[chat] = &lane{}
	s.push(chat)
}

// idle says that a chat has no lane and that one would start at once.
func (s *scheduler) idle(chat uint64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.ended && s.lanes[chat] == nil && len(s.ready) == 0 && s.active < maxLanes
}

// push makes a lane ready; the lock is held.
func (s *scheduler) push(chat uint64) {
	s.ready = append(s.ready, chat)
	s.dispatch()
}

// dispatch starts ready lanes as long as there is room; the lock is held.
func (s *scheduler) dispatch() {
	for !s.ended && s.active < maxLanes && len(s.ready) > 0 {
		chat := s.ready[0]
		s.ready = s.ready[1:]
		l := s.lanes[chat]
		l.running = true
		s.active++
		s.wg.Go(func() { s.run(chat, l) })
	}
	if len(s.ready) == 0 {
		s.ready = nil
	}
}

func (s *scheduler) run(chat uint64, l *lane) {
	for {
		s.mu.Lock()
		l.again = false
		s.mu.Unlock()
		if more, err := s.step(s.ctx, chat); !s.goOn(chat, l, outcome{more: more, err: err}) {
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
	crowded := len(s.ready) > 0
	if o.err == nil && !s.ended && (o.more || l.again) && !crowded {
		return true
	}
	s.active--
	l.running = false
	switch {
	case s.ended:
		delete(s.lanes, chat)
	case o.err != nil:
		d := min(minPause<<min(l.fails, 10), maxPause)
		l.fails++
		l.pause = time.AfterFunc(d, func() { s.resume(chat, l) })
	case o.more || l.again:
		s.ready = append(s.ready, chat)
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
	s.push(chat)
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
