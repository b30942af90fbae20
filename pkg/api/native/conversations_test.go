package native_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"parley/internal/test/faces"
	"parley/pkg/providers"
)

// TestConversationsAreListed: the present one and those that the chat left behind, for their person
// alone; the id of one is good for /resume, and undone words are marked.
func TestConversationsAreListed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(msgs []providers.Message, _ []providers.ToolDefinition) *providers.LLMResponse {
		return faces.Says(fmt.Sprint("after ", len(msgs)-3))
	})
	say := func(text string) {
		t.Helper()
		s := w.open("ada", "main", "")
		defer s.end()
		if status, answer := w.do("ada", http.MethodPost, "/chats/main/messages", fmt.Sprintf(`{"message":%q}`, text)); status != http.StatusAccepted {
			t.Fatalf("%d %v", status, answer)
		}
		s.untilDone()
	}
	list := func(who string) (ids, shown []string) {
		t.Helper()
		_, answer := w.do(who, http.MethodGet, "/chats/main/conversations", "")
		for _, one := range answer["conversations"].([]any) {
			row := one.(map[string]any)
			ids = append(ids, row["id"].(string))
			shown = append(shown, fmt.Sprint(row["title"], " ", row["entries"], " ", row["current"]))
		}
		return ids, shown
	}
	if _, shown := list("ada"); len(shown) != 0 {
		t.Errorf("before the first word: %q", shown)
	}
	if _, answer := w.do("ada", http.MethodGet, "/chats/main/answer", ""); answer["text"] != "" {
		t.Errorf("before the first word: %v", answer)
	}
	for _, text := range []string{"garden", "/new", "house", "roof", "/undo"} {
		say(text)
	}
	ids, shown := list("page:ada")
	if got := strings.Join(shown, "|"); got != "house 4 true|garden 2 false" {
		t.Errorf("listed %q", got)
	}
	if _, shown := list("bob"); len(shown) != 0 {
		t.Errorf("bob has %q", shown)
	}
	_, chat := w.do("ada", http.MethodGet, "/chats/main", "")
	if got := strings.Count(fmt.Sprint(chat), "undone:true"); got != 2 {
		t.Errorf("%d messages are undone: %v", got, chat)
	}
	if _, answer := w.do("ada", http.MethodGet, "/chats/main/answer", ""); answer["text"] != "after 0" {
		t.Errorf("the last answer is %v", answer)
	}
	say("/resume " + ids[1])
	if _, shown := list("ada"); strings.Join(shown, "|") != "garden 2 true|house 4 false" {
		t.Errorf("listed %q", shown)
	}
	say("bees")
	if _, answer := w.do("page:ada", http.MethodGet, "/chats/main/answer", ""); answer["text"] != "after 2" {
		t.Errorf("the last answer is %v", answer)
	}
	if _, answer := w.do("bob", http.MethodGet, "/chats/main/answer", ""); answer["text"] != "" {
		t.Errorf("bob reads %v", answer)
	}
	s := w.open("bob", "main", "")
	defer s.end()
	w.do("bob", http.MethodPost, "/chats/main/messages", fmt.Sprintf(`{"message":"/resume %s"}`, ids[0]))
	s.untilDone()
	_, chat = w.do("bob", http.MethodGet, "/chats/main", "")
	if got := fmt.Sprint(chat); strings.Contains(got, "garden") || strings.Contains(got, "house") {
		t.Errorf("bob reads %s", got)
	}
}
