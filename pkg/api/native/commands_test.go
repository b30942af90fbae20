package native_test

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"parley/internal/test/faces"
	"parley/pkg/providers"
)

func hello([]providers.Message, []providers.ToolDefinition) *providers.LLMResponse {
	return faces.Says("hello ")
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

// TestCommandsAreListed for programs and pages.
func TestCommandsAreListed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, hello)
	for _, who := range []string{"ada", "page:ada"} {
		status, answer := w.do(who, http.MethodGet, "/commands", "")
		got := fmt.Sprint(answer)
		if status != http.StatusOK || !strings.Contains(got, "usage:/stop") {
			t.Errorf("%s: %d %s", who, status, got)
		}
	}
	if status, _ := w.do("nobody", http.MethodGet, "/commands", ""); status != http.StatusUnauthorized {
		t.Errorf("a stranger: %d", status)
	}
}

// TestARequestNamesAModel of its token's list, and a token with a list has no other.
func TestARequestNamesAModel(t *testing.T) {
	t.Parallel()
	w := newWorld(t, hello)
	for _, c := range []struct {
		token, model string
		status       int
		stored       string
	}{
		{"ada", "", http.StatusAccepted, ""},
		{"ada", "large", http.StatusAccepted, ""}, // the one that answers in any case
		{"ada", "small", http.StatusForbidden, ""},
		{"chooser", "Small", http.StatusAccepted, "small"},
		{"chooser", "", http.StatusAccepted, "small"},
		{"chooser", "large", http.StatusForbidden, ""},
		{"chooser", "other", http.StatusForbidden, ""},
		{"lost", "", http.StatusForbidden, ""},
		{"lost", "gone", http.StatusForbidden, ""},
	} {
		s := w.open(c.token, "main", "")
		status, answer := w.do(c.token, http.MethodPost, "/chats/main/messages", fmt.Sprintf(`{"message":"go","model":%q}`, c.model))
		if status != c.status {
			t.Errorf("%s, %q: %d %v", c.token, c.model, status, answer)
		}
		if status == http.StatusAccepted {
			s.untilDone()
			if got := w.asked(); got != cmp.Or(c.stored, "large") {
				t.Errorf("%s, %q: asked %q", c.token, c.model, got)
			}
		}
		s.end()
	}
}
