package native_test

import (
	"fmt"
	"net/http"
	"testing"

	"parley/pkg/providers"
)

func hello([]providers.Message, []providers.ToolDefinition) *providers.LLMResponse {
	return says("hello ")
}

// TestCommandsNeedTheRightsOfTheirRoutes: a message that is a command gives a token no more
// than it has.
func TestCommandsNeedTheRightsOfTheirRoutes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, hello, look())
	for _, c := range []struct {
		token, message string
		status         int
	}{
		{"ada", "/tool look {}", http.StatusForbidden},
		{"ada", " /tool@bot look", http.StatusForbidden},
		{"chooser", "/tool look {}", http.StatusAccepted},
		{"ada", "/model", http.StatusAccepted},
		{"ada", "/model small", http.StatusForbidden},
		{"chooser", "/model Small", http.StatusAccepted},
		{"chooser", "/model large", http.StatusForbidden},
		{"chooser", "/model default", http.StatusForbidden},
		{"ada", "/status", http.StatusAccepted},
		{"ada", "what does /tool do?", http.StatusAccepted},
	} {
		status, answer := w.do(c.token, http.MethodPost, "/chats/main/messages", fmt.Sprintf(`{"message":%q}`, c.message))
		if status != c.status {
			t.Errorf("%s, %s: %d %v", c.token, c.message, status, answer)
		}
	}
}
