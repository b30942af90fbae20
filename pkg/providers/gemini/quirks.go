package gemini

import (
	"errors"
	"strings"

	"parley/pkg/providers"
)

// quirks are the fields that a model has refused.
type quirks struct {
	mustSign   bool // calls without a signature are refused
	foreign    bool // the signatures of this conversation are refused, or there are too few
	noIDs      bool
	noThinking bool
}

// checks says whether a model wants a signature with each step of calls. Models outside
// the family are known to want it by their refusal alone.
func (k quirks) checks(model string) bool {
	return k.mustSign || strings.HasPrefix(family(model), "gemini-") && !older(model)
}

// learn adds the refusal in err about q. It returns k itself if that is known already.
func (k quirks) learn(err error, q *question) quirks {
	refused, ok := errors.AsType[*providers.Error](err)
	if !ok || refused.Kind != providers.KindInvalid || refused.Status == 0 {
		return k
	}
	message := strings.ToLower(strings.NewReplacer("_", "", " ", "").Replace(refused.Message))
	switch {
	case strings.Contains(message, "thoughtsignature") && strings.Contains(message, "missing") && !k.checks(q.model):
		k.mustSign = true
	case strings.Contains(message, "thoughtsignature"):
		k.foreign = true
	case strings.Contains(message, `unknownname"id"`):
		k.noIDs = true
	case q.options["reasoning_effort"] != nil && strings.Contains(message, "thinking"):
		k.noThinking = true
	}
	return k
}

// quirksOf gives those that a model is known for.
func (p *Provider) quirksOf(model string) quirks {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.quirks[model]
}

// remember keeps those of a model. Whether signatures are refused depends on the conversation.
func (p *Provider) remember(model string, k quirks) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.quirks) >= maxModelsKnown {
		clear(p.quirks)
	}
	k.foreign = false
	p.quirks[model] = k
}
