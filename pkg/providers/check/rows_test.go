package check_test

import (
	"strings"
	"testing"

	"parley/internal/test/kindserver"
	"parley/pkg/providers"
	"parley/pkg/providers/anthropic"
	"parley/pkg/providers/check"
	"parley/pkg/providers/gemini"
	"parley/pkg/providers/kinds"
	"parley/pkg/providers/openai"
	"parley/pkg/providers/toolmode"
)

// TestEveryRowCallsTools puts the one prompt to the scripted server of each row: all of
// them call the tool as asked and use its result, and none has to refuse a request.
func TestEveryRowCallsTools(t *testing.T) {
	t.Parallel()
	var reports []check.Report
	for _, k := range kinds.All() {
		s, model := kindserver.New(&k)
		t.Cleanup(s.Close)
		images, kind := k.Traits.Images != kinds.No, ""
		if len(k.Hosts) > 0 { // a family is known by the name of its model
			kind = k.Name
		}
		p := openai.New(openai.Options{BaseURL: s.URL(), Kind: kind, Images: images})
		t.Cleanup(p.Close)
		r := check.Model(t.Context(), &check.Subject{Name: k.Name, Model: model, Provider: withTools(p, &k), Images: images})
		reports = append(reports, r)
		wishes := map[string]any{
			"max_tokens": 9, "temperature": 0.5, "top_p": 0.5, "seed": 1, "stop": []string{"x"}, "reasoning_effort": "low",
		}
		if _, err := p.Chat(t.Context(), []providers.Message{{Role: "user", Content: "hi"}}, nil, model, wishes); err != nil {
			t.Errorf("%s (%s), asked with every option: %v", k.Name, model, err)
		}
		if !r.WellFormed() || r.Err != nil {
			t.Errorf("%s (%s): %v, %v", k.Name, model, r.Verdicts, r.Err)
		}
		if refused := s.Refused(); len(refused) > 0 {
			t.Errorf("%s (%s) refused %q", k.Name, model, refused)
		}
	}
	var b strings.Builder
	if err := check.Print(&b, reports); err != nil {
		t.Fatal(err)
	}
	t.Logf("\n%s", b.String())
}

// TestOwnProtocolsCallTools puts the same prompt to servers of the protocols of Anthropic
// and of Gemini.
func TestOwnProtocolsCallTools(t *testing.T) {
	t.Parallel()
	claude, google := kindserver.NewAnthropic(), kindserver.NewGemini()
	t.Cleanup(claude.Close)
	t.Cleanup(google.Close)
	asked := anthropic.New(anthropic.Options{BaseURL: claude.URL(), Images: true})
	t.Cleanup(asked.Close)
	other := gemini.New(gemini.Options{BaseURL: google.URL(), Images: true})
	t.Cleanup(other.Close)
	for model, p := range map[string]providers.LLMProvider{"claude-sonnet-4-5": asked, "gemini-2.5-flash": other} {
		r := check.Model(t.Context(), &check.Subject{Name: model, Model: model, Provider: p, Images: true})
		for _, a := range check.Abilities() {
			if r.Verdicts[a] != check.Yes && a != check.Pieces { // Gemini sends whole calls
				t.Errorf("%s, %s: %s (%v)", model, a, r.Verdicts[a], r.Err)
			}
		}
	}
	if refused := append(claude.Refused(), google.Violations()...); len(refused) > 0 {
		t.Errorf("refused: %q", refused)
	}
}

// withTools offers tools in the way of a row, as the gateway does.
func withTools(p providers.LLMProvider, k *kinds.Kind) providers.LLMProvider {
	return toolmode.New(p, toolmode.Options{Mode: toolmode.Mode(k.Traits.ToolMode)})
}
