package outbound

// Remembered is how many addresses the way out remembers.
func (s *Sender) Remembered() int {
	s.activity.places.mu.Lock()
	defer s.activity.places.mu.Unlock()
	return s.activity.places.order.Len()
}

// Steady is steady.
func Steady(block string) string { return steady(block) }

// Sections is sections.
func Sections(text string) []string { return sections(text) }
