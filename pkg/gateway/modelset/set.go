package modelset

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/rs/zerolog"

	"parley/pkg/agent/turn"
	"parley/pkg/channels"
	"parley/pkg/config"
	"parley/pkg/policy"
)

// Options are the needs of a [Set] beside the configuration.
type Options struct {
	LookupEnv func(string) (string, bool)
	// Known are all addresses by which a chat is or was known, the given one among them.
	Known func(channels.Address) []channels.Address
	// Redactor learns keys that were renewed; nil learns none.
	Redactor Redactor
	// Version is that of the gateway, which the built-in model tells.
	Version string
	Log     zerolog.Logger
}

// Set are the models of a gateway. It implements [turn.Models].
type Set struct {
	models map[string]turn.Model // those that can be asked, by their names
	order  []string              // the names, the one of agent.model first
	roles  map[string]string
	rules  []rule // those that name their chat more exactly first
	known  func(channels.Address) []channels.Address
	tool   turn.Model // the built-in model, which calls the tool of /tool
	speech turn.Model // writes down speech; without a provider where there is none
	origin Origin
	cfg    *config.Config
	o      Options
	left   []string // models that lack a key
	// secrets are keys that came from the environment.
	secrets []string
}

// Origin tells where the model that answers comes from, for people.
type Origin struct {
	// Name is the model, Why the reason for its choice.
	Name, Why string
	// Configured says that the configuration names it, Chosen that the chat does.
	Configured, Chosen bool
	// Also are the environment variables with the keys of further models.
	Also []string
}

// rule is what the configuration says of one chat.
type rule struct {
	place policy.Place
	key   string
	chat  *config.Chat
}

// New makes the models.
func New(ctx context.Context, cfg *config.Config, o Options) (*Set, error) {
	if len(cfg.Models) == 0 {
		f := find(ctx, o.LookupEnv)
		own := *cfg
		own.Agent.Model, own.Models = f.names[0], f.models
		s := &Set{origin: f.origin, secrets: f.secrets}
		s.fill(&own, f.names, o)
		return s, nil
	}
	names := slices.Sorted(maps.Keys(cfg.Models))
	i := slices.Index(names, cfg.Agent.Model)
	if i < 0 {
		return nil, fmt.Errorf("agent.model: there is no model %s", cfg.Agent.Model)
	}
	names = append([]string{cfg.Agent.Model}, slices.Delete(names, i, i+1)...)
	s := &Set{origin: Origin{Why: "models." + names[0] + " in the configuration", Configured: true}}
	if cfg.Roles.Chat != "" {
		s.origin.Why = "roles.chat in the configuration"
	}
	s.fill(cfg, names, o)
	s.origin.Name = s.Name()
	return s, nil
}

// Builtin is the set with the built-in model alone, for a gateway that asks none.
func Builtin(version string) *Set {
	s := &Set{}
	cfg := &config.Config{Agent: config.Agent{Model: Offline}, Models: map[string]*config.Model{Offline: {Provider: Offline}}}
	s.fill(cfg, []string{Offline}, Options{Version: version})
	return s
}

// fill makes the models of these names, and the rules of the roles and chats.
func (s *Set) fill(cfg *config.Config, names []string, o Options) {
	s.roles, s.known, s.rules = cfg.Roles.All(), o.Known, rulesOf(cfg.Chats)
	s.o = o
	s.cfg, s.tool = cfg, turn.Model{Provider: newProvider(&config.Model{Provider: Offline}, nil, &o), Name: Offline}
	m := maker{cfg: cfg, o: &o, targets: targetsOf(cfg, &o)}
	s.models = map[string]turn.Model{}
	s.speech = m.speech(cfg.Roles.Transcribe)
	for _, name := range names {
		if cfg.SpeechOnly(name) {
			continue
		}
		if _, asked := m.targets[name]; asked {
			s.order = append(s.order, name)
			s.models[name] = m.model(name)
		} else {
			s.left = append(s.left, name)
			o.Log.Info().Str("model", name).Msg("a model has no key: nobody can choose it")
		}
	}
}

