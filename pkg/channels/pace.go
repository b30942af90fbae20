package channels

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"
	"golang.org/x/time/rate"
)

const (
	// The longest wait that a platform may ask for.
	maxRetryAfter = 24 * time.Hour
	// How long the pace of an idle chat is remembered once its bucket is full again, at most.
	sweepAfter = 10 * time.Second
)

// newPause gives the pauses between failed attempts: doubling, from about half a
// second to 30 s at most.
func newPause() *backoff.ExponentialBackOff {
	b := backoff.NewExponentialBackOff()
	b.InitialInterval = 500 * time.Millisecond
	b.Multiplier = 2
	b.MaxInterval = 20 * time.Second // and half of it more by chance
	return b
}

// jitter adds up to a tenth and at most two seconds, so that what waited for one
// limit does not come back at one moment.
func jitter(d time.Duration) time.Duration {
	return d + rand.N(min(d/10, 2*time.Second)+1) //nolint:gosec // spreads load; nothing secret depends on it
}

func newLimiter(perSecond float64, burst int) *rate.Limiter {
	if perSecond <= 0 {
		return nil
	}
	return rate.NewLimiter(rate.Limit(perSecond), max(burst, 1))
}

func take(ctx context.Context, l *rate.Limiter) error {
	if l == nil {
		return ctx.Err()
	}
	return l.Wait(ctx)
}

// gate is what all chats of an account wait for.
type gate struct {
	limiter *rate.Limiter
	// line is where messages wait for the limiter.
	line line
	// jobs and tasks are the doors of messages that no person waits for: each lets one of
	// them at a time stand in the line, so that an answer waits for two at most.
	jobs, tasks chan struct{}
	// people is closed: it stands for what a person waits for.
	people chan struct{}

	mu    sync.Mutex
	until time.Time
	// denied is why the account may not send, "" when it may. While it may not, one
	// attempt tries again after each pause of refusals, at most authPause.
	denied   string
	refusals Refusals
	// refused is when the last one that counts was refused.
	refused time.Time
	// opened is closed, and replaced, when the gate opens before until.
	opened chan struct{}
}

func newGate(l Limits) *gate {
	people := make(chan struct{})
	close(people)
	return &gate{
		limiter: newLimiter(l.PerAccount, int(l.PerAccount)), jobs: make(chan struct{}, 1), tasks: make(chan struct{}, 1), people: people, opened: make(chan struct{}),
	}
}

// hold closes the gate for d.
func (g *gate) hold(d time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if until := time.Now().Add(d); until.After(g.until) {
		g.until = until
	}
}

// unauthorised closes the gate after an attempt that was refused. Attempts that were
// under way when another one was refused are part of that refusal.
func (g *gate) unauthorised(reason string, began time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.denied != "" && !began.After(g.refused) {
		return
	}
	g.refused = time.Now()
	g.denied, g.until = reason, g.refused.Add(min(g.refusals.Take(), authPause))
}

// tried lets the next attempt begin where the one that tries has failed for another
// reason: whether the account may send is not known then.
func (g *gate) tried(began time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.denied != "" && began.After(g.refused) {
		g.open()
	}
}

// open wakes those that wait at the gate. The lock is held.
func (g *gate) open() {
	g.until = time.Time{}
	close(g.opened)
	g.opened = make(chan struct{})
}

// authorised opens the gate when the account was denied before.
func (g *gate) authorised() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.denied == "" {
		return
	}
	g.denied = ""
	g.refusals.Reset()
	g.open()
}

// authReason is why the account may not send; "" when it may, or was refused once.
func (g *gate) authReason() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.refusals.Lasting() {
		return ""
	}
	return g.denied
}

// closed says that the account may not send.
func (g *gate) closed() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.denied != ""
}

// state says how long the gate is closed and what opens it before.
func (g *gate) state() (time.Duration, <-chan struct{}) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return time.Until(g.until), g.opened
}

// enter says whether an attempt may begin now. While the account is denied, who
// enters is the one that tries, and the others wait once more.
func (g *gate) enter() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	if now.Before(g.until) {
		return false
	}
	if g.denied != "" {
		g.until = now.Add(authPause)
	}
	return true
}

