package config

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"parley/pkg/strictyaml"
)

// Roles are the models for purposes, by their names under models. An empty one is that of
// agent.model.
type Roles struct {
	Chat       string `yaml:"chat" jsonschema_description:"The model that answers messages. Default: agent.model, as for all roles."`
	Summary    string `yaml:"summary" jsonschema_description:"The model that shortens a conversation."`
	Vision     string `yaml:"vision" jsonschema_description:"The model that sees pictures for chats whose model takes none. Default for descriptions: the first model that takes pictures."`
	Transcribe string `yaml:"transcribe" jsonschema_description:"The model that writes down speech, on a server with /audio/transcriptions. Default none."`
	Translate  string `yaml:"translate" jsonschema_description:"The model that translates."`
	Heartbeat  string `yaml:"heartbeat" jsonschema_description:"The model that answers the heartbeat."`
	Subagent   string `yaml:"subagent" jsonschema_description:"The model of background agents."`
}

// All are the roles by their keys, those that the file leaves out as "".
func (r *Roles) All() map[string]string {
	return map[string]string{
		"chat": r.Chat, "summary": r.Summary, "vision": r.Vision,
		"transcribe": r.Transcribe, "translate": r.Translate, "heartbeat": r.Heartbeat, "subagent": r.Subagent,
	}
}

// Chat is how the assistant answers in one chat.
type Chat struct {
	Prompt     string `yaml:"prompt" jsonschema_description:"A file with further instructions for this chat, behind AGENT.md. It is read for every turn."`
	Model      string `yaml:"model" jsonschema_description:"The name under models of the model that answers here, until somebody chooses another with /model."`
	ToolChoice string `yaml:"tool_choice" jsonschema_description:"As models.NAME.tool_choice, for this chat."`
	Effort     string `yaml:"reasoning_effort" jsonschema:"enum=none,enum=minimal,enum=low,enum=medium,enum=high,enum=xhigh" jsonschema_description:"As models.NAME.reasoning_effort, for this chat and whichever model answers in it."`
}

// inUse says whether the gateway may ask a model by itself, so that its keys must be there.
// A model that only a person may choose does without.
func (c *Config) inUse(name string) bool {
	uses := append([]string{c.Agent.Model}, slices.Collect(maps.Values(c.Roles.All()))...)
	for _, chat := range c.Chats {
		uses = append(uses, chat.Model)
	}
	if slices.Contains(uses, name) || slices.Contains(c.Agent.Fallbacks, name) {
		return true
	}
	for _, m := range c.Models {
		if m.Fallbacks != nil && slices.Contains(*m.Fallbacks, name) {
			return true
		}
	}
	return false
}

// Keys are the keys of a model's server, in the order in which they are used.
func (m *Model) Keys() []Secret {
	if m.APIKey.IsSet() {
		return []Secret{m.APIKey}
	}
	keys := make([]Secret, len(m.APIKeys))
	for i, key := range m.APIKeys {
		keys[i] = *key
	}
	return keys
}

// Lacks says whether a key that the file names is missing.
func (m *Model) Lacks() bool {
	return slices.ContainsFunc(m.Keys(), func(s Secret) bool { return s.value == "" })
}

// FallbacksOf names the models that step in for a model, in their order.
func (c *Config) FallbacksOf(name string) []string {
	list := c.Agent.Fallbacks
	if m := c.Models[name]; m != nil && m.Fallbacks != nil {
		list = *m.Fallbacks
	}
	return slices.DeleteFunc(slices.Clone(list), func(other string) bool { return other == name })
}

// choices checks the models of roles and chats.
func (c modelChecker) choices() {
	roles := c.cfg.Roles.All()
	for _, role := range slices.Sorted(maps.Keys(roles)) {
		path := "roles." + role
		if !c.written(path) || !c.offers(path, roles[role]) {
			continue
		}
		if m := c.cfg.Models[roles[role]]; role == "transcribe" && m != nil && m.Provider != ProviderOpenAI {
			c.at(path, "%s does not write down speech: name a model with provider: openai, such as whisper-1", strictyaml.Quote(roles[role]))
		}
		if m := c.cfg.Models[roles[role]]; role == "vision" && m != nil && !m.Images {
			c.at(path, "%s takes no pictures: write images: true into models.%s, or name another model",
				strictyaml.Quote(roles[role]), roles[role])
		}
	}
	checkSenses(c)
	refuseDefault(c)
	for _, place := range slices.Sorted(maps.Keys(c.cfg.Chats)) {
		c.chat("chats."+place, place, c.cfg.Chats[place])
	}
}

// checkSenses checks that there is a model for each sense that is used.
func checkSenses(c modelChecker) {
	if c.cfg.Agent.Voice == VoiceTranscribe && c.cfg.Roles.Transcribe == "" {
		c.at("agent.voice", "needs a model that writes down speech: add one to models, such as whisper-1, and name it in roles.transcribe")
	}
	sees := func(m *Model) bool { return m != nil && m.Images }
	if c.cfg.Agent.Pictures == PicturesDescribe && !slices.ContainsFunc(slices.Collect(maps.Values(c.cfg.Models)), sees) {
		c.at("agent.pictures", "needs a model that takes pictures: write images: true into one of models")
	}
}

