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

// TestResultsWithWordsSentAgain are the same message while they wait and once they are answered,
// also beside the results of the gateway's own calls. Other words behind the results are refused.
func TestResultsWithWordsSentAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(msgs []providers.Message, _ []providers.ToolDefinition) *providers.LLMResponse {
		if faces.Last(msgs).Content == "go" {
			all := faces.Calls("", "theirs", "{}")
			all.ToolCalls = append(all.ToolCalls, all.ToolCalls[0])
			all.ToolCalls[1].ID, all.ToolCalls[1].Name = "call_2", "look"
			return all
		}
		return faces.Says("fine")
	}, look())
	s := w.open("ada", "main", "")
	defer s.end()
	const tool = `"tools":["look",{"name":"theirs","description":"d","parameters_schema":{"type":"object"}}]`
	w.do("ada", http.MethodPost, "/chats/main/messages", `{"message":"go",`+tool+`}`)
	s.untilDone()
	post := func(words string) (int, any) {
		status, got := w.do("ada", http.MethodPost, "/chats/main/messages", fmt.Sprintf(`{%s,"messages":[{"role":"assistant","content":""},
			{"role":"tool","tool_call_id":"call_1","content":"their word"},{"role":"tool","tool_call_id":"call_2","content":"seen"},
			{"role":"user","content":%q}]}`, tool, words), "Idempotency-Key", "k1")
		return status, got["message"]
	}
	status, first := post("and then?")
	if status != http.StatusAccepted {
		t.Fatal(status, first)
	}
	for _, when := range []string{"at once", "once it is answered"} {
		if status, again := post("and then?"); status != http.StatusAccepted || again != first {
			t.Errorf("%s, the same: %d %v, want %v", when, status, again, first)
		}
		if status, _ := post("something else"); status != http.StatusConflict {
			t.Errorf("%s, other words: %d", when, status)
		}
		if when == "at once" {
			s.untilDone()
		}
	}
	w.Settled()
	if lines, _ := w.told(""); strings.Count(strings.Join(lines, "|"), "and then?") != 1 {
		t.Errorf("the chat reads %q", lines)
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
