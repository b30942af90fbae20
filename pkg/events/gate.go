package events

import (
	"slices"
	"time"
)

// The bounds of a wait for a message: the size of the events of a chat that wait for it, and
// how long they do. Messages need a moment; beyond it the readers read the chat anew.
const (
	maxHeld = 256 << 10
	holdFor = 10 * time.Second
)

// held is an event behind a Done that waits for its message. A Done may itself wait for one, that
// with the id awaits.
type held struct {
	data   Data
	awaits string
}

// tell adds an event, behind all that wait; the lock is held.
func (h *Hub) tell(c *chat, d Data) {
	if len(c.held) > 0 {
		c.hold(h, held{data: d})
	} else {
		h.add(c, d)
	}
}

// begin adds the beginning of a turn, behind the end of the one before; the lock is held.
func (h *Hub) begin(c *chat, d TurnBegun) {
	c.turn, c.began = d.Turn, 0
	if c.ends == nil {
		c.early = nil
		h.add(c, d)
		c.began = h.seq
		return
	}
	first := len(c.held) == 0
	if c.hold(h, held{data: d}); first {
		c.limit(h)
	}
}

// end adds the end of a turn, behind the message that it awaits; the lock is held.
func (h *Hub) end(c *chat, d Done, awaits string) {
	switch {
	case len(c.held) > 0:
		c.hold(h, held{data: d, awaits: awaits})
	case awaits == "" || slices.Contains(c.early, awaits):
		h.add(c, d)
	default:
		c.ends, c.awaits = &d, awaits
	}
}

// finish adds the Done whose message is there, and what waited for it; the lock is held.
func (h *Hub) finish(c *chat) {
	d := *c.ends
	c.ends, c.awaits = nil, ""
	h.add(c, d)
	c.release(h)
}

// hold lets an event wait; the lock is held.
func (c *chat) hold(h *Hub, e held) {
	n := e.data.size() + overhead
	c.held, c.heldSize, h.size = append(c.held, e), c.heldSize+n, h.size+n
	limit := maxHeld
	if h.size > maxAll {
		limit = minChat
	}
	for c.heldSize > limit && c.ends != nil {
		c.giveUp(h)
	}
}

// release adds the events that waited, up to the next Done whose message is not there; the
// lock is held.
func (c *chat) release(h *Hub) {
	waiting := c.held
	h.size -= c.heldSize
	c.held, c.heldSize = nil, 0
	for i, e := range waiting {
		switch d := e.data.(type) {
		case TurnBegun:
			h.add(c, d)
			if c.turn == d.Turn {
				c.began = h.seq
			}
		case Done:
			h.end(c, d, e.awaits)
		default:
			h.add(c, d)
		}
		if c.ends != nil && i+1 < len(waiting) {
			for _, e := range waiting[i+1:] {
				c.heldSize += e.data.size() + overhead
			}
			c.held = slices.Clone(waiting[i+1:])
			h.size += c.heldSize
			c.limit(h)
			return
		}
	}
}

// limit ends the wait for the message of a Done in time; the lock is held.
func (c *chat) limit(h *Hub) {
	awaited := c.ends
	if awaited == nil {
		return
	}
	time.AfterFunc(holdFor, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if c.ends == awaited && h.chats[c.at] == c {
			h.enter(c.at) // it is not idle meanwhile
			c.giveUp(h)
			h.leave(c)
		}
	})
}

// giveUp ends the wait for a message that does not come. The order is lost, so that the list
// begins anew, and each reader reads the chat from the store; the lock is held.
func (c *chat) giveUp(h *Hub) {
	d := *c.ends
	c.ends, c.awaits = nil, ""
	h.add(c, d)
	h.size -= c.events.size
	for c.events.len() > 0 {
		c.floor = c.events.shift()
	}
	c.release(h)
}
