package modelset_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"parley/pkg/agent/turn"
	"parley/pkg/config"
	"parley/pkg/gateway/modelset"
)

// TestEffort sends the effort of the model that answers, also where one steps in, and that of
// the chat before it.
func TestEffort(t *testing.T) {
	t.Parallel()
	asked := make(chan string, 10)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Model  string
			Effort string `json:"reasoning_effort"`
		}
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		asked <- body.Model + " " + body.Effort
		if body.Model == "m" {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		_, _ = io.WriteString(w, `{"choices":[{"message":{"role":"assistant","content":"hello"},"finish_reason":"stop"}]}`)
	}))
	t.Cleanup(s.Close)
	with := func(effort string) func(*config.Model) {
		return func(m *config.Model) { m.BaseURL, m.Effort = s.URL+"/v1", effort }
	}
	for _, c := range []struct {
		chosen string
		chat   bool
		want   []string
	}{
		{"", false, []string{"m low", "s high"}},
		{"", true, []string{"m none", "s none"}},
		{"plain", false, []string{"p "}},
		{"plain", true, []string{"p none"}},
	} {
		set := makeSet(t, &config.Config{
			Agent: config.Agent{Model: "main", Fallbacks: []string{"spare"}},
			Models: map[string]*config.Model{
				"main": model("m", with("low")), "spare": model("s", with("high")), "plain": model("p", with("")),
			},
			Chats: map[string]*config.Chat{"telegram:7/9": {Effort: "none"}},
		})
		at := family()
		if c.chat {
			at = other()
		}
		if err := ask(t.Context(), set.For(turn.RoleChat, at, c.chosen)); err != nil {
			t.Error(err)
		}
		if len(asked) != len(c.want) {
			t.Fatalf("%q: %d requests, want %d", c.chosen, len(asked), len(c.want))
		}
		for _, want := range c.want {
			if got := <-asked; got != want {
				t.Errorf("%q in the chat %v: asked %q, want %q", c.chosen, c.chat, got, want)
			}
		}
	}
}

// TestSeesAndUnguided reads the rows of the table of kinds.
func TestSeesAndUnguided(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		provider, kind, url, name string
		sees, unguided            bool
	}{
		{"openai", "", "https://api.openai.com/v1", "gpt-4o-mini", true, false},
		{"openai", "", "https://openrouter.ai/api/v1", "anthropic/claude-haiku-4.5", true, false},
		{"openai", "", "http://127.0.0.1:11434/v1", "minicpm-v:8b", true, false},
		{"openai", "", "http://127.0.0.1:11434/v1", "llama3.2", false, false},
		{"openai", "", "https://api.deepseek.com", "deepseek-chat", false, false},
		{"openai", "qwen-vl", "http://127.0.0.1:8080/v1", "mine", true, false},
		{"openai", "", "https://api.x.ai/v1", "grok-4-fast", true, true},
		{"openai", "mistral", "https://proxy.example/v1", "x", false, true},
		{"offline", "", "", "gpt-4o", false, false},
	} {
		m := &config.Model{Provider: c.provider, Kind: c.kind, BaseURL: c.url, Model: c.name}
		if sees, unguided := modelset.Sees(m), modelset.Unguided(m); sees != c.sees || unguided != c.unguided {
			t.Errorf("%+v: takes pictures %v, no effort %v", c, sees, unguided)
		}
	}
}
