package modelset

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/rs/zerolog"

	"parley/pkg/agent/turn"
	"parley/pkg/config"
	"parley/pkg/providers"
	"parley/pkg/providers/anthropic"
	"parley/pkg/providers/gemini"
	"parley/pkg/providers/kinds"
	"parley/pkg/providers/offline"
	"parley/pkg/providers/openai"
	"parley/pkg/providers/toolmode"
)

// Offline is the provider of the built-in model.
const Offline = "offline"

// maker makes the models of a configuration.
type maker struct {
	cfg     *config.Config
	o       *Options
	targets map[string]providers.Target // by the models' names; not those that lack a key
}

// targetsOf makes one target of each model, which all share that ask it.
func targetsOf(cfg *config.Config, o *Options) map[string]providers.Target {
	targets := map[string]providers.Target{}
	for name, m := range cfg.Models {
		if !m.Lacks() {
			targets[name] = targetOf(name, m, o)
		}
	}
	return targets
}

func targetOf(name string, m *config.Model, o *Options) providers.Target {
	return keyed(name, m, func(key *config.Secret) providers.LLMProvider { return tuned{newProvider(m, key, o), modelOptions(m)} })
}

// keyed is the target of a model with a provider for each of its keys, or for nil.
func keyed(name string, m *config.Model, provider func(*config.Secret) providers.LLMProvider) providers.Target {
	metered := func(key *config.Secret) providers.LLMProvider {
		return providers.Metered(provider(key), name, prices(m))
	}
	t := providers.Target{Model: modelName(m), Total: time.Duration(m.Timeouts.Total), Health: &providers.Health{}}
	keys := m.Keys()
	if len(keys) == 0 {
		t.Provider = metered(nil)
		return t
	}
	t.Provider = metered(&keys[0])
	for i := range keys[1:] {
		t.Spares = append(t.Spares, metered(&keys[i+1]))
	}
	return t
}

// model is a model together with those that step in for it.
func (k *maker) model(name string) turn.Model {
	targets := []providers.Target{k.targets[name]}
	for _, other := range k.cfg.FallbacksOf(name) {
		if t, asked := k.targets[other]; asked {
			targets = append(targets, t)
		}
	}
	m := k.cfg.Models[name]
	schema, object := k.formats(name)
	return turn.Model{
		Provider: providers.Failover(retrying(k.o.Log), targets...), Name: modelName(m), Choice: name,
		ToolChoice: toolChoice(m.ToolChoice), Images: m.Images, Context: contextOf(m),
		Schema: schema, Object: object,
	}
}

// formats says whether a model and those that step in for it hold an answer to a JSON Schema,
// and to one that takes any object, as far as the table of kinds tells. A model that writes
// its calls as JSON has a schema already.
func (k *maker) formats(name string) (schema, object bool) {
	schema, object = true, true
	for _, one := range append([]string{name}, k.cfg.FallbacksOf(name)...) {
		m := k.cfg.Models[one]
		if _, asked := k.targets[one]; !asked || m == nil {
			continue
		}
		row, _ := kinds.Of(m.Kind, m.BaseURL, m.Model)
		mode := cmp.Or(m.ToolMode, row.Traits.ToolMode)
		if m.Provider == Offline || mode == string(toolmode.JSONSchema) || slices.Contains(row.Traits.Refuses, toolmode.OptionFormat) {
			schema = false
		}
		if m.Provider == config.ProviderAnthropic { // its schemas name each property
			object = false
		}
	}
	return schema, schema && object
}

// Sees says whether a model takes pictures, as far as the table of kinds tells.
func Sees(m *config.Model) bool {
	row, _ := kinds.Of(m.Kind, m.BaseURL, m.Model)
	return m.Provider != Offline && row.Traits.Images == kinds.Yes
}

// Unguided says whether the row of a model in the table of kinds takes no word about its
// reasoning.
func Unguided(m *config.Model) bool {
	row, _ := kinds.Of(m.Kind, m.BaseURL, m.Model)
	return m.Provider == config.ProviderOpenAI && slices.Contains(row.Traits.Refuses, optionEffort)
}

// contextOf is the context of a model: that of the configuration, or of the model's row in
// the table of kinds.
func contextOf(m *config.Model) int {
	if m.Provider == Offline {
		return 0
	}
	row, _ := kinds.Of(m.Kind, m.BaseURL, m.Model)
	return cmp.Or(m.Context, row.Traits.Context)
}

