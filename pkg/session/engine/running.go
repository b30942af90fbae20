package engine

import (
	"sync"

	"parley/pkg/session/engine/lane"
)

// lanesOf are the lanes of the inbox, and the turns that they have.
type lanesOf struct {
	mu    sync.Mutex
	inbox *lane.Scheduler
	turns map[uint64]*turn // by chat, while handed out
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
