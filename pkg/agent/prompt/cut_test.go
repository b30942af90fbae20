package prompt_test

import (
	"strings"
	"testing"

	"parley/pkg/agent/prompt"
)

// TestACutKeepsTheLastTurn however long its message and its steps are: the cut begins with
// a message that is in the history.
func TestACutKeepsTheLastTurn(t *testing.T) {
	t.Parallel()
	const budget = 2400
	older := strings.Repeat("ua", 20)
	for _, entries := range []int{10, 200} {
		for size := 100; size < 3*budget; size += 100 {
			for _, steps := range []string{"a", "cta", "ctctcta", strings.Repeat("ct", 8) + "a", strings.Repeat("ct", 40) + "a"} {
				all := append(history(older, 400), history("u"+steps, size)...)
				for i := range all {
					all[i].Seq = uint64(i + 1)
				}
				w, err := prompt.New(prompt.Options{Store: all}).History(t.Context(), prompt.Past{Budget: budget, Entries: entries})
				if err != nil {
					t.Fatal(err)
				}
				if w.From == 0 || w.From > uint64(len(older)+1) || w.Tokens > budget {
					t.Errorf("%d entries, a turn of %d messages of %d bytes: %q from %d with %d tokens, cut %v",
						entries, 1+len(steps), size, roles(w.Messages), w.From, w.Tokens, w.Cut)
				}
			}
		}
	}
}
