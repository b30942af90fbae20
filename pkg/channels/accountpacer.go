package channels

import (
	"context"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// accountPacer holds the limits that all chats of an account share: its rate, its
// holds, and its right to send.
type accountPacer struct {
	limiter *rate.Limiter
	// line is where messages wait for the limiter.
	line line
	// jobs and tasks are the doors of messages that no person waits for: each lets one of
	// them at a time stand in the line, so that an answer waits for two at most.
	jobs, tasks chan struct{}
	// people is closed: it is the awaited channel of a message that a person waits for.
	people chan struct{}

	mu    sync.Mutex
	until time.Time
	// denied is why the account may not send, "" when it may. While it may not, one
	// attempt tries again after each pause of refusals, at most authPause.
	denied   string
	refusals Refusals
	// refused is when the last one that counts was refused.
	refused time.Time
	// opened is closed, and replaced, when the account may send before until.
	opened chan struct{}
}

func newAccountPacer(l Limits) *accountPacer {
	people := make(chan struct{})
	close(people)
	return &accountPacer{
		limiter: newLimiter(l.PerAccount, int(l.PerAccount)), opened: make(chan struct{}),
		jobs: make(chan struct{}, 1), tasks: make(chan struct{}, 1), people: people,
	}
}

// hold lets the account wait for d.
func (g *accountPacer) hold(d time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if until := time.Now().Add(d); until.After(g.until) {
		g.until = until
	}
}

// unauthorised lets the account wait after an attempt that was refused. Attempts that were
// under way when another one was refused are part of that refusal.
func (g *accountPacer) unauthorised(reason string, began time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.denied != "" && !began.After(g.refused) {
		return
	}
	g.refused = time.Now()
	g.denied, g.until = reason, g.refused.Add(min(g.refusals.Take(), authPause))
}

// tried lets the next attempt begin where the one that tries has failed for another
// reason: such a failure leaves open whether the account may send.
func (g *accountPacer) tried(began time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.denied != "" && began.After(g.refused) {
		g.open()
	}
}

// open wakes the messages that wait for the account. The lock is held.
func (g *accountPacer) open() {
	g.until = time.Time{}
	close(g.opened)
	g.opened = make(chan struct{})
}

// authorised lets an account send that was denied before.
func (g *accountPacer) authorised() {
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
func (g *accountPacer) authReason() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.refusals.Lasting() {
		return ""
	}
	return g.denied
}

// closed says that the account may not send.
func (g *accountPacer) closed() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.denied != ""
}

// state says how long the account waits, and gives the channel that ends the wait before.
func (g *accountPacer) state() (time.Duration, <-chan struct{}) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return time.Until(g.until), g.opened
}

// enter says whether an attempt may begin now. While the account is denied, the attempt
// that enters is the one that tries, and the others wait once more.
func (g *accountPacer) enter() bool {
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

// take waits for the account's bucket, behind the door unless a person waits.
func (g *accountPacer) take(ctx context.Context, c claim) error {
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
