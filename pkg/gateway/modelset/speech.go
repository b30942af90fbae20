package modelset

import (
	"time"

	"parley/pkg/agent/turn"
	"parley/pkg/config"
	"parley/pkg/providers"
	"parley/pkg/providers/speech"
)

// speech is the model of a name as one that writes down speech, together with those that its own
// fallbacks name. A name without a key, or "", gives a model without a provider.
func (k *maker) speech(name string) turn.Model {
	m := k.cfg.Models[name]
	if m == nil || m.Lacks() {
		return turn.Model{}
	}
	targets := []providers.Target{k.hearing(name, m)}
	if m.Fallbacks != nil {
		for _, other := range *m.Fallbacks {
			if o := k.cfg.Models[other]; o != nil && other != name && !o.Lacks() && o.Provider == config.ProviderOpenAI {
				targets = append(targets, k.hearing(other, o))
			}
		}
	}
	return turn.Model{Provider: providers.Failover(retrying(k.o.Log), targets...), Name: modelName(m), Choice: name}
}

// hearing is the target of a model that writes down speech.
func (k *maker) hearing(name string, m *config.Model) providers.Target {
	return keyed(name, m, func(key *config.Secret) providers.LLMProvider {
		return speech.New(speech.Options{
			BaseURL: m.BaseURL, Key: keyOf(key, k.o), ConnectTimeout: time.Duration(m.Timeouts.Connect),
			IdleTimeout: time.Duration(m.Timeouts.Idle), TotalTimeout: time.Duration(m.Timeouts.Total),
		})
	})
}
