package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"parley/pkg/strictyaml"
)

// run checks the models, and the agent that asks them.
func (c modelChecker) run() {
	c.agent()
	c.choices()
	c.schedules()
	for _, name := range slices.Sorted(maps.Keys(c.cfg.Models)) {
		c.model("models."+name, c.cfg.Models[name])
	}
}

// agent checks which models are asked, and in which order.
func (c modelChecker) agent() {
	a := &c.cfg.Agent
	if len(c.cfg.Models) == 0 {
		if a.Model != Default("").Agent.Model {
			c.at("agent.model", "%s is not among the models: there are none, so add a block models", strictyaml.Quote(a.Model))
		}
		for i := range a.Fallbacks {
			c.at(fmt.Sprintf("agent.fallbacks[%d]", i), "there are no models: add a block models")
		}
		return
	}
	c.modelName("agent.model", a.Model)
	c.fallbacks("agent.fallbacks", a.Model, a.Fallbacks)
}

func (c modelChecker) modelName(path, name string) {
	if _, ok := c.cfg.Models[name]; !ok {
		c.at(path, "%s is not among the models: write one of %s", strictyaml.Quote(name),
			strings.Join(slices.Sorted(maps.Keys(c.cfg.Models)), ", "))
	}
}

// ownProtocols are the providers with a protocol of their own, with their base URLs.
func ownProtocols() map[string]string {
	return map[string]string{ProviderAnthropic: AnthropicURL, ProviderGemini: GeminiURL}
}

// natives gives the models with a protocol of their own the defaults of their providers.
func (w *walker) natives(cfg *Config) {
	for name, m := range cfg.Models {
		if m == nil || ownProtocols()[m.Provider] == "" {
			continue
		}
		if !w.yaml.Written("models." + name + ".base_url") {
			m.BaseURL = ownProtocols()[m.Provider]
		}
		if !w.yaml.Written("models." + name + ".bearer") {
			m.Bearer = strings.Contains(m.BaseURL, "/projects/")
		}
	}
}

// pictures are taken by the models that are known for it, unless the file says otherwise.
func (w *walker) pictures(cfg *Config, sees func(*Model) bool) {
	for name, m := range cfg.Models {
		if m != nil && !w.yaml.Written("models."+name+".images") {
			m.Images = ownProtocols()[m.Provider] != "" || sees != nil && sees(m)
		}
	}
}

// protocol reports the keys of another protocol than a model's own.
func (c modelChecker) protocol(path string, m *Model) {
	if ownProtocols()[m.Provider] != "" {
		if at := path + ".kind"; c.written(at) {
			c.at(at, "belongs to the OpenAI protocol: leave it out, or write provider: openai")
		}
		switch {
		case !c.written(path + ".path"):
		case strings.ContainsAny(m.Path, "?#") || strings.Contains(m.Path, "://"):
			c.at(path+".path", "is more than a path: write the server into base_url, and here what follows it, such as /models/{model}")
		case !strings.Contains(m.Path, "{model}"):
			c.at(path+".path", "has no place for the model: write {model} in it, such as /models/{model}")
		}
		if strings.Contains(m.BaseURL, "/models/") || strings.Contains(m.BaseURL, ":generateContent") ||
			strings.HasSuffix(strings.TrimRight(m.BaseURL, "/"), "/messages") {
			c.at(path+".base_url", "must end before the path of the model, which is added to it")
		}
		return
	}
	for _, key := range []string{"path", "bearer"} {
		if at := path + "." + key; c.written(at) {
			c.at(at, "belongs to Gemini and Anthropic: leave it out, or write provider: gemini or anthropic")
		}
	}
	if strings.HasSuffix(strings.TrimRight(m.BaseURL, "/"), "/chat/completions") {
		c.at(path+".base_url", "must end before /chat/completions, which is added to it")
	}
}

func (c modelChecker) model(path string, m *Model) {
	c.prices(path + ".prices")
	c.toolChoice(path+".tool_choice", m.ToolChoice)
	if at := path + ".reasoning_effort"; c.written(at) && c.options.Unguided != nil && c.options.Unguided(m) {
		c.at(at, "is never sent, because the model takes none (its row in docs/models.md): leave it out")
	}
	if m.Fallbacks != nil {
		c.fallbacks(path+".fallbacks", strings.TrimPrefix(path, "models."), *m.Fallbacks)
	}
	if m.Provider == "offline" {
		for _, key := range []string{"model", "kind", "base_url", "path", "bearer", "api_key", "api_keys", "context", "reasoning_effort"} {
			if at := path + "." + key; c.written(at) {
				c.at(at,
					"belongs to a server, and offline is the model that is built in: write provider: openai for a server, also one on this machine")
			}
		}
		return
	}
	if kinds := c.options.Kinds; c.written(path+".kind") && kinds != nil && !slices.Contains(kinds, m.Kind) {
		c.at(path+".kind", "%s is not understood: write one of %s, or leave it out", strictyaml.Quote(m.Kind), strings.Join(kinds, ", "))
	}
	if m.Model == "" {
		c.at(path+".model", "is missing: write the server's name for the model, such as gpt-4o")
	}
	c.keys(path, m)
	c.server(path+".base_url", m.BaseURL, len(m.Keys()) > 0)
	c.protocol(path, m)
	for key, d := range map[string]Duration{"connect": m.Timeouts.Connect, "idle": m.Timeouts.Idle} {
		if at := path + ".timeouts." + key; c.written(at) && d > m.Timeouts.Total {
			c.at(at, "is longer than total, %s, which ends the request first", m.Timeouts.Total)
		}
	}
}

// prices reports half a price: the other half would count as zero, and no limit of
// money would ever be reached.
func (c modelChecker) prices(path string) {
	if at := path + ".minute"; c.written(at) {
		if path != "models."+c.cfg.Roles.Transcribe+".prices" {
			c.yaml.Note(at, "has no effect, because roles.transcribe does not name this model: it may stay")
		}
		return
	}
	if !c.written(path) {
		return
	}
	for _, key := range []string{"input", "output"} {
		if at := path + "." + key; !c.written(at) {
			c.at(at, "is missing: write what a million tokens cost, 0 for nothing")
		}
	}
}
