package modelset_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"parley/internal/test/fakegemini"
	"parley/pkg/agent/turn"
	"parley/pkg/channels"
	"parley/pkg/config"
	"parley/pkg/gateway/modelset"
	"parley/pkg/providers"
)

// family and other are two chats; a topic of family is a chat of its own.
func family() channels.Address {
	return channels.Address{Channel: "telegram", Account: "7", Chat: "-5"}
}

func topic() channels.Address {
	return channels.Address{Channel: "telegram", Account: "7", Chat: "-5", Thread: "3"}
}

func other() channels.Address { return channels.Address{Channel: "telegram", Account: "7", Chat: "9"} }

// itself knows a chat by its one address.
func itself(a channels.Address) []channels.Address { return []channels.Address{a} }

func none(string) (string, bool) { return "", false }

func model(name string, edit ...func(*config.Model)) *config.Model {
	m := config.DefaultModel()
	m.Model = name
	for _, e := range edit {
		e(&m)
	}
	return &m
}

func makeSet(t *testing.T, cfg *config.Config) *modelset.Set {
	t.Helper()
	s, err := modelset.New(t.Context(), cfg, modelset.Options{LookupEnv: none, Known: itself, Log: zerolog.Nop()})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestFor chooses the model for a purpose and a chat.
func TestFor(t *testing.T) {
	t.Parallel()
	cfg := &config.Config{
		Agent: config.Agent{Model: "main"},
		Models: map[string]*config.Model{
			"main": model("M"), "chat": model("C"), "sum": model("S"), "eyes": model("E"), "local": model("L"), "home": model("H"),
			"lost": model("X", func(m *config.Model) { m.APIKeys = []*config.Secret{{}} }),
		},
		Roles: config.Roles{Chat: "chat", Summary: "sum", Vision: "eyes"},
		Chats: map[string]*config.Chat{
			"telegram:-5": {Model: "home", ToolChoice: "required"}, "telegram:-5#3": {ToolChoice: "look"},
		},
	}
	s := makeSet(t, cfg)
	for _, c := range []struct {
		role   turn.Role
		at     channels.Address
		chosen string
		want   string
	}{
		{turn.RoleChat, other(), "", "C"},
		{turn.RoleChat, other(), "local", "L"},
		{turn.RoleChat, other(), "gone", "C"},
		{turn.RoleChat, other(), "lost", "C"}, // without its key it cannot be asked
		{turn.RoleChat, family(), "", "H"},
		{turn.RoleChat, family(), "local", "L"},
		{turn.RoleChat, topic(), "", "H"},
		{turn.RoleSummary, other(), "local", "S"},
		{turn.RoleVision, family(), "", "E"},
		{turn.RoleHeartbeat, other(), "", "M"}, // and not the one that only answers messages
		{turn.RoleHeartbeat, other(), "local", "L"},
		{turn.RoleSubagent, family(), "", "H"},
	} {
		if got := s.For(c.role, c.at, c.chosen).Name; got != c.want {
			t.Errorf("%s in %s#%s, where %q is chosen: %s, want %s", c.role, c.at.Chat, c.at.Thread, c.chosen, got, c.want)
		}
	}
	if got := s.For(turn.RoleChat, family(), "").ToolChoice; got != "required" {
		t.Errorf("the family's tool choice is %v", got)
	}
	if got := s.For(turn.RoleChat, topic(), "").ToolChoice; !cmp.Equal(got, map[string]any{"name": "look"}) {
		t.Errorf("the topic's tool choice is %v", got)
	}
	if got := s.For(turn.RoleChat, other(), "").ToolChoice; got != nil {
		t.Errorf("another chat's tool choice is %v", got)
	}
	var names []string
	for _, c := range s.Choices() {
		names = append(names, c.Name)
	}
	if !slices.Equal(names, []string{"main", "chat", "eyes", "home", "local", "sum"}) {
		t.Errorf("the choices are %q", names)
	}
	if from := s.Origin(); s.Name() != "C" || from.Name != "C" || from.Why != "roles.chat in the configuration" || !from.Configured {
		t.Errorf("%s, from %+v", s.Name(), from)
	}
}

// TestPromptOf finds the prompt of a chat, of two places the one that names it more exactly.
func TestPromptOf(t *testing.T) {
	t.Parallel()
	s := makeSet(t, &config.Config{
		Agent: config.Agent{Model: "main"}, Models: map[string]*config.Model{"main": model("M")},
		Chats: map[string]*config.Chat{"telegram:-5": {Prompt: "/a"}, "telegram:7/-5#3": {Prompt: "/b"}, "telegram:9": {ToolChoice: "none"}},
	})
	for at, want := range map[channels.Address]string{family(): "telegram:-5", topic(): "telegram:7/-5#3", other(): ""} {
		if got := s.PromptOf(at); got != want {
			t.Errorf("%+v has %q, want %q", at, got, want)
		}
	}
}

// server answers as a model does, or refuses, and remembers the keys.
type server struct {
	*httptest.Server

	mu   sync.Mutex
	keys []string
}

func serve(t *testing.T, status map[string]int) *server {
	t.Helper()
	s := &server{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		s.mu.Lock()
		s.keys = append(s.keys, key)
		s.mu.Unlock()
		if code := status[key]; code != 0 {
			w.WriteHeader(code)
			return
		}
		_, _ = io.WriteString(w, `{"choices":[{"message":{"role":"assistant","content":"hello"},"finish_reason":"stop"}]}`)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *server) asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.keys)
}

