package toolset

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"parley/pkg/config"
	"parley/pkg/tools"
)

// TestSequencesOfSequencesAreAsCarefulAsTheirSteps, whatever their names.
func TestSequencesOfSequencesAreAsCarefulAsTheirSteps(t *testing.T) {
	t.Parallel()
	calls := func(tool string) config.ComposedTool {
		return config.ComposedTool{Description: "x", Steps: []config.ComposedStep{{Tool: tool}}}
	}
	r := tools.NewToolRegistry()
	r.Register(tools.New("run", "",
		tools.Annotations{Executes: true, Destructive: true, OpenWorld: true, Level: tools.LevelExec},
		func(context.Context, struct{}) (any, error) { return "", nil }))
	specs := map[string]config.ComposedTool{"a": calls("b"), "b": calls("c"), "c": calls("run"), "ping": calls("pong"), "pong": calls("ping")}
	if got := inwardFirst(specs); !slices.Equal(got, []string{"c", "b", "a", "ping", "pong"}) {
		t.Errorf("in the order %q", got)
	}
	addComposed(r, specs, zerolog.Nop())
	for _, name := range []string{"a", "b", "c"} {
		if an, _ := r.Annotations(name); !an.Executes || !an.Destructive || !an.OpenWorld || an.Level != tools.LevelExec {
			t.Errorf("%s: %+v", name, an)
		}
	}
}

// TestNumbersOfASequence are the ones of the file, with all of their digits.
func TestNumbersOfASequence(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "parley.yaml")
	text := `tools: {composed: {look: {description: x, steps: [{tool: get, arguments: {
  a: 7, b: 1.5, c: 1.50, d: 9007199254740993, e: -9007199254740993, f: 12345678901234567890, g: 0.12345678901234567891, h: [0x10, {i: 9007199254740991}]}}]}}}`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Load(file, config.Options{Home: t.TempDir(), Tools: func(*config.Config) []string { return []string{"get"} }})
	if err != nil {
		t.Fatal(err)
	}
	spec, err := composedSpec("look", cfg.Tools.Composed["look"])
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"a": 7.0, "b": 1.5, "c": 1.5, "d": json.Number("9007199254740993"),
		"e": json.Number("-9007199254740993"), "f": json.Number("12345678901234567890"),
		"g": json.Number("0.12345678901234567891"), "h": []any{16.0, map[string]any{"i": 9007199254740991.0}},
	}
	if d := cmp.Diff(want, spec.Steps[0].Arguments); d != "" {
		t.Error(d)
	}
}
