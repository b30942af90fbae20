package tools

import (
	"sync"

	"parley/pkg/providers"
)

// offers keeps lists of definitions: there are as many as there are kinds of chats.
type offers struct {
	mu    sync.Mutex
	known map[string][]providers.ToolDefinition
}

// maxOffers is how many lists are kept; further ones are made anew each time.
const maxOffers = 32

func (o *offers) of(mask []byte) []providers.ToolDefinition {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.known[string(mask)]
}

func (o *offers) keep(mask []byte, list []providers.ToolDefinition) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.known == nil {
		o.known = map[string][]providers.ToolDefinition{}
	}
	if len(o.known) < maxOffers {
		o.known[string(mask)] = list
	}
}

// definitions is ToProviderDefs without a list of one's own: most turns are offered
// the same tools as many others. It must not be changed.
func (r *ToolRegistry) definitions() []providers.ToolDefinition {
	s := r.shared.now.Load()
	var few [64]byte
	mask := few[:0]
	n := 0
	for _, e := range s.sorted {
		if r.offers(e) && s.whyNot(e) == nil {
			mask = append(mask, 1)
			n++
		} else {
			mask = append(mask, 0)
		}
	}
	if known := s.offered.of(mask); known != nil {
		return known
	}
	out := make([]providers.ToolDefinition, 0, n)
	for i, e := range s.sorted {
		if mask[i] == 1 {
			out = append(out, e.definition)
		}
	}
	s.offered.keep(mask, out)
	return out
}