func ask(ctx context.Context, m turn.Model) error {
	_, err := m.Provider.Chat(ctx, []providers.Message{{Role: providers.RoleUser, Content: "hi"}}, nil, m.Name, m.Options)
	return err
}

// TestContext takes the size of a model's context from the configuration, or from the row of
// its family where a service hosts it.
func TestContext(t *testing.T) {
	t.Parallel()
	at := func(url string, size int) func(*config.Model) {
		return func(m *config.Model) { m.BaseURL, m.Context = url, size }
	}
	s := makeSet(t, &config.Config{
		Agent: config.Agent{Model: "main"},
		Models: map[string]*config.Model{
			"main": model("gpt-4o"), "own": model("gpt-4o", at("https://api.openai.com/v1", 9000)),
			"local": model("minicpm4", at("http://127.0.0.1:11434/v1", 0)),
			"sized": model("minicpm4", at("http://127.0.0.1:11434/v1", 4096)), "off": {Provider: "offline"},
		},
	})
	for name, want := range map[string]int{"main": 128_000, "own": 9000, "local": 0, "sized": 4096, "off": 0} {
		if m := s.For(turn.RoleChat, other(), name); m.Context != want {
			t.Errorf("%s: %d, want %d", name, m.Context, want)
		}
	}
	m := turn.Model{Context: 4096}
	if got := []int{m.HistoryTokens(24_000), m.HistoryTokens(1000)}; !slices.Equal(got, []int{2048, 1000}) {
		t.Errorf("the history has %d tokens", got)
	}
}

// TestKeysAndFallbacks asks with the next key of a model, then the models that step in for
// it, and those only for which they do.
func TestKeysAndFallbacks(t *testing.T) {
	t.Parallel()
	dead := serve(t, map[string]int{"one": http.StatusUnauthorized, "two": http.StatusUnauthorized, "": http.StatusUnauthorized})
	down, good := serve(t, map[string]int{"": http.StatusNotFound}), serve(t, nil)
	secret := func(s string) *config.Secret { k := config.NewSecret(s); return &k }
	at := func(url string, keys ...*config.Secret) func(*config.Model) {
		return func(m *config.Model) { m.BaseURL, m.APIKeys = url+"/v1", keys }
	}
	s := makeSet(t, &config.Config{
		Agent: config.Agent{Model: "main", Fallbacks: []string{"spare"}},
		Models: map[string]*config.Model{
			"main": model("m", at(dead.URL, secret("one"), secret("two"))), "spare": model("s", at(good.URL)),
			"alone": model("a", at(dead.URL), func(m *config.Model) { m.Fallbacks = &[]string{} }),
			"other": model("o", at(down.URL), func(m *config.Model) { m.Fallbacks = &[]string{"main", "spare"} }),
		},
	})
	if err := ask(t.Context(), s.For(turn.RoleChat, other(), "")); err != nil {
		t.Error(err)
	}
	if got := dead.asked(); !slices.Equal(got, []string{"one", "two"}) || len(good.asked()) != 1 {
		t.Errorf("asked with %q, and %d times the spare", got, len(good.asked()))
	}
	if err := ask(t.Context(), s.For(turn.RoleChat, other(), "alone")); err == nil || len(good.asked()) != 1 {
		t.Errorf("a model that none steps in for: %v, and %d requests elsewhere", err, len(good.asked())-1)
	}
	before := len(dead.asked())
	if err := ask(t.Context(), s.For(turn.RoleChat, other(), "other")); err != nil || len(dead.asked()) != before || len(good.asked()) != 2 {
		t.Errorf("%v: keys that rest were asked %d times, for another model", err, len(dead.asked())-before)
	}
}

