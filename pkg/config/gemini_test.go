package config_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/config"
)

// TestGeminiDefaults are those of the Gemini API and of Vertex AI.
func TestGeminiDefaults(t *testing.T) {
	t.Parallel()
	const vertex = "https://europe-west1-aiplatform.googleapis.com/v1/projects/p/locations/europe-west1"
	cfg, err := config.Load(write(t, `models:
  api: {provider: gemini, model: g, api_key: "env:K"}
  blind: {provider: gemini, model: g, images: false, path: "proxy/{model}", api_key: "env:K"}
  vertex: {provider: gemini, model: g, base_url: "`+vertex+`", api_key: "env:K"}
  key: {provider: gemini, model: g, base_url: "`+vertex+`", bearer: false}
agent: {model: api}
`), choiceOptions())
	if err != nil {
		t.Fatal(err)
	}
	type form struct {
		URL, Path      string
		Images, Bearer bool
	}
	got := map[string]form{}
	for name, m := range cfg.Models {
		got[name] = form{m.BaseURL, m.Path, m.Images, m.Bearer}
	}
	want := map[string]form{
		"api": {config.GeminiURL, "", true, false}, "blind": {config.GeminiURL, "proxy/{model}", false, false},
		"vertex": {vertex, "", true, true}, "key": {vertex, "", true, false},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestGeminiRefuses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"{provider: gemini, model: g, kind: ollama}":                                   "1:48: models.m.kind: belongs to the OpenAI protocol",
		"{provider: gemini, model: g, path: /models}":                                  "1:48: models.m.path: has no place for the model",
		"{provider: gemini, model: g, path: 'https://g.example/{model}'}":              "1:48: models.m.path: is more than a path",
		"{provider: gemini, model: g, path: '/{model}?a=b'}":                           "1:48: models.m.path: is more than a path",
		"{provider: gemini, model: g, base_url: 'https://g.example/v1/models/'}":       "must end before the path of the model",
		"{provider: gemini, model: g, base_url: 'http://g.example', api_key: 'env:K'}": "models.m.base_url",
		"{provider: gemini}":                "models.m.model: is missing",
		"{model: g, path: '/{model}'}":      "models.m.path: belongs to Gemini",
		"{model: g, bearer: true}":          "models.m.bearer: belongs to Gemini",
		"{provider: offline, bearer: true}": "models.m.bearer: belongs to a server",
	} {
		_, err := config.Load(write(t, "models: {m: "+text+"}\nagent: {model: m}\n"), choiceOptions())
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
