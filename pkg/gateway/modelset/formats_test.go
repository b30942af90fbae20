package modelset_test

import (
	"testing"

	"parley/pkg/agent/turn"
	"parley/pkg/config"
)

// TestFormats: which models hold their answers to a schema, as far as the table of kinds
// tells; those that step in count too.
func TestFormats(t *testing.T) {
	t.Parallel()
	at := func(url string) func(*config.Model) { return func(m *config.Model) { m.BaseURL = url } }
	s := makeSet(t, &config.Config{
		Agent: config.Agent{Model: "main"},
		Models: map[string]*config.Model{
			"main":    model("gpt-4o"),
			"lacks":   model("deepseek-chat", at("https://api.deepseek.com/v1")),
			"helped":  model("gpt-4o", func(m *config.Model) { m.Fallbacks = &[]string{"lacks"} }),
			"written": model("gpt-4o", func(m *config.Model) { m.ToolMode = "json_schema" }),
			"claude":  {Provider: config.ProviderAnthropic, Model: "claude-sonnet-4-5"},
			"gemini":  {Provider: config.ProviderGemini, Model: "gemini-2.5-flash"},
			"off":     {Provider: "offline"},
		},
	})
	for name, want := range map[string][2]bool{
		"main": {true, true}, "lacks": {}, "helped": {}, "written": {}, "claude": {true, false}, "gemini": {true, true}, "off": {},
	} {
		if m := s.For(turn.RoleChat, other(), name); m.Schema != want[0] || m.Object != want[1] {
			t.Errorf("%s: %t %t, want %v", name, m.Schema, m.Object, want)
		}
	}
}