// SpeechOnly says whether a model writes down speech, as roles.transcribe or as a fallback of that, and
// has no other purpose: no chat chooses it.
func (c *Config) SpeechOnly(name string) bool {
	ears := c.Roles.Transcribe
	m := c.Models[ears]
	if m == nil || name != ears && (m.Fallbacks == nil || !slices.Contains(*m.Fallbacks, name)) {
		return false
	}
	others := &Config{Agent: c.Agent, Models: maps.Clone(c.Models), Chats: c.Chats, Roles: c.Roles}
	others.Roles.Transcribe = ""
	delete(others.Models, ears)
	return !others.inUse(ears) && !others.inUse(name)
}

// refuseDefault reports a model with the name by which /model takes a chat's choice back, unless
// that model answers then in every chat.
func refuseDefault(c modelChecker) {
	answer := map[string]bool{cmp.Or(c.cfg.Roles.Chat, c.cfg.Agent.Model): true}
	for _, chat := range c.cfg.Chats {
		answer[chat.Model] = true
	}
	for _, name := range slices.Sorted(maps.Keys(c.cfg.Models)) {
		others := slices.ContainsFunc(slices.Collect(maps.Keys(c.cfg.Models)), func(other string) bool { return other != name && answer[other] })
		if strings.EqualFold(name, "default") && others {
			c.at("models."+name, "needs another name: a person who writes /model default gets the model that answers without a choice")
		}
	}
}

// offers reports a name that no model has.
func (c modelChecker) offers(path, name string) bool {
	if len(c.cfg.Models) == 0 {
		c.at(path, "there are no models: add a block models")
		return false
	}
	c.modelName(path, name)
	return true
}

func (c modelChecker) chat(path, place string, chat *Chat) {
	c.place(path, place)
	if *chat == (Chat{}) && c.yaml.Understood(path) {
		c.at(path, "says nothing: write prompt, model, tool_choice or reasoning_effort, or leave it out")
	}
	if c.written(path + ".model") {
		c.offers(path+".model", chat.Model)
	}
	c.toolChoice(path+".tool_choice", chat.ToolChoice)
	if chat.Prompt != "" && !c.options.WithoutSecrets && c.options.Prompt != nil {
		c.report(path+".prompt", c.options.Prompt(chat.Prompt))
	}
}

// toolChoice checks one of the words, or the name of a tool.
func (c modelChecker) toolChoice(path, choice string) {
	words := []string{"auto", "none", "required"}
	switch {
	case !c.written(path) || slices.Contains(words, choice):
	case choice == "":
		c.at(path, "is empty: write one of %s, or the name of a tool", strings.Join(words, ", "))
	default:
		toolChecker(c).toolName(path, choice)
	}
}

// keys checks that the keys of a model stand in one place.
func (c modelChecker) keys(path string, m *Model) {
	switch {
	case c.written(path+".api_key") && c.written(path+".api_keys"):
		c.at(path+".api_keys", "stands beside api_key: write all keys into api_keys, and leave api_key out")
	case c.written(path+".api_keys") && len(m.APIKeys) == 0:
		c.at(path+".api_keys", "is empty: write the keys, or leave it out")
	case ownProtocols()[m.Provider] == m.BaseURL && !c.written(path+".api_key") && !c.written(path+".api_keys"):
		c.at(path+".api_key", "is missing, and %s answers with a key only: write where it is, such as env:%s_API_KEY",
			m.BaseURL, strings.ToUpper(m.Provider))
	}
}

// fallbacks checks the order in which the models of a list step in for the one before.
func (c modelChecker) fallbacks(path, before string, list []string) {
	first := before
	for i, name := range list {
		at := fmt.Sprintf("%s[%d]", path, i)
		c.modelName(at, name)
		if m := c.cfg.Models[before]; m != nil && m.Provider == "offline" {
			c.at(at, "is never asked, because %s before it is the built-in model, which always answers: put that one last",
				strictyaml.Quote(before))
		} else if name == first {
			c.at(at, "is the model that is asked first already: write another, or take it out")
		}
		before = name
	}
}

// prompts makes the places of the chats' prompts absolute.
func (w *walker) prompts(cfg *Config, home, dir string) {
	for place, chat := range cfg.Chats {
		path := "chats." + place + ".prompt"
		w.named(path, "file", chat.Prompt)
		if chat.Prompt != "" {
			chat.Prompt = expand(chat.Prompt, home, dir)
		}
	}
}

// modelOf is the name of the model to which the key at a path belongs: of models.NAME.api_key,
// or of models.NAME.api_keys[I].
func modelOf(path string) string {
	return strings.TrimPrefix(strings.TrimSuffix(path, filepath.Ext(path)), "models.")
}
