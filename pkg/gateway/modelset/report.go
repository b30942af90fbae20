package modelset

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"parley/pkg/config"
)

// Report is a model with its uses, for the operator.
type Report struct {
	// Name is the one that the configuration and /model have, Model the server's.
	Name  string `json:"name"`
	Model string `json:"model"`
	// Provider and Server are where it is asked; Server is "" for the built-in model.
	Provider string `json:"provider"`
	Server   string `json:"server,omitempty"`
	// Uses are the keys of the configuration that name it, in the order of the file's
	// documentation.
	Uses []string `json:"uses,omitempty"`
	// Keys is how many keys it has. Missing says that it lacks one and cannot be asked.
	Keys    int  `json:"keys"`
	Missing bool `json:"missing,omitempty"`
	// Speech says that it writes down speech and does nothing else.
	Speech bool `json:"speech,omitempty"`
}

// Reports are the models of the configuration, or those that were found, in the order of
// /model. One that writes down speech comes behind them, and those that lack a key come last.
func (s *Set) Reports() []Report {
	names := slices.Clone(s.order)
	for _, name := range slices.Sorted(maps.Keys(s.cfg.Models)) {
		if s.cfg.SpeechOnly(name) {
			names = append(names, name)
		}
	}
	names = append(names, s.left...)
	all := make([]Report, len(names))
	for i, name := range names {
		m := s.cfg.Models[name]
		all[i] = Report{
			Name: name, Model: modelName(m), Provider: m.Provider, Uses: uses(s.cfg, name), Keys: len(m.Keys()), Missing: m.Lacks(),
			Speech: s.cfg.SpeechOnly(name),
		}
		if m.Provider != Offline {
			all[i].Server = m.BaseURL
		}
	}
	return all
}

// uses are the keys of a configuration that name a model.
func uses(cfg *config.Config, name string) []string {
	var all []string
	add := func(key, names string) {
		if names == name {
			all = append(all, key)
		}
	}
	add("agent.model", cfg.Agent.Model)
	for i, other := range cfg.Agent.Fallbacks {
		add(fmt.Sprintf("agent.fallbacks[%d]", i), other)
	}
	for role, named := range cfg.Roles.All() {
		add("roles."+role, named)
	}
	for place, chat := range cfg.Chats {
		add("chats."+place, chat.Model)
	}
	for other, m := range cfg.Models {
		if m.Fallbacks != nil && slices.Contains(*m.Fallbacks, name) {
			add("models."+other+".fallbacks", name)
		}
	}
	slices.SortStableFunc(all, strings.Compare)
	return all
}
