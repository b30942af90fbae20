package config_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/config"
)

// TestComposedArguments checks that arguments are read as JSON reads them.
func TestComposedArguments(t *testing.T) {
	t.Parallel()
	cfg, err := config.Load(write(t, `
tools:
  composed:
    look:
      description: Looks.
      parameters: {what: what to look for}
      steps:
        - tool: web_search
          arguments: {query: "{{what}}", max_results: 3, deep: {list: [1.5, true, "x", null]}}
`), config.Options{Home: t.TempDir(), Tools: func(*config.Config) []string { return nil }})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]config.ComposedTool{"look": {
		Description: "Looks.", Parameters: map[string]string{"what": "what to look for"},
		Steps: []config.ComposedStep{{Tool: "web_search", Arguments: map[string]any{
			"query": "{{what}}", "max_results": 3, "deep": map[string]any{"list": []any{1.5, true, "x", nil}},
		}}},
	}}
	if d := cmp.Diff(want, cfg.Tools.Composed); d != "" {
		t.Error(d)
	}
	_, err = config.Load(write(t, "tools: {composed: {look: {steps: [{tool: x, arguments: {a: &b 1, c: *b}}]}}}"),
		config.Options{Home: t.TempDir()})
	if err == nil || !strings.Contains(err.Error(), "anchors") {
		t.Errorf("an anchor: %v", err)
	}
}
