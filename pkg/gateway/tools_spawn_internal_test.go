package gateway

import (
	"slices"
	"testing"

	"github.com/rs/zerolog"

	"parley/pkg/config"
)

// TestWhatAgentsAreOffered holds the list against the tools there are: an agent has
// none that speaks, and starts further ones only where it may.
func TestWhatAgentsAreOffered(t *testing.T) {
	t.Parallel()
	cfg := config.Default("")
	starts := []string{"spawn", "subagent"}
	r := newRegistry(cfg, nil, newSandboxes(cfg, groups{}), func(string) (string, bool) { return "", false }, nil, nil, zerolog.Nop())
	r.Register(newMessage(nil))
	r.Register(newSendFile(cfg, nil, nil))
	for _, tool := range spawnTools(cfg, nil) {
		r.Register(tool)
	}
	b := background(&cfg.Background)
	for _, name := range r.List() {
		an, _ := r.Annotations(name)
		for depth := 1; depth <= cfg.Background.MaxDepth; depth++ {
			want := !an.Speaks || slices.Contains(starts, name) && depth < cfg.Background.MaxDepth
			if got := b.Offered(name, depth); got != want {
				t.Errorf("%s at depth %d: offered %v", name, depth, got)
			}
		}
	}
	for _, name := range []string{"schedule", "tasks"} {
		if b.Offered(name, 1) {
			t.Errorf("an agent is offered %s", name)
		}
	}
}
