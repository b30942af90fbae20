package modelset

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"parley/pkg/config"
)

// probeTime is how long a local model server may take to answer at start. A
// closed port answers at once.
const probeTime = 300 * time.Millisecond

// found are the models without a configuration.
type found struct {
	names   []string // the one that answers first
	models  map[string]*config.Model
	origin  Origin
	secrets []string
}

// key is an environment variable in which people keep the key of a server, and the model
// that is asked there.
type key struct {
	variable, name, provider, baseURL, model string
	images                                   bool
}

// keys are the servers whose keys are found; the first one answers.
func keys() []key {
	return []key{
		{"OPENAI_API_KEY", "openai", "openai", "https://api.openai.com/v1", "gpt-4o", true},
		{"ANTHROPIC_API_KEY", "anthropic", config.ProviderAnthropic, config.AnthropicURL, "claude-sonnet-5-5", true},
		{"GEMINI_API_KEY", "gemini", config.ProviderGemini, config.GeminiURL, "gemini-flash-latest", true},
		{"OPENROUTER_API_KEY", "openrouter", "openai", "https://openrouter.ai/api/v1", "openrouter/auto", true},
		{"GROQ_API_KEY", "groq", "openai", "https://api.groq.com/openai/v1", "openai/gpt-oss-120b", false},
		{"DEEPSEEK_API_KEY", "deepseek", "openai", "https://api.deepseek.com", "deepseek-chat", false},
		{"XAI_API_KEY", "xai", "openai", "https://api.x.ai/v1", "grok-4", true},
		{"MISTRAL_API_KEY", "mistral", "openai", "https://api.mistral.ai/v1", "mistral-large-latest", false},
	}
}

// find takes the models of all keys in the environment, or a model server on this machine,
// or the built-in model.
func find(ctx context.Context, lookup func(string) (string, bool)) *found {
	f := &found{models: map[string]*config.Model{}}
	for _, k := range keys() {
		value, _ := lookup(k.variable)
		if value = strings.TrimSpace(value); value == "" {
			continue
		}
		m := config.DefaultModel()
		m.Provider, m.BaseURL, m.Model, m.Images = k.provider, k.baseURL, k.model, k.images
		m.APIKey = config.NewSecret(value)
		f.secrets = append(f.secrets, value)
		if len(f.names) == 0 {
			f.origin = Origin{Name: k.model, Why: k.variable + " is set"}
		} else {
			f.origin.Also = append(f.origin.Also, k.variable)
		}
		f.add(k.name, &m)
	}
	if len(f.names) > 0 {
		return f
	}
	if s, model := probe(ctx, localServers(lookup)); model != "" {
		m := config.DefaultModel()
		m.Model, m.BaseURL = model, s.baseURL
		m.Images = Sees(&m)
		f.origin = Origin{Name: model, Why: s.name + " answers at " + strings.TrimSuffix(s.baseURL, "/v1")}
		f.add("local", &m)
		return f
	}
	f.origin = Origin{Name: textModelOffline, Why: textNoModel}
	f.add(offlineName, &config.Model{Provider: offlineName})
	return f
}

func (f *found) add(name string, m *config.Model) {
	f.names = append(f.names, name)
	f.models[name] = m
}

// server is a model server on this machine that is looked for.
type server struct{ name, baseURL string }

// localServers are Ollama, where OLLAMA_HOST says or at its usual port, and llama.cpp.
func localServers(lookup func(string) (string, bool)) []server {
	host, _ := lookup("OLLAMA_HOST")
	return []server{
		{"Ollama", ollamaAt(host) + "/v1"},
		{"llama.cpp", "http://127.0.0.1:8080/v1"},
	}
}

// ollamaAt is the address of an Ollama server, as Ollama's own client reads its variable:
// scheme, port and path may be there or not.
func ollamaAt(host string) string {
	const (
		loopback  = "127.0.0.1"
		usualPort = "11434"
	)
	host = strings.TrimSpace(host)
	_, _, schemed := strings.Cut(host, "://")
	if !schemed {
		host = "http://" + host
	}
	u, err := url.Parse(host)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return "http://" + net.JoinHostPort(loopback, usualPort)
	}
	name, port := u.Hostname(), u.Port()
	if name == "" || name == "0.0.0.0" || name == "::" { // the address on which a server listens, not its place
		name = loopback
	}
	switch {
	case port != "":
	case u.Scheme == "https":
		port = "443"
	case schemed:
		port = "80"
	default:
		port = usualPort
	}
	return (&url.URL{Scheme: u.Scheme, Host: net.JoinHostPort(name, port), Path: strings.TrimRight(u.Path, "/")}).String()
}

// probe asks the local servers side by side and takes the first of the list that has a
// model; "" where none has.
func probe(ctx context.Context, local []server) (server, string) {
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
		if models[i] != "" {
			return s, models[i]
		}
	}
	return server{}, ""
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