// rulesOf reads the rules of chats; the configuration was checked.
func rulesOf(chats map[string]*config.Chat) []rule {
	var rules []rule
	for key, chat := range chats {
		if place, err := policy.ParsePlace(key); err == nil {
			rules = append(rules, rule{place, key, chat})
		}
	}
	slices.SortFunc(rules, func(a, b rule) int { return b.place.Weight() - a.place.Weight() })
	return rules
}

// of is the part that a field has in the rules about a chat: that of the rule which names
// the chat most exactly, under any of the addresses that it is known by.
func (s *Set) of(at channels.Address, field func(*rule) string) string {
	if len(s.rules) == 0 {
		return ""
	}
	known := s.known(at)
	for i := range s.rules {
		if v := field(&s.rules[i]); v != "" && slices.ContainsFunc(known, s.rules[i].place.Governs) {
			return v
		}
	}
	return ""
}

// For implements [turn.Models].
func (s *Set) For(role turn.Role, at channels.Address, chosen string) turn.Model {
	if role == turn.RoleTool {
		return s.tool
	}
	if role == turn.RoleTranscribe {
		return s.speech
	}
	m := s.models[s.name(role, at, chosen)]
	if choice := s.of(at, func(r *rule) string { return r.chat.ToolChoice }); choice != "" {
		m.ToolChoice = toolChoice(choice)
	}
	if effort := s.of(at, func(r *rule) string { return r.chat.Effort }); effort != "" {
		m.Options = map[string]any{optionEffort: effort}
	}
	return m
}

// name is the model for a role in a chat: the one that the configuration names for the
// role, or the chat's, or agent.model. The role of answering messages comes after the chat.
func (s *Set) name(role turn.Role, at channels.Address, chosen string) string {
	in := s.of(at, func(r *rule) string { return r.chat.Model })
	order := []string{s.roles[string(role)], chosen, in}
	if role == turn.RoleChat {
		order = []string{chosen, in, s.roles[string(role)]}
	}
	if role == turn.RoleDescribe {
		return s.seeing(append([]string{s.roles[string(turn.RoleVision)], chosen, in}, s.order...))
	}
	for _, name := range order {
		if _, ok := s.models[name]; ok {
			return name
		}
	}
	return s.order[0]
}

// seeing is the first of some models that takes pictures, or "".
func (s *Set) seeing(order []string) string {
	for _, name := range order {
		if s.models[name].Images {
			return name
		}
	}
	return ""
}

// Hears says whether there is a model that writes down speech.
func (s *Set) Hears() bool { return s.speech.Provider != nil }

// Sees says whether a model takes pictures.
func (s *Set) Sees() bool { return s.seeing(s.order) != "" }

// Choices implements [turn.Models].
func (s *Set) Choices() []turn.Choice {
	all := make([]turn.Choice, len(s.order))
	for i, name := range s.order {
		all[i] = turn.Choice{Name: name, Model: s.models[name].Name}
	}
	return all
}

// PromptOf is the key under chats of the rule with the prompt of a chat, or "".
func (s *Set) PromptOf(at channels.Address) string {
	return s.of(at, func(r *rule) string {
		if r.chat.Prompt == "" {
			return ""
		}
		return r.key
	})
}

// Name is the model that answers a message where the chat has no other.
func (s *Set) Name() string {
	if m, ok := s.models[s.roles[string(turn.RoleChat)]]; ok {
		return m.Name
	}
	return s.models[s.order[0]].Name
}

// Origin tells where that model comes from.
func (s *Set) Origin() Origin { return s.origin }

// OriginAt tells where the model comes from that answers messages in a chat with a choice
// of its own, or with "".
func (s *Set) OriginAt(at channels.Address, chosen string) Origin {
	o := s.origin
	name := s.name(turn.RoleChat, at, chosen)
	place := s.of(at, func(r *rule) string {
		if r.chat.Model == "" {
			return ""
		}
		return r.key
	})
	switch {
	case name == chosen:
		o.Name, o.Chosen = s.models[name].Title(), true
	case place != "":
		o.Name, o.Why = s.models[name].Name, fmt.Sprintf("chats.%q.model in the configuration", place)
	}
	return o
}

// Secrets are keys that came from the environment, for a redactor.
func (s *Set) Secrets() []string { return s.secrets }
