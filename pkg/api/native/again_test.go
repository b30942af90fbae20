package native_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"parley/internal/test/faces"
	"parley/pkg/providers"
)

// TestAMessageSentAgainIsFollowed: a program that got no answer sends its message again, also
// when that is answered already, and sees its turn; where the events are gone, it is told so.
func TestAMessageSentAgainIsFollowed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(msgs []providers.Message, _ []providers.ToolDefinition) *providers.LLMResponse {
		if faces.Last(msgs).Content == "more" {
			return faces.Says(strings.Repeat("x", 2<<20)) // than the events of a chat may have
		}
		return faces.Says("hello ")
	})
	post := func(key string) string {
		status, answer := w.do("ada", http.MethodPost, "/chats/main/messages", `{"message":"go"}`, "Idempotency-Key", key)
		if status != http.StatusAccepted {
			t.Fatalf("%d %v", status, answer)
		}
		return fmt.Sprint(answer["after"])
	}
	first := w.open("ada", "main", post("k1")).untilDone()
	w.open("ada", "main", post("k2")).untilDone()
	again := w.open("ada", "main", post("k1")).untilDone()
	if fmt.Sprint(again) != fmt.Sprint(first) {
		t.Errorf("the first time %v, again %v", first, again)
	}
	w.do("ada", http.MethodPost, "/chats/main/messages", `{"message":"more"}`)
	for {
		_, chat := w.do("ada", http.MethodGet, "/chats/main", "")
		messages, _ := chat["messages"].([]any)
		if newest, _ := messages[len(messages)-1].(map[string]any); newest["role"] == "assistant" && newest["seq"].(float64) > 4 {
			break
		}
	}
	if r := w.open("ada", "main", post("k1")).next(); r.Event != "reset" {
		t.Errorf("the events are gone, and the stream begins with %v", r)
	}
}

// TestAUsedKeyTakesNoOtherMessage, whether the first one waits or is answered.
func TestAUsedKeyTakesNoOtherMessage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, looks, look())
	post := func(body string) int {
		status, _ := w.do("ada", http.MethodPost, "/chats/main/messages", body, "Idempotency-Key", "k1")
		return status
	}
	s := w.open("ada", "main", "")
	const body = `{"message":"go\u0000","tools":["look"]}`
	if status := post(body); status != http.StatusAccepted {
		t.Fatal(status)
	}
	for _, when := range []string{"at once", "once it is answered"} {
		if status := post(body); status != http.StatusAccepted {
			t.Errorf("%s, the same: %d", when, status)
		}
		if status := post(` { "tools": ["look"], "message": "go\u0000" } `); status != http.StatusAccepted {
			t.Errorf("%s, the same in other words: %d", when, status)
		}
		for _, other := range []string{`{"message":"another","tools":["look"]}`, `{"message":"go\u0000"}`, `{"message":"go\u0000","tools":[]}`} {
			if status := post(other); status != http.StatusConflict {
				t.Errorf("%s, %s: %d", when, other, status)
			}
		}
		if when == "at once" {
			s.untilDone()
		}
	}
}
