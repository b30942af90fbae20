package offline_test

import (
	"strings"
	"testing"

	"parley/pkg/providers"
)

// TestExplainsItselfOnce: the long answer to a message that is not understood comes once
// in a conversation, then a line.
func TestExplainsItselfOnce(t *testing.T) {
	t.Parallel()
	const short = "I did not understand that. Say help to see my commands."
	messages := []providers.Message{user("write me a poem")}
	for n, want := range []string{"", short, "You're welcome.", short} {
		resp := ask(t, messages, allTools(), nil)
		if n == 0 && (!strings.HasPrefix(resp.Content, "I did not understand that: I am Parley's offline model") ||
			!strings.Contains(resp.Content, "OPENAI_API_KEY")) ||
			n > 0 && resp.Content != want {
			t.Errorf("answer %d: %q", n, resp.Content)
		}
		next := "sing me a song"
		if n == 1 {
			next = "thanks"
		}
		messages = append(messages, resp.Message(), user(next))
	}
	both := ask(t, []providers.Message{user("write me a poem"), user("sing me a song")}, allTools(), nil)
	if strings.Count(both.Content, "I am Parley's offline model") != 1 || !strings.HasSuffix(both.Content, "\n\n"+short) {
		t.Errorf("two at once: %q", both.Content)
	}
}
