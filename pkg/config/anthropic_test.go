package config_test

import (
	"strings"
	"testing"

	"parley/pkg/config"
)

// TestAnthropicDefaults are those of Anthropic's own API and of Vertex AI.
func TestAnthropicDefaults(t *testing.T) {
	t.Parallel()
	const vertex = "https://us-east5-aiplatform.googleapis.com/v1/projects/p/locations/us-east5"
	cfg, err := config.Load(write(t, `models:
  api: {provider: anthropic, model: c, api_key: "env:K"}
  host: {provider: anthropic, model: c, base_url: "https://c.example/anthropic", bearer: true, images: false, api_key: "env:K"}
  vertex: {provider: anthropic, model: c, base_url: "`+vertex+`", api_key: "env:K"}
agent: {model: api}
`), choiceOptions())
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]config.Model{
		"api":    {BaseURL: config.AnthropicURL, Images: true},
		"host":   {BaseURL: "https://c.example/anthropic", Bearer: true},
		"vertex": {BaseURL: vertex, Bearer: true, Images: true},
	} {
		if m := cfg.Models[name]; m.BaseURL != want.BaseURL || m.Bearer != want.Bearer || m.Images != want.Images || m.Path != "" {
			t.Errorf("%s: %+v", name, m)
		}
	}
}

func TestAnthropicRefuses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"{provider: anthropic, model: c, kind: ollama}":                                   "models.m.kind: belongs to the OpenAI protocol",
		"{provider: anthropic, model: c, path: /models}":                                  "models.m.path: has no place for the model",
		"{provider: anthropic, model: c, base_url: 'https://c.example/v1/messages/'}":     "must end before the path of the model",
		"{provider: anthropic, model: c, base_url: 'http://c.example', api_key: 'env:K'}": "models.m.base_url",
		"{provider: anthropic}": "models.m.model: is missing",
	} {
		_, err := config.Load(write(t, "models: {m: "+text+"}\nagent: {model: m}\n"), choiceOptions())
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
