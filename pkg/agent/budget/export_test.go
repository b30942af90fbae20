package budget

import "parley/pkg/channels"

// Running is how many turns count in a chat.
func (m *Meter) Running(payer channels.Address) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.open[payer])
}
