package config_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/config"
)

// TestComposedTools: the arguments of a step may be anything that JSON has.
func TestComposedTools(t *testing.T) {
	t.Parallel()
	const text = `
tools:
  disabled: [research]
  rules: {research: {approval: side_effects}}
  composed:
    research:
      description: Searches and saves.
      parameters: {what: what to look for, path: where to}
      steps:
        - {tool: web_search, arguments: {query: "{{what}}", max_results: 3}}
        - tool: write_file
          arguments:
            path: "{{path}}"
            content: |
              # {{what}}
              {{1}}
        - {tool: other, arguments: {list: [a, 1, true, 0.5, {deep: -2}], block: {empty: {}, none: []}}}
        - {tool: current_time}
`
	o := options()
	o.Tools = func(*config.Config) []string { return nil }
	got, err := config.Load(write(t, text), o)
	if err != nil {
		t.Fatal(err)
	}
	if err := validate(t, schema(t), text); err != nil {
		t.Error(err)
	}
	want := config.ComposedTool{
		Description: "Searches and saves.", Parameters: map[string]string{"what": "what to look for", "path": "where to"},
		Steps: []config.ComposedStep{
			{Tool: "web_search", Arguments: map[string]any{"query": "{{what}}", "max_results": 3}},
			{Tool: "write_file", Arguments: map[string]any{"path": "{{path}}", "content": "# {{what}}\n{{1}}\n"}},
			{Tool: "other", Arguments: map[string]any{
				"list":  []any{"a", 1, true, 0.5, map[string]any{"deep": -2}},
				"block": map[string]any{"empty": map[string]any{}, "none": []any{}},
			}},
			{Tool: "current_time"},
		},
	}
	if diff := cmp.Diff(want, got.Tools.Composed["research"]); diff != "" {
		t.Error(diff)
	}
	for arguments, want := range map[string]string{
		"{a: }":        "arguments.a: has no value",
		"{a: .inf}":    "must be a text, not a number",
		"{a: &x 1}":    "anchors, aliases and tags",
		"{a: 1, a: 2}": "is written twice",
		"[a]":          "must be a block of names with their keys, not a list",
		strings.Repeat("{a: ", 20) + "1" + strings.Repeat("}", 20): "is nested too deeply",
	} {
		_, err := config.Load(write(t, "tools: {composed: {x: {description: x, steps: [{tool: y, arguments: "+arguments+"}]}}}\n"), o)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", arguments, err, want)
		}
	}
}
