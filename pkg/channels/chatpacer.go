package channels

import (
	"context"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// chatPacers are the pacers of the chats that send, or sent a moment ago.
type chatPacers struct {
	limits Limits
	most   int // sends of one chat at once

	mu      sync.Mutex
	byChat  map[string]*chatPacer
	sweeper *time.Timer
	stopped bool
}

// chatPacer is one chat's pace, shared by its threads.
type chatPacer struct {
	owner   *chatPacers
	limiter *rate.Limiter
	sends   chan struct{} // the sends of the chat that have a place
	users   int
	until   time.Time
}

func newChatPacers(l Limits, most int) *chatPacers {
	return &chatPacers{limits: l, most: most, byChat: map[string]*chatPacer{}}
}

// enter finds a chat's pacer; leave gives it back.
func (s *chatPacers) enter(chat string) *chatPacer {
	s.mu.Lock()
	defer s.mu.Unlock()
	l, ok := s.byChat[chat]
	if !ok {
		l = &chatPacer{owner: s, limiter: newLimiter(s.limits.rateOf(chat)), sends: make(chan struct{}, s.most)}
		s.byChat[chat] = l
	}
	l.users++
	return l
}

func (s *chatPacers) leave(chat string, l *chatPacer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l.users--; l.users > 0 {
		return
	}
	if l.forgettable(time.Now()) {
		delete(s.byChat, chat)
		return
	}
	if s.sweeper == nil && !s.stopped {
		s.sweeper = time.AfterFunc(sweepAfter, s.sweep)
	}
}

// sweep drops pacers without users. It runs as long as one is left to drop.
func (s *chatPacers) sweep() {
	s.mu.Lock()
	defer s.mu.Unlock()
	now, left := time.Now(), false
	for chat, l := range s.byChat {
		switch {
		case l.users > 0:
		case l.forgettable(now):
			delete(s.byChat, chat)
		default:
			left = true
		}
	}
	s.sweeper = nil
	if left && !s.stopped {
		s.sweeper = time.AfterFunc(sweepAfter, s.sweep)
	}
}

func (s *chatPacers) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopped = true
	if s.sweeper != nil {
		s.sweeper.Stop()
	}
}

// forgettable says that a new pacer would behave the same.
func (l *chatPacer) forgettable(now time.Time) bool {
	return !now.Before(l.until) && (l.limiter == nil || l.limiter.TokensAt(now) >= float64(l.limiter.Burst()))
}

// hold lets the chat wait for d.
func (l *chatPacer) hold(d time.Duration) {
	l.owner.mu.Lock()
	defer l.owner.mu.Unlock()
	if until := time.Now().Add(d); until.After(l.until) {
		l.until = until
	}
}

func (l *chatPacer) closedFor() time.Duration {
	l.owner.mu.Lock()
	defer l.owner.mu.Unlock()
	return time.Until(l.until)
}

// admit waits for the time, the chat and the account, and for the buckets of both.
func (l *chatPacer) admit(ctx context.Context, g *accountPacer, c claim) error {
	for {
		if err := l.open(ctx, g, c.notBefore); err != nil {
			return err
		}
		if err := take(ctx, l.limiter); err != nil {
			return err
		}
		if err := g.take(ctx, c); err != nil {
			return err
		}
		if l.closedFor() <= 0 && g.enter() {
			return nil
		}
	}
}

// spare takes a place for a showing, which may be left out, from the rate that messages
// leave over: the chat and the account must be free, and both keep room for messages.
func (l *chatPacer) spare(g *accountPacer) bool {
	now := time.Now()
	return leavesRoom(l.limiter, now) && l.spareOfAccount(g) && allow(l.limiter, now)
}

// spareOfAccount is spare for showings that the chat's own rate does not count.
func (l *chatPacer) spareOfAccount(g *accountPacer) bool {
	now := time.Now()
	if wait, _ := g.state(); wait > 0 || g.closed() || l.closedFor() > 0 {
		return false
	}
	return leavesRoom(g.limiter, now) && allow(g.limiter, now)
}

// open waits until it is time and both the chat and the account are free of holds.
func (l *chatPacer) open(ctx context.Context, g *accountPacer, notBefore time.Time) error {
	for {
		wait, opened := g.state()
		wait = max(wait, l.closedFor(), time.Until(notBefore))
		if wait <= 0 {
			return ctx.Err()
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		case <-opened:
			timer.Stop()
		case <-timer.C:
		}
	}
}
