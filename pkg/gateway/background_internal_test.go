package gateway

import (
	"slices"
	"testing"

	"github.com/rs/zerolog"

	"parley/pkg/config"
	"parley/pkg/gateway/toolset"
)

// TestWhatAgentsAreOffered compares the list with the tools there are: an agent has
// none that speaks, and starts further ones only where it may.
func TestWhatAgentsAreOffered(t *testing.T) {
	t.Parallel()
	cfg := config.Default("")
	starts := []string{"spawn", "subagent"}
	all := toolset.New(cfg, toolset.Options{LookupEnv: func(string) (string, bool) { return "", false }, Log: zerolog.Nop()})
	all.AddAgentTools(toolset.Ports{})
	ofTheChat := []string{"remember", "schedule", "tasks"}
	b := background(&cfg.Background)
	for _, name := range all.Registry.List() {
		if slices.Contains(ofTheChat, name) {
			continue
		}
		an, _ := all.Registry.Annotations(name)
		for depth := 1; depth <= cfg.Background.MaxDepth; depth++ {
			want := !an.Speaks || slices.Contains(starts, name) && depth < cfg.Background.MaxDepth
			if got := b.Offered(name, depth); got != want {
				t.Errorf("%s at depth %d: offered %v", name, depth, got)
			}
		}
	}
	for _, name := range ofTheChat {
		if b.Offered(name, 1) {
			t.Errorf("an agent is offered %s", name)
		}
	}
}