// TestGemini asks models of Gemini, of which one has the form of Vertex AI.
func TestGemini(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]fakegemini.Options{"api": {Key: "k"}, "vertex": {Vertex: true, Token: "k"}} {
		srv := fakegemini.New(o)
		t.Cleanup(srv.Close)
		m := model("gemini-2.5-pro", func(m *config.Model) {
			m.Provider, m.BaseURL, m.Bearer, m.APIKey = config.ProviderGemini, srv.URL(), o.Vertex, config.NewSecret("k")
		})
		s := makeSet(t, &config.Config{Agent: config.Agent{Model: "main"}, Models: map[string]*config.Model{"main": m}})
		if err := ask(t.Context(), s.For(turn.RoleChat, other(), "main")); err != nil || len(srv.Requests()) != 1 {
			t.Errorf("%s: %v after %d requests, %q", name, err, len(srv.Requests()), srv.Violations())
		}
	}
}

// TestAnthropic asks Claude models, of which one has the form of Vertex AI.
func TestAnthropic(t *testing.T) {
	t.Parallel()
	const answer = `{"type":"message","model":"c","content":[{"type":"text","text":"ok"}],"stop_reason":"end_turn","usage":{}}`
	for name, c := range map[string]struct{ base, path, key string }{
		"api":    {"", "/v1/messages", "k"},
		"vertex": {"/v1/projects/p/locations/l", "/v1/projects/p/locations/l/publishers/anthropic/models/claude-x:rawPredict", "Bearer k"},
	} {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if path := strings.Replace(r.URL.Path, "streamRaw", "raw", 1); path != c.path ||
				r.Header.Get("X-Api-Key")+r.Header.Get("Authorization") != c.key {
				t.Errorf("%s: asked at %s with %v", name, r.URL, r.Header)
			}
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, answer)
		}))
		t.Cleanup(srv.Close)
		m := model("claude-x", func(m *config.Model) {
			m.Provider, m.BaseURL, m.APIKey = config.ProviderAnthropic, srv.URL+c.base, config.NewSecret("k")
		})
		s := makeSet(t, &config.Config{Agent: config.Agent{Model: "main"}, Models: map[string]*config.Model{"main": m}})
		if err := ask(t.Context(), s.For(turn.RoleChat, other(), "main")); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestFound takes the keys of the environment, in their order, and names their variables.
func TestFound(t *testing.T) {
	t.Parallel()
	env := map[string]string{
		"GROQ_API_KEY": " gsk-canary-1 ", "OPENROUTER_API_KEY": "sk-or-canary", "XAI_API_KEY": "", "OLLAMA_HOST": "127.0.0.1:1",
	}
	lookup := func(name string) (string, bool) { v, ok := env[name]; return v, ok }
	s, err := modelset.New(t.Context(), &config.Config{}, modelset.Options{LookupEnv: lookup, Known: itself, Log: zerolog.Nop()})
	if err != nil {
		t.Fatal(err)
	}
	want := modelset.Origin{Name: "openrouter/auto", Why: "OPENROUTER_API_KEY is set", Also: []string{"GROQ_API_KEY"}}
	if diff := cmp.Diff(want, s.Origin()); diff != "" {
		t.Error(diff)
	}
	choices := []turn.Choice{{Name: "openrouter", Model: "openrouter/auto"}, {Name: "groq", Model: "openai/gpt-oss-120b"}}
	if diff := cmp.Diff(choices, s.Choices()); diff != "" {
		t.Error(diff)
	}
	if !slices.Equal(s.Secrets(), []string{"sk-or-canary", "gsk-canary-1"}) {
		t.Errorf("%d secrets", len(s.Secrets()))
	}
	if strings.Contains(fmt.Sprintf("%+v", s.Reports()), "canary") {
		t.Error("a report has a key")
	}
}

