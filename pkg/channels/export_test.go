package channels

// Remembered is how many chats and deliveries e keeps something of.
func (e *Egress) Remembered() (chats, deliveries int) {
	e.chats.mu.Lock()
	defer e.chats.mu.Unlock()
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.chats.byChat), len(e.unsaved)
}
