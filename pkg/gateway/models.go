package gateway

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"parley/pkg/config"
	"parley/pkg/gateway/admin"
	"parley/pkg/providers"
	"parley/pkg/providers/offline"
	"parley/pkg/providers/openai"
)

// probeTime is how long a local model server may take to answer at start. A
// closed port answers at once.
const probeTime = 300 * time.Millisecond

// ModelChoice is the model that answers.
type ModelChoice struct {
	provider providers.LLMProvider
	model    string
	// name and why are the words of the first line on screen.
	name, why string
	// named says that the configuration names it.
	named bool
	// secret is the key that came from the environment, for the redactor.
	secret string
}

// server is a model server on this machine that is looked for.
type server struct{ name, baseURL string }

// localServers are Ollama, where OLLAMA_HOST says or at its usual port, and llama.cpp.
func localServers(lookup func(string) (string, bool)) []server {
	ollama := "127.0.0.1:11434"
	if s, ok := lookup("OLLAMA_HOST"); ok {
		if host, port, err := net.SplitHostPort(strings.TrimPrefix(s, "http://")); err == nil {
			if host == "0.0.0.0" || host == "" { // the address on which a server listens, not its place
				host = "127.0.0.1"
			}
			ollama = net.JoinHostPort(host, port)
		}
	}
	return []server{
		{"Ollama", "http://" + ollama + "/v1"},
		{"llama.cpp", "http://127.0.0.1:8080/v1"},
	}
}

// chooseModel takes the configured model or, without one, the offer of the environment
// and the machine.
func chooseModel(ctx context.Context, cfg *config.Config, lookup func(string) (string, bool), log zerolog.Logger) (ModelChoice, error) {
	if len(cfg.Models) > 0 {
		return configured(cfg, log)
	}
	for _, k := range []struct{ env, baseURL, model string }{
		{"OPENAI_API_KEY", "https://api.openai.com/v1", "gpt-4o"},
		{"OPENROUTER_API_KEY", "https://openrouter.ai/api/v1", "openrouter/auto"},
	} {
		key, ok := lookup(k.env)
		if !ok || strings.TrimSpace(key) == "" {
			continue
		}
		m := config.DefaultModel()
		m.Model, m.BaseURL, m.APIKey, m.Images = k.model, k.baseURL, config.NewSecret(strings.TrimSpace(key)), true
		b := ModelChoice{provider: alone(&m, log), model: m.Model, name: m.Model, why: k.env + " is set", secret: m.APIKey.Reveal()}
		return b, nil
	}
	if b, ok := probe(ctx, localServers(lookup), log); ok {
		return b, nil
	}
	return ModelChoice{
		provider: offline.New(offline.Options{Version: Version()}), model: "offline", name: textModelOffline,
		why: textNoModel,
	}, nil
}

func configured(cfg *config.Config, log zerolog.Logger) (ModelChoice, error) {
	names := append([]string{cfg.Agent.Model}, cfg.Agent.Fallbacks...)
	targets := make([]providers.Target, 0, len(names))
	for _, name := range names {
		m := cfg.Models[name]
		if m == nil {
			return ModelChoice{}, fmt.Errorf("agent.model: there is no model %s", name)
		}
		targets = append(targets, target(m, providers.Metered(tuned{newProvider(m), modelOptions(m)}, prices(m))))
	}
	first := targets[0].Model
	return ModelChoice{
		provider: providers.Failover(retrying(log), targets...), model: first,
		name: first, why: "models." + names[0] + " in the configuration", named: true,
	}, nil
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
			Str("next", r.Next).Int("next_key", r.NextKey).Dur("wait", r.Wait).Msg(said)
	}}
}

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
	return o
}

func newProvider(m *config.Model) providers.LLMProvider {
	if m.Provider == "offline" {
		return offline.New(offline.Options{Version: Version()})
	}
	o := openai.Options{
		BaseURL: m.BaseURL, Images: m.Images,
		ConnectTimeout: time.Duration(m.Timeouts.Connect),
		IdleTimeout:    time.Duration(m.Timeouts.Idle), TotalTimeout: time.Duration(m.Timeouts.Total),
	}
	if m.APIKey.IsSet() {
		o.Key = m.APIKey.Reveal
	}
	return openai.New(o)
}

// alone asks one model, which no other steps in for.
func alone(m *config.Model, log zerolog.Logger) providers.LLMProvider {
	return providers.Failover(retrying(log), target(m, newProvider(m)))
}

func target(m *config.Model, p providers.LLMProvider) providers.Target {
	return providers.Target{Provider: p, Model: modelName(m), Total: time.Duration(m.Timeouts.Total)}
}

// tuned asks a provider with its own model's options in place of the caller's, which
// are those of the first model only.
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
	merged := map[string]any{}
	for k, v := range options {
		if k != "max_tokens" && k != "temperature" {
			merged[k] = v
		}
	}
	maps.Copy(merged, t.options)
	return merged
}

// probe asks the local servers side by side and takes the first of the list that has a model.
func probe(ctx context.Context, local []server, log zerolog.Logger) (ModelChoice, bool) {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	client := &http.Client{Transport: &http.Transport{Proxy: nil, DisableKeepAlives: true}}
	models := make([]string, len(local))
	var wg sync.WaitGroup
	for i, s := range local {
		wg.Go(func() { models[i] = firstModel(ctx, client, s.baseURL) })
	}
	wg.Wait()
	for i, s := range local {
		if models[i] == "" {
			continue
		}
		m := config.DefaultModel()
		m.Model, m.BaseURL = models[i], s.baseURL
		return ModelChoice{
			provider: alone(&m, log), model: m.Model, name: m.Model,
			why: s.name + " answers at " + strings.TrimSuffix(s.baseURL, "/v1"),
		}, true
	}
	return ModelChoice{}, false
}

// firstModel is the first model of a server that can talk, or "".
func firstModel(ctx context.Context, client *http.Client, baseURL string) string {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, baseURL+"/models", http.NoBody)
	if err != nil {
		return ""
	}
	resp, err := client.Do(req)
	if err != nil {
		return ""
	}
	defer resp.Body.Close()
	var list struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	const most = 1 << 20
	if resp.StatusCode != http.StatusOK || json.NewDecoder(io.LimitReader(resp.Body, most)).Decode(&list) != nil {
		return ""
	}
	for _, m := range list.Data {
		if m.ID != "" && !strings.Contains(m.ID, "embed") {
			return m.ID
		}
	}
	return ""
}

// Introduction is the first line on screen. The path is the one of the configuration.
func (b ModelChoice) Introduction(configPath string) string {
	if b.named {
		return fmt.Sprintf(textModelNamed, b.name, b.why, configPath)
	}
	return fmt.Sprintf(textModelFound,
		b.name, b.why, configPath, admin.Program())
}
