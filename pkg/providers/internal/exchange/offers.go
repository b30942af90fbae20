package exchange

import (
	"slices"
	"sync"

	"parley/pkg/providers"
)

// Offers keep the encoded form of recently offered tools: the chats of one level are
// offered the same ones, and their definitions are constant. The zero value is ready, and many
// goroutines may use it at once.
type Offers struct {
	mu     sync.Mutex
	recent []offer // the oldest first
}

type offer struct {
	defs []providers.ToolDefinition
	form string
	text []byte
}

// maxOffers is how many sets of tools are kept.
const maxOffers = 8

// Of gives tools as encode writes them in a form, which is empty for a protocol with one
// form. The bytes are shared.
func (o *Offers) Of(
	defs []providers.ToolDefinition, form string,
	encode func(defs []providers.ToolDefinition, form string) ([]byte, error),
) ([]byte, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for i := range o.recent {
		if o.recent[i].form == form && slices.EqualFunc(o.recent[i].defs, defs, sameTool) {
			return o.recent[i].text, nil
		}
	}
	text, err := encode(defs, form)
	if err != nil {
		return nil, err
	}
	if len(o.recent) == maxOffers {
		o.recent = append(o.recent[:0], o.recent[1:]...)
	}
	o.recent = append(o.recent, offer{slices.Clone(defs), form, slices.Clip(text)})
	return text, nil
}

// sameTool says whether two definitions are encoded alike, by the schema's own bytes;
// one without encoded bytes counts as different.
func sameTool(a, b providers.ToolDefinition) bool {
	x, y := &a.Function, &b.Function
	return len(x.Encoded) > 0 && len(x.Encoded) == len(y.Encoded) && &x.Encoded[0] == &y.Encoded[0] &&
		x.Name == y.Name && x.Description == y.Description
}
