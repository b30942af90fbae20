package modelset

import (
	"context"
	"net"
	"net/url"
	"strings"
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

// Candidate is a server with models that can be asked without a configuration.
type Candidate struct {
	// Name is the one that a configuration may give it, Title that of the server for people.
	Name, Title string
	// Variable has its key; it is "" for a server without one.
	Variable          string
	Provider, BaseURL string
	Images            bool
	// Moved is the variable of the environment that gave BaseURL, or "". Unread is one that
	// was left aside, because it holds no address that a key may be sent to.
	Moved, Unread string
	// Models are those of the server, the one that is asked first. Of a server with a key
	// it is that one alone.
	Models []Listed

	key string
}

// Model is the candidate as a model of a configuration.
func (c *Candidate) Model() *config.Model {
	m := config.DefaultModel()
	m.Provider, m.BaseURL, m.Model = c.Provider, c.BaseURL, c.Models[0].ID
	if c.Variable == "" {
		m.Images, m.Context = Sees(&m), c.Models[0].Context
		return &m
	}
	m.Images, m.APIKey = c.Images, config.NewSecret(c.key)
	return &m
}

// key is an environment variable in which people keep the key of a server, and the model
// that is asked there.
type key struct {
	variable, name, title, provider, baseURL, model string
	images                                          bool
}

// keys are the servers whose keys are found; the first one answers.
func keys() []key {
	const openai, anthropic, gemini = config.ProviderOpenAI, config.ProviderAnthropic, config.ProviderGemini
	return []key{
		{"OPENAI_API_KEY", openai, "OpenAI", openai, "https://api.openai.com/v1", "gpt-4o", true},
		{"ANTHROPIC_API_KEY", anthropic, "Anthropic", anthropic, config.AnthropicURL, "claude-sonnet-5-5", true},
		{"GEMINI_API_KEY", gemini, "Gemini", gemini, config.GeminiURL, "gemini-flash-latest", true},
		{"OPENROUTER_API_KEY", "openrouter", "OpenRouter", openai, "https://openrouter.ai/api/v1", "openrouter/auto", true},
		{"GROQ_API_KEY", "groq", "Groq", openai, "https://api.groq.com/openai/v1", "openai/gpt-oss-120b", false},
		{"DEEPSEEK_API_KEY", "deepseek", "DeepSeek", openai, "https://api.deepseek.com", "deepseek-chat", false},
		{"XAI_API_KEY", "xai", "xAI", openai, "https://api.x.ai/v1", "grok-4", true},
		{"MISTRAL_API_KEY", "mistral", "Mistral", openai, "https://api.mistral.ai/v1", "mistral-large-latest", false},
	}
}

// moves are the variables by which the makers' own programs are told another address than
// the usual one, by the variables of the keys; path is what a base URL has behind it here.
func moves() map[string]struct{ variable, path string } {
	return map[string]struct{ variable, path string }{
		"OPENAI_API_KEY":    {"OPENAI_BASE_URL", ""},
		"ANTHROPIC_API_KEY": {"ANTHROPIC_BASE_URL", ""},
		"GEMINI_API_KEY":    {"GOOGLE_GEMINI_BASE_URL", "/v1beta"},
	}
}

// Keyed are the servers for which the environment has a key.
func Keyed(lookup func(string) (string, bool)) []Candidate {
	var all []Candidate
	for _, k := range keys() {
		value, _ := lookup(k.variable)
		if value = strings.TrimSpace(value); value == "" {
			continue
		}
		c := Candidate{
			Name: k.name, Title: k.title, Variable: k.variable, Provider: k.provider, BaseURL: k.baseURL, Images: k.images,
			Models: []Listed{{ID: k.model}}, key: value,
		}
		move := moves()[k.variable]
		if address, _ := lookup(move.variable); move.variable != "" && strings.TrimSpace(address) != "" {
			c.move(move.variable, strings.TrimRight(strings.TrimSpace(address), "/"), move.path)
		}
		all = append(all, c)
	}
	return all
}

// move gives a candidate the address of a variable, if a key may be sent there: by https,
// or within this machine.
func (c *Candidate) move(variable, address, path string) {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" ||
		u.Scheme != "https" && (u.Scheme != "http" || !isHere(u.Hostname())) {
		c.Unread = variable
		return
	}
	if !strings.HasSuffix(address, path) {
		address += path
	}
	c.Moved, c.BaseURL = variable, address
}

// isHere says whether a host is this machine by its name alone.
func isHere(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// find takes the models of all keys in the environment, or a model server on this machine,
// or the built-in model.
func find(ctx context.Context, lookup func(string) (string, bool)) *found {
	f := &found{models: map[string]*config.Model{}}
	keyed := Keyed(lookup)
	for i := range keyed {
		c := &keyed[i]
		f.secrets = append(f.secrets, c.key)
		if len(f.names) == 0 {
			f.origin = Origin{Name: c.Models[0].ID, Why: c.Variable + " is set"}
			if c.Moved != "" {
				f.origin.Why = c.Variable + " and " + c.Moved + " are set"
			}
		} else {
			f.origin.Also = append(f.origin.Also, c.Variable)
		}
		f.add(c.Name, c.Model())
	}
	if len(f.names) > 0 {
		return f
	}
	if local := Serving(ctx, lookup, probeTime); len(local) > 0 {
		c := &local[0]
		f.origin = Origin{Name: c.Models[0].ID, Why: c.Title + " answers at " + strings.TrimSuffix(c.BaseURL, "/v1")}
		f.add("local", c.Model())
		return f
	}
	f.origin = Origin{Name: textModelOffline, Why: textNoModel}
	f.add(Offline, &config.Model{Provider: Offline})
	return f
}

func (f *found) add(name string, m *config.Model) {
	f.names = append(f.names, name)
	f.models[name] = m
}