// lanes are the paces of the chats that send, or sent a moment ago.
type lanes struct {
	limits Limits
	most   int // sends of one chat at once

	mu      sync.Mutex
	byChat  map[string]*lane
	sweeper *time.Timer
	stopped bool
}

// lane is one chat's pace, shared by its threads.
type lane struct {
	owner   *lanes
	limiter *rate.Limiter
	sends   chan struct{} // those that have a place
	users   int
	until   time.Time
}

func newLanes(l Limits, most int) *lanes {
	return &lanes{limits: l, most: most, byChat: map[string]*lane{}}
}

// enter finds a chat's lane; leave gives it back.
func (s *lanes) enter(chat string) *lane {
	s.mu.Lock()
	defer s.mu.Unlock()
	l, ok := s.byChat[chat]
	if !ok {
		l = &lane{owner: s, limiter: newLimiter(s.limits.rateOf(chat)), sends: make(chan struct{}, s.most)}
		s.byChat[chat] = l
	}
	l.users++
	return l
}

func (s *lanes) leave(chat string, l *lane) {
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

// sweep drops what nobody needs any more. It runs as long as there is something to drop.
func (s *lanes) sweep() {
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

func (s *lanes) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopped = true
	if s.sweeper != nil {
		s.sweeper.Stop()
	}
}

// forgettable says that a new lane would behave the same.
func (l *lane) forgettable(now time.Time) bool {
	return !now.Before(l.until) && (l.limiter == nil || l.limiter.TokensAt(now) >= float64(l.limiter.Burst()))
}

// hold lets the chat wait for d.
func (l *lane) hold(d time.Duration) {
	l.owner.mu.Lock()
	defer l.owner.mu.Unlock()
	if until := time.Now().Add(d); until.After(l.until) {
		l.until = until
	}
}

func (l *lane) closedFor() time.Duration {
	l.owner.mu.Lock()
	defer l.owner.mu.Unlock()
	return time.Until(l.until)
}

// claim is what a message brings to be let through.
type claim struct {
	// notBefore is when it may be sent for its own sake.
	notBefore time.Time
	// awaited is closed from when a person waits for it, door is where it waits till then.
	awaited <-chan struct{}
	door    chan struct{}
	// asked is when the person wrote whom it answers; zero where no person waits or the
	// time is unknown.
	asked time.Time
	// newest is that of its DeliveryInfo.
	newest bool
}

// take waits for the account's bucket, behind the door unless a person waits.
func (g *gate) take(ctx context.Context, c claim) error {
	if g.limiter == nil {
		return ctx.Err()
	}
	select {
	case <-c.awaited:
		return g.line.take(ctx, g.limiter, c)
	default:
	}
	select {
	case <-c.awaited:
	case <-ctx.Done():
		return ctx.Err()
	case c.door <- struct{}{}:
		defer func() { <-c.door }()
	}
	return g.line.take(ctx, g.limiter, c)
}

// admit waits for the time, the chat and the account, and for the buckets of both.
func (l *lane) admit(ctx context.Context, g *gate, c claim) error {
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

// spare takes a place for what need not be sent at all, from what is left over:
// neither the chat nor the account is held, and both keep room for messages.
func (l *lane) spare(g *gate) bool {
	now := time.Now()
	return leavesRoom(l.limiter, now) && l.spareOfAccount(g) && allow(l.limiter, now)
}

// spareOfAccount is spare for what the chat's own rate does not count.
func (l *lane) spareOfAccount(g *gate) bool {
	now := time.Now()
	if wait, _ := g.state(); wait > 0 || g.closed() || l.closedFor() > 0 {
		return false
	}
	return leavesRoom(g.limiter, now) && allow(g.limiter, now)
}

func allow(l *rate.Limiter, now time.Time) bool { return l == nil || l.AllowN(now, 1) }

// leavesRoom says whether one may be taken such that a third is kept, though at least one.
func leavesRoom(l *rate.Limiter, now time.Time) bool {
	if l == nil {
		return true
	}
	kept := min(max(l.Burst()/3, 1), l.Burst()-1)
	return l.TokensAt(now) >= float64(1+kept)
}

// open waits until it is time and neither the chat nor the account is held.
func (l *lane) open(ctx context.Context, g *gate, notBefore time.Time) error {
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