// toolChoice is a setting in the form of the option.
func toolChoice(setting string) any {
	switch {
	case setting == "":
		return nil
	case slices.Contains([]string{"auto", "none", "required"}, setting):
		return setting
	default:
		return map[string]any{"name": setting}
	}
}

// newProvider asks the server of a model, with one of its keys or nil.
func newProvider(m *config.Model, key *config.Secret, opts *Options) providers.LLMProvider {
	if m.Provider == Offline {
		return offline.New(offline.Options{Version: opts.Version})
	}
	reveal := keyOf(key, opts)
	connect, idle, total := time.Duration(m.Timeouts.Connect), time.Duration(m.Timeouts.Idle), time.Duration(m.Timeouts.Total)
	switch m.Provider {
	case config.ProviderAnthropic:
		return withTools(anthropic.New(anthropic.Options{
			BaseURL: m.BaseURL, Path: m.Path, Bearer: m.Bearer, Images: m.Images, Key: reveal,
			ConnectTimeout: connect, IdleTimeout: idle, TotalTimeout: total,
		}), m, opts)
	case config.ProviderGemini:
		return withTools(gemini.New(gemini.Options{
			BaseURL: m.BaseURL, Path: m.Path, Bearer: m.Bearer, Images: m.Images, Key: reveal,
			ConnectTimeout: connect, IdleTimeout: idle, TotalTimeout: total,
		}), m, opts)
	default:
		return withTools(openai.New(openai.Options{
			BaseURL: m.BaseURL, Kind: m.Kind, Images: m.Images, Key: reveal,
			ConnectTimeout: connect, IdleTimeout: idle, TotalTimeout: total,
		}), m, opts)
	}
}

// modelName is the server's name for a model.
func modelName(m *config.Model) string {
	if m.Model == "" {
		return m.Provider
	}
	return m.Model
}

func modelOptions(m *config.Model) map[string]any {
	o := map[string]any{}
	if m.MaxTokens > 0 {
		o["max_tokens"] = m.MaxTokens
	}
	if m.Temperature != nil {
		o["temperature"] = *m.Temperature
	}
	if m.Effort != "" {
		o[optionEffort] = m.Effort
	}
	return o
}

// prices are the costs of a model, or zero where they are unknown.
func prices(m *config.Model) providers.Prices {
	if m.Prices == nil {
		return providers.Prices{}
	}
	return providers.Prices(*m.Prices)
}

// retrying logs each failed attempt that another one follows.
func retrying(log zerolog.Logger) providers.RetryPolicy {
	return providers.RetryPolicy{OnRetry: func(r providers.Retried) {
		said := "asking the model again"
		if r.Next != r.Err.Model {
			said = "asking the next model"
		} else if r.NextKey != r.Key {
			said = "asking the model with the next key"
		}
		log.Warn().Err(r.Err).Int("attempt", r.Attempt).Int("key", r.Key).
			Str("next", r.Next).Int("next_key", r.NextKey).Dur("wait", r.Wait).Dur("rest", r.Rest).Msg(said)
	}}
}

// optionEffort is the option for the reasoning of a model.
const optionEffort = "reasoning_effort"

// tuned asks a provider with its own model's options: the caller's are those of the first
// model, apart from its choices for the chat.
type tuned struct {
	provider providers.LLMProvider
	options  map[string]any
}

// Chat implements [providers.LLMProvider].
func (t tuned) Chat(
	ctx context.Context, messages []providers.Message,
	tools []providers.ToolDefinition, model string, options map[string]any,
) (*providers.LLMResponse, error) {
	return t.provider.Chat(ctx, messages, tools, model, t.merge(options))
}

// ChatStream implements [providers.StreamingProvider].
func (t tuned) ChatStream(
	ctx context.Context, messages []providers.Message, tools []providers.ToolDefinition,
	model string, options map[string]any, emit func(providers.StreamEvent),
) (*providers.LLMResponse, error) {
	return providers.Stream(ctx, t.provider, messages, tools, model, t.merge(options), emit)
}

func (t tuned) merge(options map[string]any) map[string]any {
	_, limit := options["max_tokens"]
	_, temperature := options["temperature"]
	if len(t.options) == 0 && !limit && !temperature {
		return options
	}
	merged := make(map[string]any, len(t.options)+len(options))
	maps.Copy(merged, t.options)
	for k, v := range options {
		if k != "max_tokens" && k != "temperature" {
			merged[k] = v
		}
	}
	return merged
}
