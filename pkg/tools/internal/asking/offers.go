package asking

import (
	"sync"

	"parley/pkg/providers"
)

// maxOffers bounds how many lists are kept; further ones are made anew each time.
const maxOffers = 32

// Offers keeps lists of definitions, one for each kind of chat, by a mask that has a byte
// for each tool. Its zero value is empty.
type Offers struct {
	mu    sync.Mutex
	known map[string][]providers.ToolDefinition
}

// Of returns the list of a mask, or nil.
func (o *Offers) Of(mask []byte) []providers.ToolDefinition {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.known[string(mask)]
}

// Keep keeps the list of a mask.
func (o *Offers) Keep(mask []byte, list []providers.ToolDefinition) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.known == nil {
		o.known = map[string][]providers.ToolDefinition{}
	}
	if len(o.known) < maxOffers {
		o.known[string(mask)] = list
	}
}
