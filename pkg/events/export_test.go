package events

// MaxAll is the bound of the events of all chats.
const MaxAll = maxAll

// Size is the size of the events of all chats.
func (h *Hub) Size() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.size
}

// Chats is the number of chats of which the hub keeps something.
func (h *Hub) Chats() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.chats)
}
