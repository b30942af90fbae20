package channels

import (
	"context"
	"slices"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// newestShare is the part of an account's rate for answers to the newest senders: one
// message in so many. The others leave in the order in which they came, so that each
// wait ends and a newcomer behind thousands of chats does not wait for all of them.
const newestShare = 4

// line is where the messages of an account wait for its limiter. Each chat has one
// message in it at most. Its zero value is empty.
type line struct {
	mu sync.Mutex
	// busy says that a message has its turn, turns counts the turns.
	busy  bool
	turns int
	// waiting is in the order in which the messages came.
	waiting []*inLine
}

// inLine is a message that waits. The channel turn is closed when it has its turn.
type inLine struct {
	asked  time.Time
	newest bool // see DeliveryInfo
	turn   chan struct{}
}

// after says that m comes before another one in the newest share.
func (m *inLine) after(other *inLine) bool {
	if m.newest != other.newest {
		return m.newest
	}
	return m.asked.After(other.asked)
}

// take waits for the message's turn, and then for the limiter. The time asked is when
// the person wrote whom the message answers; a message for which it is zero leaves in
// order.
func (l *line) take(ctx context.Context, limiter *rate.Limiter, c claim) error {
	m := &inLine{asked: c.asked, newest: c.newest, turn: make(chan struct{})}
	l.mu.Lock()
	l.waiting = append(l.waiting, m)
	l.call()
	l.mu.Unlock()
	select {
	case <-m.turn:
		defer l.pass()
		return take(ctx, limiter)
	case <-ctx.Done():
		l.abandon(m)
		return ctx.Err()
	}
}

// pass ends a turn.
func (l *line) pass() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.busy = false
	l.call()
}

// abandon takes a message out that waits no longer, or passes the turn on that it got
// in this moment.
func (l *line) abandon(m *inLine) {
	l.mu.Lock()
	at := slices.Index(l.waiting, m)
	if at >= 0 {
		l.waiting = slices.Delete(l.waiting, at, at+1)
	}
	l.mu.Unlock()
	if at < 0 {
		l.pass()
	}
}

// call gives the next message its turn; the lock is held.
func (l *line) call() {
	if l.busy || len(l.waiting) == 0 {
		return
	}
	at := 0
	if l.turns++; l.turns%newestShare == 0 {
		at = l.newest()
	}
	l.busy = true
	close(l.waiting[at].turn)
	l.waiting = slices.Delete(l.waiting, at, at+1)
}

// newest is the place of the answer to the newest sender; the lock is held.
func (l *line) newest() int {
	at := 0
	for i, m := range l.waiting {
		if m.after(l.waiting[at]) {
			at = i
		}
	}
	return at
}