// TestFoundOllama reads the forms that OLLAMA_HOST has for Ollama itself.
func TestFoundOllama(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.TrimPrefix(r.URL.Path, "/sub") != "/v1/models" {
			http.NotFound(w, r)
			return
		}
		io.WriteString(w, `{"data": [{"id": "nomic-embed-text"}, {"id": "llama3.2"}]}`)
	}))
	defer srv.Close()
	at := strings.TrimPrefix(srv.URL, "http://")
	port := at[strings.LastIndex(at, ":"):]
	for host, want := range map[string]string{
		at: srv.URL, srv.URL: srv.URL, srv.URL + "/": srv.URL, " " + at + " ": srv.URL, "0.0.0.0" + port: srv.URL,
		port: srv.URL, "http://[::]" + port + "/": srv.URL, srv.URL + "/sub/": srv.URL + "/sub",
	} {
		lookup := func(name string) (string, bool) {
			v, ok := map[string]string{"OLLAMA_HOST": host}[name]
			return v, ok
		}
		s, err := modelset.New(t.Context(), &config.Config{}, modelset.Options{LookupEnv: lookup, Known: itself, Log: zerolog.Nop()})
		if err != nil {
			t.Fatal(err)
		}
		if r := s.Reports()[0]; r.Model != "llama3.2" || r.Server != want+"/v1" {
			t.Errorf("%q: %+v, want %s", host, r, want)
		}
	}
}

// TestReports tells the models with their uses; one without its key comes last.
func TestReports(t *testing.T) {
	t.Parallel()
	s := makeSet(t, &config.Config{
		Agent: config.Agent{Model: "main", Fallbacks: []string{"off"}},
		Models: map[string]*config.Model{
			"main": model("M"), "off": {Provider: "offline"},
			"a": model("A", func(m *config.Model) { m.APIKeys = []*config.Secret{{}} }),
		},
		Roles: config.Roles{Summary: "off"}, Chats: map[string]*config.Chat{"telegram:9": {Model: "main"}},
	})
	want := []modelset.Report{
		{Name: "main", Model: "M", Provider: "openai", Server: "https://api.openai.com/v1", Uses: []string{"agent.model", "chats.telegram:9"}},
		{Name: "off", Model: "offline", Provider: "offline", Uses: []string{"agent.fallbacks[0]", "roles.summary"}},
		{Name: "a", Model: "A", Provider: "openai", Server: "https://api.openai.com/v1", Keys: 1, Missing: true},
	}
	if diff := cmp.Diff(want, s.Reports()); diff != "" {
		t.Error(diff)
	}
}

// TestModelsHaveTheirOwnPrices: an answer has the price of the model that gave it.
func TestModelsHaveTheirOwnPrices(t *testing.T) {
	t.Parallel()
	down := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(down.Close)
	for name, main := range map[string]*config.Model{
		"the first": {Provider: "offline", Prices: &config.Prices{Input: 2, Output: 3}},
		"the other": {Provider: "openai", Model: "m", BaseURL: down.URL, Prices: &config.Prices{Input: 2, Output: 3}},
	} {
		cfg := config.Default(t.TempDir())
		cfg.Agent.Fallbacks = []string{"other"}
		cfg.Models = map[string]*config.Model{"main": main, "other": {Provider: "offline", Prices: &config.Prices{Input: 20, Output: 30}}}
		m := makeSet(t, cfg).For(turn.RoleChat, other(), "")
		resp, err := m.Provider.Chat(t.Context(), []providers.Message{{Role: providers.RoleUser, Content: "hello"}}, nil, m.Name, nil)
		if err != nil {
			t.Fatal(err)
		}
		want := int64(2*resp.Usage.PromptTokens + 3*resp.Usage.CompletionTokens)
		if name == "the other" {
			want *= 10
		}
		if resp.Usage.Money != want || want == 0 {
			t.Errorf("%s costs %d, want %d (%+v)", name, resp.Usage.Money, want, resp.Usage)
		}
	}
}
