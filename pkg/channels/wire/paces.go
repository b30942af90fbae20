package wire

import (
	"context"
	"errors"
	"sync"
	"time"
)

// minSweep is how many entries are kept before forgotten ones are looked for.
const minSweep = 64

// ErrPaused says that something has to wait for longer than anybody waits for it.
var ErrPaused = errors.New("the platform asked to wait")

// Paces say when a transient output may be shown next. The zero value is ready, and
// safe for many goroutines. Entries without waiting callers are forgotten: their
// number is bounded by the events of some minutes.
type Paces[K comparable] struct {
	mu   sync.Mutex
	from map[K]time.Time
	next int
}

// Wait waits until it is time for a showing, and lets the next one wait until every
// after it. If its own wait would be longer than patience it is [ErrPaused].
func (s *Paces[K]) Wait(ctx context.Context, key K, every, patience time.Duration) error {
	s.mu.Lock()
	now := time.Now()
	s.sweep(now)
	at := s.from[key]
	if at.Before(now) {
		at = now
	}
	if at.Sub(now) > patience {
		s.mu.Unlock()
		return ErrPaused
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

// Hold keeps everything back for d.
func (s *Paces[K]) Hold(key K, d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	s.sweep(now)
	if at := now.Add(d); at.After(s.from[key]) {
		s.from[key] = at
	}
}

// Left is how long something is still held back.
func (s *Paces[K]) Left(key K) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Until(s.from[key])
}

// Len is how many are remembered.
func (s *Paces[K]) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.from)
}

// sweep forgets, now and then, entries without waiting callers.
func (s *Paces[K]) sweep(now time.Time) {
	if s.from == nil {
		s.from = map[K]time.Time{}
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
