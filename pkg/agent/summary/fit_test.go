package summary_test

import (
	"fmt"
	"strings"
	"testing"

	"parley/pkg/agent/summary"
	"parley/pkg/providers"
)

// TestFit: messages that are too long together lose the ends of the longest, and the
// oldest of them only where the beginnings have no room.
func TestFit(t *testing.T) {
	t.Parallel()
	long := strings.Repeat(" words and", 80)
	messages := []providers.Message{
		{Role: providers.RoleUser, Content: "a" + long},
		{Role: providers.RoleAssistant, Content: "b"},
		{Role: providers.RoleUser, Content: "c" + long + long},
		{Role: providers.RoleTool, Content: "d" + strings.Repeat(long, 20)},
		{Role: providers.RoleAssistant, Content: "e" + long},
	}
	for tokens, want := range map[int]string{100_000: "abcde", 1000: "abcde", 500: "abcde", 250: "abcde", 150: "cde", 60: "e", 10: ""} {
		t.Run(fmt.Sprint(tokens), func(t *testing.T) {
			t.Parallel()
			got, size := "", 0
			fit := summary.Fit(messages, tokens)
			for i := range fit {
				got += fit[i].Content[:1]
				size += providers.EstimateTokens(fit[i])
			}
			if got != want || size > tokens || tokens < 1000 && tokens > 200 && size < tokens*3/4 {
				t.Errorf("%q with %d tokens, want %q", got, size, want)
			}
		})
	}
	if messages[0].Content != "a"+long || len(summary.Fit(nil, 10)) != 0 {
		t.Error("the caller's messages were changed")
	}
}
