package telegram

import (
	"context"
	"sync"
	"time"

	"parley/pkg/channels"
)

// minSweep is how many entries are kept before forgotten ones are looked for.
const minSweep = 64

// pace is what a showing waits for: a message, or, with "", a chat's draft.
type pace struct {
	to      channels.Address
	message string
}

// paces say when something may be shown next.
type paces struct {
	mu   sync.Mutex
	from map[pace]time.Time
	next int
}

// wait waits until it is time for a showing, and takes the place of whoever comes too soon after it.
func (s *paces) wait(ctx context.Context, key pace) error {
	every := draftEvery
	if key.message != "" {
		every = editEvery
	}
	s.mu.Lock()
	now := time.Now()
	s.sweep(now)
	at := s.from[key]
	if at.Before(now) {
		at = now
	}
	if at.Sub(now) > showPatience {
		s.mu.Unlock()
		return errPaused
	}
	s.from[key] = at.Add(every)
	s.mu.Unlock()
	timer := time.NewTimer(at.Sub(now))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return ctx.Err()
	}
}

// hold keeps everything back for d.
func (s *paces) hold(key pace, d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	s.sweep(now)
	if at := now.Add(d); at.After(s.from[key]) {
		s.from[key] = at
	}
}

// left is how long something is still held back.
func (s *paces) left(key pace) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Until(s.from[key])
}

// sweep forgets, now and then, what nobody waits for any more.
func (s *paces) sweep(now time.Time) {
	if s.from == nil {
		s.from = map[pace]time.Time{}
	}
	if len(s.from) < max(s.next, minSweep) {
		return
	}
	for key, at := range s.from {
		if at.Before(now) {
			delete(s.from, key)
		}
	}
	s.next = 2 * len(s.from)
}
