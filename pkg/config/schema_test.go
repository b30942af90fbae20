package config_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"parley/pkg/config"
)

// harness is the shape in which a load harness configures the gateway.
const harness = `
state_dir: /srv/state
workspace: /srv/workspace
log: {level: warn, format: json}
agent: {model: main, max_tool_iterations: 20}
models:
  main: {provider: openai, model: "a-model", base_url: "http://127.0.0.1:1/v1", api_key: "env:OPENAI_API_KEY"}
channels:
  telegram:
    enabled: false
    token: env:TG_TOKEN
    api_url: "http://127.0.0.1:2"
    allow_everyone: true
    send_rate: {chat: 0, group_per_minute: 0, bot: 0}
  slack:
    enabled: false
    bot_token: env:SLACK_BOT_TOKEN
    app_token: env:SLACK_APP_TOKEN
    api_url: "http://127.0.0.1:3/api/"
    allow_everyone: true
    send_rate: {channel: 0}
`

func schema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	raw, err := config.Schema()
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("parley.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("parley.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func validate(t *testing.T, s *jsonschema.Schema, text string) error {
	t.Helper()
	asJSON, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(asJSON))
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(value)
}

// TestDocumentedConfigurations checks the examples of the documents with the loader and
// the schema.
func TestDocumentedConfigurations(t *testing.T) {
	t.Parallel()
	s := schema(t)
	o := options()
	o.Built = []string{"console", "telegram", "slack"}
	o.LookupEnv = func(name string) (string, bool) {
		return map[string]string{
			"SLACK_BOT_TOKEN": "xoxb-1",
			"SLACK_APP_TOKEN": "xapp-1",
			"TELEGRAM_TOKEN":  "1:",
			"HELP_TOKEN":      "2:",
			"TEAM_TOKEN":      "3:",
		}[name] + "value", true
	}
	for _, path := range []string{"docs/configuration.md"} {
		text, err := os.ReadFile(filepath.Join("..", "..", path))
		if err != nil {
			t.Fatal(err)
		}
		blocks := 0
		for block := range strings.SplitSeq(string(text), "```yaml\n") {
			shown, _, closed := strings.Cut(block, "\n```")
			if !closed || !strings.HasPrefix(shown, "state_dir:") {
				continue
			}
			blocks++
			if err := validate(t, s, shown); err != nil {
				t.Errorf("%s: schema: %v", path, err)
			}
			if _, err := config.Load(write(t, shown), o); err != nil {
				t.Errorf("%s: %v", path, err)
			}
		}
		if blocks == 0 {
			t.Errorf("%s shows no whole configuration", path)
		}
	}
}

// TestSchemaAgreesWithLoad gives the published schema and the loader the same files: a
// shape that one accepts, the other accepts too.
func TestSchemaAgreesWithLoad(t *testing.T) {
	t.Parallel()
	s := schema(t)
	tests := []struct {
		name, text string
		valid      bool
	}{
		{"example", example, true},
		{"everything", everything, true},
		{"harness", harness, true},
		{"unknown key", "agnt: {}", false},
		{"unknown key below", "models: {main: {mdoel: x}}", false},
		{"wrong type", "tools: {on: 1}", false},
		{"bad word", "log: {level: loud}", false},
		{"out of range", "agent: {max_tool_iterations: 0}", false},
		{"too warm", "models: {main: {model: m, temperature: 3}}", false},
		{"literal secret", "models: {main: {model: m, api_key: sk-1}}", false},
		{"bad duration", "tools: {timeout: soon}", false},
		{"bad id", "channels: {telegram: {allow: [true]}}", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if err := validate(t, s, tt.text); (err == nil) != tt.valid {
				t.Errorf("schema: %v, want valid %v", err, tt.valid)
			}
			o := options()
			o.Built = []string{"console", "telegram", "slack"}
			if _, err := config.Load(write(t, tt.text), o); (err == nil) != tt.valid {
				t.Errorf("Load: %v, want valid %v", err, tt.valid)
			}
		})
	}
}
