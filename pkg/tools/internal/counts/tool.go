package counts

import "sync"

// maxModels bounds the models that are told apart; the calls of further ones are counted
// together, under [OtherModels].
const maxModels = 64

// OtherModels stands for the models beyond the bound.
const OtherModels = "(others)"

// Tool has the numbers of one tool, for each model that was offered or called it. It is
// safe for concurrent use, and its zero value is empty.
type Tool struct {
	mu     sync.RWMutex
	models map[string]*Counters
}

// Of are the numbers with a model; "" is for calls that no model made.
func (t *Tool) Of(model string) *Counters {
	t.mu.RLock()
	c := t.models[model]
	t.mu.RUnlock()
	if c != nil {
		return c
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.models[model] == nil && len(t.models) >= maxModels {
		model = OtherModels
	}
	if t.models[model] == nil {
		if t.models == nil {
			t.models = map[string]*Counters{}
		}
		t.models[model] = &Counters{}
	}
	return t.models[model]
}

// Each tells the numbers with each model, in no order.
func (t *Tool) Each(f func(model string, c *Counters)) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	for model, c := range t.models {
		f(model, c)
	}
}
