package channels

// Remembered is how many chats and deliveries e keeps something of.
func (e *Egress) Remembered() (chats, deliveries int) {
	e.lanes.mu.Lock()
	defer e.lanes.mu.Unlock()
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.lanes.byChat), len(e.unsaved)
}
