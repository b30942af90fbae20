package events

import "parley/pkg/channels"

// Forget drops the events of a chat that is forgotten, and its readers read the chat anew.
func Forget(h *Hub, at channels.Address) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.chats[at] == nil {
		return
	}
	c := h.enter(at)
	h.size -= c.events.size + c.heldSize
	c.ends, c.awaits, c.early = nil, "", nil
	c.held, c.heldSize = nil, 0
	for c.events.len() > 0 {
		c.events.shift()
	}
	h.seq++ // a reader that has had all events is behind it, too
	c.floor, h.gone = h.seq, h.seq
	if c.changed != nil {
		close(c.changed)
		c.changed = nil
	}
	h.changed(at)
	h.leave(c)
}
