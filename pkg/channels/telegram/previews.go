package telegram

import (
	"context"
	"sync"
	"time"

	"parley/pkg/channels"
)

// preview is what a chat sees of an answer that is not finished.
type preview struct {
	// draft is the draft's number, or message the id of a real message.
	draft   int64
	message string
	html    string
	touched time.Time
}

// previews are the unfinished answers that chats see.
type previews struct {
	mu   sync.Mutex
	of   map[channels.Address]preview
	next int // how many there may be before the forgotten ones are looked for
}

// set makes p what a chat sees and returns what it saw before.
func (s *previews) set(to channels.Address, p preview) preview {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	if s.of == nil {
		s.of = map[channels.Address]preview{}
	}
	if len(s.of) >= max(s.next, minSweep) {
		for at, old := range s.of {
			if now.Sub(old.touched) > previewLife {
				delete(s.of, at)
			}
		}
		s.next = 2 * len(s.of)
	}
	before := s.of[to]
	p.touched = now
	s.of[to] = p
	return before
}

// at is what a chat sees, if anything.
func (s *previews) at(to channels.Address) (preview, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, ok := s.of[to]
	return p, ok && time.Since(p.touched) <= previewLife
}

// end forgets what a chat sees: a message has taken its place.
func (s *previews) end(to channels.Address) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.of, to)
}

// minSweep is how many entries are kept before forgotten ones are looked for.
const minSweep = 64

// pace is what a showing waits for: a message, or a chat's draft.
type pace struct {
	to      channels.Address
	message string
}

func paceKey(to channels.Address, p preview) pace { return pace{to: to, message: p.message} }

// paces say when something may be shown next.
type paces struct {
	mu   sync.Mutex
	from map[pace]time.Time
	next int
}

// wait waits until it is time to show p, and takes the place of whoever comes too soon after it.
func (s *paces) wait(ctx context.Context, to channels.Address, p preview) error {
	key, every := paceKey(to, p), draftEvery
	if p.message != "" {
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
