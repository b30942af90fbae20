package outbox

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"parley/pkg/session/engine/lane"
)

// holdLimit bounds the wait for a message that is on its way when its chat is held.
const holdLimit = 10 * time.Second

// held are the chats of which no message leaves, and those with a message on its way. The zero value is ready.
type held struct {
	mu      sync.Mutex
	holds   map[uint64]int
	leaving map[uint64]chan struct{} // closed when the message has left or was given up
}

// Hold lets no message of a chat leave until release is called. It waits until the channel has ended the one that
// is on its way, for 10 s at most: the channels that keep files of a chat here need less.
func (o *Outbox) Hold(ctx context.Context, chat uint64) (release func()) {
	o.held.mu.Lock()
	if o.held.holds == nil {
		o.held.holds = map[uint64]int{}
	}
	o.held.holds[chat]++
	left := o.held.leaving[chat]
	o.held.mu.Unlock()
	if left != nil {
		late := time.NewTimer(holdLimit)
		defer late.Stop()
		select {
		case <-left:
		case <-late.C:
		case <-ctx.Done():
		}
	}
	return func() {
		o.held.mu.Lock()
		if o.held.holds[chat]--; o.held.holds[chat] == 0 {
			delete(o.held.holds, chat)
		}
		o.held.mu.Unlock()
		o.mu.Lock()
		all := slices.Collect(maps.Values(o.lanes))
		o.mu.Unlock()
		for _, s := range all {
			s.Signal(chat, lane.ForPerson, time.Time{})
		}
	}
}

// holding says whether no message of a chat may leave.
func (h *held) holding(chat uint64) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.holds[chat] > 0
}

// leaves notes that a lane begins with a message of a chat, unless that is held.
func (h *held) leaves(chat uint64) (left func(), ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.holds[chat] > 0 {
		return nil, false
	}
	if h.leaving == nil {
		h.leaving = map[uint64]chan struct{}{}
	}
	end := make(chan struct{})
	h.leaving[chat] = end
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.leaving[chat] == end {
			delete(h.leaving, chat)
		}
		close(end)
	}, true
}
