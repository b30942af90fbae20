package text_test

import (
	"testing"

	"parley/pkg/text"
)

// TestDistance counts letters, not bytes, and a swap of neighbours once.
func TestDistance(t *testing.T) {
	t.Parallel()
	for words, want := range map[[2]string]int{
		{"", ""}: 0, {"help", "help"}: 0, {"", "ab"}: 2, {"ab", ""}: 2,
		{"hlep", "help"}: 1, {"hepl", "help"}: 1, {"hlp", "help"}: 1, {"helpp", "help"}: 1, {"hewp", "help"}: 1,
		{"é", "e"}: 1, {"modek", "tools"}: 4,
	} {
		if got := text.Distance(words[0], words[1]); got != want {
			t.Errorf("%q: %d, want %d", words, got, want)
		}
	}
}
