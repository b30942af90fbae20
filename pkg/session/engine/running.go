package engine

import (
	"sync"
	"time"

	"parley/pkg/session/engine/lane"
	"parley/pkg/session/engine/writer"
)

// lanesOf is a set of running schedulers.
type lanesOf struct {
	mu     sync.Mutex
	inbox  *lane.Scheduler
	outbox map[account]*lane.Scheduler
	turns  map[uint64]*turn     // by chat, while handed out
	sends  map[uint64]*delivery // by chat, deliveries that begin early and were not taken yet

	running int           // Run and RunOutbox under way
	closing bool          // no more of them begin
	ended   chan struct{} // closed when the last of them has returned after that
}

// turnOf is the chat's turn that began early, else one that make returns.
func (l *lanesOf) turnOf(chat uint64, make func(uint64) *turn) *turn {
	l.mu.Lock()
	defer l.mu.Unlock()
	t := l.turns[chat]
	if t == nil {
		t = make(chat)
		l.turns[chat] = t
	}
	return t
}

// add announces a turn that begins early; false when the chat has one.
func (l *lanesOf) add(t *turn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.turns[t.chat] != nil {
		return false
	}
	l.turns[t.chat] = t
	return true
}

func (l *lanesOf) remove(chat uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.turns, chat)
}

// enter counts one more Run or RunOutbox, unless the engine is being closed; the lock is held.
func (l *lanesOf) enter() error {
	if l.closing {
		return writer.ErrClosed
	}
	l.running++
	return nil
}

func (l *lanesOf) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.running--; l.running == 0 && l.closing {
		close(l.ended)
	}
}

// close stops new ones and waits until those under way have returned, which handlers
// that end with their context do at once.
func (l *lanesOf) close() {
	l.mu.Lock()
	if !l.closing {
		l.closing, l.ended = true, make(chan struct{})
		if l.running == 0 {
			close(l.ended)
		}
	}
	l.mu.Unlock()
	timer := time.NewTimer(closeWait)
	defer timer.Stop()
	select {
	case <-l.ended:
	case <-timer.C:
	}
}

// closeWait is how long a close waits for handlers that do not end.
const closeWait = 5 * time.Second
