package parley_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"parley/pkg/config"
	"parley/pkg/policy"
)

// TestConfigurationExamples loads every YAML block of the documents.
func TestConfigurationExamples(t *testing.T) {
	t.Parallel()
	built := []string{"console", "telegram", "slack"}
	for _, doc := range []string{"README.md", "docs/configuration.md", "docs/telegram.md", "docs/slack.md", "docs/budgets.md"} {
		blocks := yamlBlocks(t, doc)
		if len(blocks) == 0 {
			t.Errorf("%s has no YAML block", doc)
		}
		for i, text := range blocks {
			path := filepath.Join(t.TempDir(), "parley.yaml")
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := config.Load(path, config.Options{
				LookupEnv: func(name string) (string, bool) {
					return map[string]string{"SLACK_BOT_TOKEN": "xoxb-", "SLACK_APP_TOKEN": "xapp-", "TELEGRAM_TOKEN": "1:", "HELP_TOKEN": "2:", "TEAM_TOKEN": "3:"}[name] + "set", true
				},
				Home: t.TempDir(), Built: built,
				Owner: func(s string) error { return policy.CheckOwner(s, built) },
				User:  policy.CheckUser, Group: policy.CheckGroup,
				Place: func(s string) error { return policy.CheckPlace(s, built) },
			})
			if err != nil {
				t.Errorf("%s, YAML block %d: %v", doc, i+1, err)
			}
		}
	}
}

// TestConfigurationIsDocumented finds keys that docs/configuration.md leaves out.
func TestConfigurationIsDocumented(t *testing.T) {
	t.Parallel()
	text := strings.Join(yamlBlocks(t, "docs/configuration.md"), "\n")
	raw, err := config.Schema()
	if err != nil {
		t.Fatal(err)
	}
	var schema any
	if err := json.Unmarshal(raw, &schema); err != nil {
		t.Fatal(err)
	}
	keys := map[string]bool{}
	properties(schema, keys)
	if !keys["state_dir"] || !keys["max_parallel"] {
		t.Fatalf("the schema's keys were not found: %v", keys)
	}
	for key := range keys {
		if !regexp.MustCompile(`(?m)(^\s*|[{,] ?)` + key + `:`).MatchString(text) {
			t.Errorf("docs/configuration.md does not know %s", key)
		}
	}
}

// properties collects the names of all properties of a JSON Schema.
func properties(v any, into map[string]bool) {
	switch v := v.(type) {
	case map[string]any:
		if names, ok := v["properties"].(map[string]any); ok {
			for name := range names {
				into[name] = true
			}
		}
		for _, e := range v {
			properties(e, into)
		}
	case []any:
		for _, e := range v {
			properties(e, into)
		}
	}
}

func yamlBlocks(t *testing.T, doc string) []string {
	t.Helper()
	text, err := os.ReadFile(doc)
	if err != nil {
		t.Fatal(err)
	}
	var blocks []string
	for _, m := range regexp.MustCompile("(?s)\n```yaml\n(.*?\n)```\n").FindAllStringSubmatch(string(text), -1) {
		blocks = append(blocks, m[1])
	}
	return blocks
}
