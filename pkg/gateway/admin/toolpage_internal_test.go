package admin

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestArgumentTable(t *testing.T) {
	t.Parallel()
	got := argumentTable(map[string]any{
		"type": "object", "required": []any{"steps"},
		"properties": map[string]any{
			"steps": map[string]any{"type": "array", "maxItems": 3, "items": map[string]any{
				"type": "object", "required": []string{"tool"},
				"properties": map[string]any{"tool": map[string]any{"type": "string", "enum": []any{"a|b", "c"}}},
			}},
			"at": map[string]any{
				"type":       "object",
				"properties": map[string]any{"x": map[string]any{"type": "number", "minimum": 0, "description": "left\nedge"}},
			},
			"other": map[string]any{"type": []any{"string", "null"}, "default": "x"},
		},
	})
	want := "| name | type | required | meaning |\n|---|---|---|---|\n" +
		"| `at` | object | no |  |\n| `at.x` | number | no | left edge; at least `0` |\n" +
		"| `other` | string or null | no | default `x` |\n" +
		"| `steps` | array of object | yes | at most `3` |\n| `steps[].tool` | string | yes | one of `a\\|b`, `c` |\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if got := argumentTable(map[string]any{"type": "object"}); got != "None.\n" {
		t.Errorf("got %q", got)
	}
}
