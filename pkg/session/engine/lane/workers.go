package lane

import "sync"

// mostIdle is how many goroutines wait for a lane at most.
const mostIdle = 64

// workers are the goroutines that lanes run on. One that has run a lane waits for the next:
// under load chats come and go by the hundred in a second, and a new goroutine would grow
// its stack anew for each of them. The lock of the scheduler guards them.
type workers struct {
	idle []chan func() // the one that came last is the next
	wg   sync.WaitGroup
}

// start runs f on a goroutine; the lock is held.
func (s *Scheduler) start(f func()) {
	if n := len(s.idle); n > 0 {
		w := s.idle[n-1]
		s.idle = s.idle[:n-1]
		w <- f
		return
	}
	w := make(chan func(), 1)
	w <- f
	s.wg.Go(func() {
		for f := range w {
			growStack()
			f()
			if !s.rest(w) {
				return
			}
		}
	})
}

// rest lets a goroutine wait for the next lane, if it may.
func (s *Scheduler) rest(w chan func()) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended || len(s.idle) >= mostIdle {
		return false
	}
	s.idle = append(s.idle, w)
	return true
}

// dismiss ends those that wait; the lock is held, and none rests any more.
func (s *Scheduler) dismiss() {
	for _, w := range s.idle {
		close(w)
	}
	s.idle = nil
}
