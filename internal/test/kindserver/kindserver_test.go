package kindserver_test

import (
	"maps"
	"testing"

	"go.uber.org/goleak"

	"parley/internal/test/kindserver"
	"parley/pkg/providers"
	"parley/pkg/providers/kinds"
	"parley/pkg/providers/openai"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const longID = "toolu_01A09q90qw90lq917835lq9aaaaaaaaaaaaaaaaaaaa"

// serve starts the server of a row.
func serve(t *testing.T, rows []kinds.Kind, name string) *kindserver.Server {
	t.Helper()
	for i := range rows {
		if rows[i].Name == name {
			s, _ := kindserver.New(&rows[i])
			t.Cleanup(s.Close)
			return s
		}
	}
	t.Fatalf("there is no row %s", name)
	return nil
}

// TestStrict asks servers in the manner of another kind: each refuses something, so
// that a row that is wrong fails the check of its server.
func TestStrict(t *testing.T) {
	t.Parallel()
	options := map[string]any{
		"max_tokens": 9, "temperature": 0.5, "stop": []string{"x"}, "seed": 1, "reasoning_effort": "low", "tool_choice": "required",
	}
	tools := []providers.ToolDefinition{{Type: "function", Function: providers.FunctionDefinition{Name: "probe"}}}
	past := []providers.Message{
		{Role: "user", Content: "hi"},
		{Role: "assistant", Reasoning: "hm", ToolCalls: []providers.ToolCall{{ID: longID, Name: "probe"}}},
		{Role: "tool", ToolCallID: longID, Name: "probe", Content: "1"},
	}
	for name, kind := range map[string]string{
		"openai": "llamacpp", "groq": "llamacpp", "deepseek": "openai", "xai": "openai", "mistral": "openai", "moonshot": "openai",
		"minimax": "openai", "qwen": "openai", "zai": "minimax", "llamacpp": "openai", "lmstudio": "openai",
	} {
		s := serve(t, kinds.Servers(), name)
		p := openai.New(openai.Options{BaseURL: s.URL(), Kind: kind})
		t.Cleanup(p.Close)
		own := maps.Clone(options)
		if name == "llamacpp" || name == "lmstudio" {
			own["tool_choice"] = map[string]any{"name": "probe"}
		}
		_, err := p.Chat(t.Context(), past, tools, "m", own)
		if len(s.Refused()) == 0 {
			t.Errorf("%s takes a request in the manner of %s: %v", name, kind, err)
		}
	}
	for _, family := range []string{"gpt-5", "o-series", "kimi-2.5", "mistral"} {
		s := serve(t, kinds.Families(), family)
		p := openai.New(openai.Options{BaseURL: s.URL()})
		t.Cleanup(p.Close)
		_, err := p.Chat(t.Context(), past, tools, "unknown", options)
		if len(s.Refused()) == 0 {
			t.Errorf("%s takes a request to any model: %v", family, err)
		}
	}
}
