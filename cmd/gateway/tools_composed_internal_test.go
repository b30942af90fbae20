package main

import (
	"context"
	"slices"
	"testing"

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
	r.Register(tools.New("run", "", tools.Annotations{Executes: true, Destructive: true, OpenWorld: true, Level: tools.LevelExec}, func(context.Context, struct{}) (any, error) { return "", nil }))
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
