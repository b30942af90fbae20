package native_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"parley/internal/test/apidoc"
	"parley/internal/test/faces"
	"parley/pkg/tools"
)

// fails is a tool that fails.
type fails struct{ tools.Tool }

func (fails) Execute(context.Context, map[string]any) *tools.ToolResult {
	return tools.ErrorResult("there is no such city").WithError(errors.New("there is no such city"))
}

// needy is a tool with an argument that it needs.
type needy struct{ tools.Tool }

func (needy) Parameters() map[string]any {
	return map[string]any{
		"type": "object", "properties": map[string]any{"city": map[string]any{"type": "string"}}, "required": []any{"city"},
	}
}

// callable are tools with every kind of end.
func callable(t *testing.T, wiped *atomic.Int64) []tools.Tool {
	t.Helper()
	reads := tools.Annotations{ReadOnly: true, Level: tools.LevelChat}
	slow := reads
	slow.Timeout = 20 * time.Millisecond
	return []tools.Tool{
		look(),
		fails{faces.Tool("fail", reads, nil)},
		needy{faces.Tool("want", reads, func(context.Context) string { return "found" })},
		faces.Tool("hang", slow, func(context.Context) string { <-t.Context().Done(); return "" }),
		faces.Tool("wipe", tools.Annotations{Destructive: true, Level: tools.LevelWrite}, func(context.Context) string {
			wiped.Add(1)
			return "wiped"
		}),
	}
}

// TestAToolIsCalledDirectly: with the right of the token, its level and the checks of a call in a
// turn. A tool that fails has a result.
func TestAToolIsCalledDirectly(t *testing.T) {
	t.Parallel()
	var wiped atomic.Int64
	w := newWorld(t, hello, callable(t, &wiped)...)
	for _, c := range []struct {
		token, body string
		status      int
		code, says  string
	}{
		{"bob", `{"target_capability":"look"}`, 200, "", "seen"},
		{"self", `{"target_capability":"want","target_version":"1.0","target_body":{"city":"Rome\n/tool wipe"}}`, 200, "", "found"},
		{"self", `{"target_capability":"look","chat":"main"}`, 200, "", "seen"},
		{"self", `{"target_capability":"fail"}`, 200, "", "no such city"},
		{"ada", `{"target_capability":"look"}`, 403, "token_scope_insufficient", "call_tools"},
		{"self", `{"target_capability":"nothing"}`, 400, "bad_request", "nothing"},
		{"bob", `{"target_capability":"wipe"}`, 400, "bad_request", "wipe"}, // above his level
		{"self", `{"target_capability":"look {} x"}`, 400, "bad_request", "no tool"},
		{"self", `{"target_capability":"want","target_body":{"town":"Rome"}}`, 400, "bad_request", "city"},
		{"self", `{"target_capability":"look","target_body":[]}`, 400, "bad_request", "target_body"},
		{"self", `{"target_capability":"look","target_version":"2"}`, 400, "bad_request", "version"},
		{"self", `{"target_capability":"look","chat":"once-1"}`, 400, "bad_request", "48 hours"},
		{"self", `{"target_capability":"hang"}`, 504, "timeout", ""},
	} {
		status, answer := w.do(c.token, http.MethodPost, "/tools/call", c.body)
		e, _ := answer["error"].(map[string]any)
		if status != c.status || fmt.Sprint(e["code"]) != cmp.Or(c.code, "<nil>") || !strings.Contains(fmt.Sprint(answer), c.says) {
			t.Errorf("%s, %s: %d %v", c.token, c.body, status, answer)
		}
		if failed := c.says == "no such city"; c.status == http.StatusOK && answer["is_error"] != failed {
			t.Errorf("%s: is_error is %v", c.body, answer["is_error"])
		}
	}
	if wiped.Load() != 0 {
		t.Error("a call ran that must not")
	}
	w.Settled()
}

// TestADirectCallAsks: a person allows it, and not the token that made it.
func TestADirectCallAsks(t *testing.T) {
	t.Parallel()
	var wiped atomic.Int64
	w := newWorld(t, hello, callable(t, &wiped)...)
	status, answer := w.do("approver", http.MethodPost, "/tools/call", `{"target_capability":"wipe"}`)
	question, _ := answer["confirmation_required"].(map[string]any)
	chat, _ := answer["chat"].(string)
	if status != http.StatusAccepted || question["name"] != "wipe" || wiped.Load() != 0 {
		t.Fatalf("%d %v", status, answer)
	}
	after, _ := answer["after"].(string)
	s := w.open("self", chat, after)
	path := fmt.Sprintf("/chats/%s/approvals/%v", chat, question["id"])
	if status, answer := w.do("approver", http.MethodPost, path, `{"decision":"allow_once"}`); status != http.StatusForbidden {
		t.Errorf("its own call: %d %v", status, answer)
	}
	if status, answer := w.do("bob", http.MethodPost, path, `{"decision":"allow_once"}`); status != http.StatusNotFound {
		t.Errorf("another person's call: %d %v", status, answer)
	}
	if status, answer := w.do("self", http.MethodPost, path, `{"decision":"allow_once"}`); status != http.StatusAccepted {
		t.Fatalf("%d %v", status, answer)
	}
	s.untilDone()
	s.untilDone()
	if w.Settled(); wiped.Load() != 1 {
		t.Errorf("it ran %d times", wiped.Load())
	}
}

// TestADirectCallIsMadeOnce for each key, which stands for one call.
func TestADirectCallIsMadeOnce(t *testing.T) {
	t.Parallel()
	var made atomic.Int64
	w := newWorld(t, hello, look(), faces.Tool("count", tools.Annotations{Level: tools.LevelChat}, func(context.Context) string {
		return fmt.Sprint("number ", made.Add(1))
	}))
	for range 3 {
		status, answer := w.do("self", http.MethodPost, "/tools/call", `{"target_capability":"count"}`, "Idempotency-Key", "k")
		if status != http.StatusOK || answer["result"] != "number 1" {
			t.Errorf("%d %v", status, answer)
		}
	}
	if status, _ := w.do("self", http.MethodPost, "/tools/call", `{"target_capability":"look"}`, "Idempotency-Key", "k"); status != 409 {
		t.Errorf("another call under the key: %d", status)
	}
	w.Settled()
}

// TestBodiesOfACallAreThoseOfTheDocument, as for messages.
func TestBodiesOfACallAreThoseOfTheDocument(t *testing.T) {
	t.Parallel()
	w := newWorld(t, hello, look())
	for _, b := range apidoc.Load(t).Bodies(t, http.MethodPost, "/api/tools/call") {
		want := http.StatusOK
		if !b.Takes {
			want = http.StatusBadRequest
		}
		if status, answer := w.do("self", http.MethodPost, "/tools/call", b.Text); status != want {
			t.Errorf("%s: %d %v, want %d", b.About, status, answer, want)
		}
	}
}

// TestPassingChatsTakeNoMessages: they would be forgotten.
func TestPassingChatsTakeNoMessages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, hello)
	status, answer := w.do("ada", http.MethodPost, "/chats/once-more/messages", `{"message":"hi"}`)
	if status != http.StatusBadRequest || !strings.Contains(fmt.Sprint(answer), "48 hours") {
		t.Errorf("%d %v", status, answer)
	}
	if status, _ := w.do("ada", http.MethodPost, "/chats/oncemore/messages", `{"message":"hi"}`); status != http.StatusAccepted {
		t.Errorf("another chat: %d", status)
	}
	w.Settled()
}
