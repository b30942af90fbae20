package native_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/test/faces"
	"parley/pkg/providers"
	"parley/pkg/tools"
)

// look is a tool that reads.
func look() tools.Tool {
	return faces.Tool("look", tools.Annotations{ReadOnly: true, Level: tools.LevelChat}, func(context.Context) string { return "seen" })
}

// looks is a model that looks once, and then answers with the result.
func looks(msgs []providers.Message, defs []providers.ToolDefinition) *providers.LLMResponse {
	if m := faces.Last(msgs); m.Role == providers.RoleTool {
		return faces.Says("I have " + m.Content + " it ")
	}
	if len(defs) == 0 {
		return faces.Says("without tools ")
	}
	return faces.Calls("", "look", `{"path":"a.md"}`)
}

func names(all []faces.Record) []string {
	var out []string
	for _, r := range all {
		out = append(out, r.Event)
	}
	return out
}

// TestAMessageAndItsEvents: the whole way, and each event in its order.
func TestAMessageAndItsEvents(t *testing.T) {
	t.Parallel()
	w := newWorld(t, looks, look())
	status, answer := w.do("ada", http.MethodPost, "/chats/main/messages", `{"message":"go"}`)
	if status != http.StatusAccepted || answer["chat"] != "main" {
		t.Fatalf("%d %v", status, answer)
	}
	after, _ := answer["after"].(string)
	all := w.open("ada", "main", after).untilDone()
	want := []string{
		"turn", "tool_call", "tool_executing", "tool_result", "token", "token", "token", "token", "message", "done",
	}
	if d := cmp.Diff(want, names(all)); d != "" {
		t.Error(d)
	}
	if !strings.Contains(all[0].Data, fmt.Sprintf(`"message":%q`, answer["message"])) {
		t.Errorf("%v begins with %s", answer, all[0].Data)
	}
	if d := cmp.Diff(`{"id":"call_1","name":"look","arguments":{"path":"a.md"},"run":"server","summary":"look: a.md","round":1}`, all[1].Data); d != "" {
		t.Error(d)
	}
	_, chat := w.do("ada", http.MethodGet, "/chats/main", "")
	messages, _ := chat["messages"].([]any)
	var roles []string
	for _, m := range messages {
		one, _ := m.(map[string]any)
		roles = append(roles, fmt.Sprint(one["role"]))
	}
	if d := cmp.Diff([]string{"user", "assistant", "tool", "assistant"}, roles); d != "" {
		t.Errorf("the chat reads %v", roles)
	}
	for i := range all { // each place to come back from
		rest := w.open("ada", "main", all[i].ID)
		for _, want := range all[i+1:] {
			if got := rest.next(); got != want {
				t.Fatalf("after %s: %v, want %v", all[i].Event, got, want)
			}
		}
		rest.end()
	}
}

// TestAnOldIDIsAnsweredWithReset, and the stream goes on behind it.
func TestAnOldIDIsAnsweredWithReset(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func([]providers.Message, []providers.ToolDefinition) *providers.LLMResponse {
		return faces.Says("hello ")
	})
	s := w.open("ada", "main", "of-another-process-1")
	if r := s.next(); r.Event != "reset" || r.ID == "" {
		t.Fatalf("%v", r)
	}
	w.do("ada", http.MethodPost, "/chats/main/messages", `{"message":"go"}`)
	if all := names(s.untilDone()); !slices.Contains(all, "message") {
		t.Errorf("%q", all)
	}
}

// TestEqualKeysAreOneTurn: twenty at once, each is confirmed with the same id.
func TestEqualKeysAreOneTurn(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	w := newWorld(t, func([]providers.Message, []providers.ToolDefinition) *providers.LLMResponse {
		asked.Add(1)
		return faces.Says("once ")
	})
	s := w.open("ada", "main", "")
	var mu sync.Mutex
	ids := map[any]int{}
	var posts sync.WaitGroup
	for range 20 {
		posts.Go(func() {
			status, answer := w.do("ada", http.MethodPost, "/chats/main/messages", `{"message":"go"}`, "Idempotency-Key", "k1")
			mu.Lock()
			defer mu.Unlock()
			if ids[answer["message"]]++; status != http.StatusAccepted {
				t.Errorf("%d %v", status, answer)
			}
		})
	}
	posts.Wait()
	s.untilDone()
	if n := asked.Load(); n != 1 || len(ids) != 1 {
		t.Errorf("asked %d times, %d ids", n, len(ids))
	}
	for _, other := range []struct{ token, chat, key string }{{"ada", "main", "k2"}, {"ada", "other", "k1"}, {"bob", "main", "k1"}} {
		before := asked.Load()
		o := w.open(other.token, other.chat, "")
		w.do(other.token, http.MethodPost, "/chats/"+other.chat+"/messages", `{"message":"go"}`, "Idempotency-Key", other.key)
		o.untilDone()
		if asked.Load() != before+1 {
			t.Errorf("%v is taken for another message", other)
		}
	}
}

// TestOptionsOnlyNarrow, and wrong ones are refused by their names.
func TestOptionsOnlyNarrow(t *testing.T) {
	t.Parallel()
	w := newWorld(t, looks, look(), faces.Tool("wipe", tools.Annotations{Level: tools.LevelExec}, func(context.Context) string { return "" }))
	for body, want := range map[string]string{
		`{"message":"go","enable_tools":false}`:     "without tools",
		`{"message":"go","tools":[]}`:               "without tools",
		`{"message":"go","tool_choice":"none"}`:     "without tools",
		`{"message":"go","tools":["look"]}`:         "I have seen it",
		`{"message":"go","max_tool_iterations":1}`:  "I stopped after 1 steps",
		`{"message":"go","tool_choice":"required"}`: "I have seen it",
		`{"message":"go","other":1}`:                "I have seen it",
	} {
		_, answer := w.do("ada", http.MethodPost, "/chats/main/messages", body)
		after, _ := answer["after"].(string)
		all := w.open("ada", "main", after).untilDone()
		if got := all[len(all)-1].Data; !strings.Contains(got, want) {
			t.Errorf("%s: %s", body, got)
		}
	}
	for body, param := range map[string]any{
		`{"message":""}`:                                 "message",
		`{}`:                                             "message",
		`{"message":"go","tools":["nothing"]}`:           "tools",
		`{"message":"go","tools":["wipe"]}`:              "tools", // beyond the token's level
		`{"message":"go","max_tool_iterations":0}`:       "max_tool_iterations",
		`{"message":"go","max_tool_iterations":11}`:      "max_tool_iterations",
		`{"message":"go","tool_choice":"maybe"}`:         "tool_choice",
		`{"message":"go","tool_choice":{"name":"wipe"}}`: "tool_choice",
		`{"message":"go"} {"message":"and this"}`:        nil,
		`{"message":`:                                    nil,
		`[]`:                                             nil,
		`{"message":1}`:                                  nil,
	} {
		status, answer := w.do("ada", http.MethodPost, "/chats/main/messages", body)
		failure, _ := answer["error"].(map[string]any)
		if status != http.StatusBadRequest || failure["param"] != param || failure["code"] != "bad_request" {
			t.Errorf("%s: %d %v", body, status, answer)
		}
	}
	_, listed := w.do("ada", http.MethodGet, "/tools", "")
	if all, _ := listed["tools"].([]any); len(all) != 1 {
		t.Errorf("the tools are %v", listed)
	}
}

// asks is a model that makes a call which a person has to allow.
func asks(msgs []providers.Message, _ []providers.ToolDefinition) *providers.LLMResponse {
	if m := faces.Last(msgs); m.Role == providers.RoleTool {
		return faces.Says("result: " + m.Content)
	}
	return faces.Calls("", "wipe", `{}`)
}

// TestAQuestionHidesNothing: characters that turn others around, or that nobody sees, are numbers
// in what a person reads.
func TestAQuestionHidesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func([]providers.Message, []providers.ToolDefinition) *providers.LLMResponse {
		return faces.Calls("", "wipe", "{\"name\":\"a\u202egnp.exe\u200b\"}")
	}, faces.Tool("wipe", tools.Annotations{Destructive: true, Level: tools.LevelWrite}, func(context.Context) string { return "" }))
	s := w.open("ada", "main", "")
	w.do("ada", http.MethodPost, "/chats/main/messages", `{"message":"go"}`)
	for _, e := range s.untilDone() {
		if e.Event == "confirmation_required" && strings.ContainsAny(e.Data, "\u202e\u200b") {
			t.Errorf("%q", e.Data)
		}
	}
	_, chat := w.do("ada", http.MethodGet, "/chats/main", "")
	open, _ := chat["approvals"].([]any)
	if len(open) != 1 {
		t.Fatalf("%v", chat["approvals"])
	}
	one, _ := open[0].(map[string]any)
	if text := fmt.Sprint(one["text"]); strings.ContainsAny(text, "\u202e\u200b") || !strings.Contains(text, `a\u{202e}gnp.exe\u{200b}`) {
		t.Errorf("%q", text)
	}
}

// TestAQuestionIsAnswered by another credential of the person, and the stream tells of it.
func TestAQuestionIsAnswered(t *testing.T) {
	t.Parallel()
	var wiped atomic.Int64
	w := newWorld(t, asks, faces.Tool("wipe", tools.Annotations{Destructive: true, Level: tools.LevelWrite}, func(context.Context) string {
		wiped.Add(1)
		return "wiped"
	}))
	s := w.open("ada", "main", "")
	w.do("ada", http.MethodPost, "/chats/main/messages", `{"message":"go"}`)
	first := s.untilDone()
	if got := names(first); !slices.Equal(got, []string{"turn", "tool_call", "confirmation_required", "done"}) ||
		!strings.Contains(first[3].Data, `"stop":"confirmation_required"`) {
		t.Fatalf("%q", first)
	}
	_, chat := w.do("ada", http.MethodGet, "/chats/main", "")
	open, _ := chat["approvals"].([]any)
	if len(open) != 1 {
		t.Fatalf("%v", chat["approvals"])
	}
	one, _ := open[0].(map[string]any)
	path := fmt.Sprint("/chats/main/approvals/", one["id"])
	for _, c := range []struct {
		token, path, body string
		want              int
	}{
		{"helper", path, `{"decision":"allow_once"}`, http.StatusForbidden}, // without the right
		{"self", path, `{"decision":"allow_once"}`, http.StatusForbidden},   // its own turn
		{"bob", path, `{"decision":"allow_once"}`, http.StatusNotFound},
		{"approver", "/chats/main/approvals/unknown", `{"decision":"allow_once"}`, http.StatusNotFound},
		{"approver", strings.Replace(path, "main", "other", 1), `{"decision":"allow_once"}`, http.StatusNotFound},
		{"approver", path, `{"decision":"perhaps"}`, http.StatusBadRequest},
	} {
		if status, answer := w.do(c.token, http.MethodPost, c.path, c.body); status != c.want {
			t.Errorf("%s: %s %s: %d %v", c.token, c.path, c.body, status, answer)
		}
	}
	for range 2 { // a client that got no answer sends it again
		if status, answer := w.do("approver", http.MethodPost, path, `{"decision":"allow_once"}`); status >= http.StatusBadRequest {
			t.Fatalf("%d %v", status, answer)
		}
	}
	second := s.untilDone()
	if got := second[len(second)-1].Data; !strings.Contains(got, "result: wiped") || wiped.Load() != 1 {
		t.Errorf("%q, wiped %d times", second, wiped.Load())
	}
	for body, want := range map[string]int{
		`{"decision":"allow_once"}`: http.StatusOK, `{"decision":"deny"}`: http.StatusConflict, `{"decision":"allow_here"}`: http.StatusConflict,
	} {
		if status, answer := w.do("approver", http.MethodPost, path, body); status != want {
			t.Errorf("once it is answered, %s: %d %v", body, status, answer)
		}
	}
}

// TestOthersReachNothing: an id leads to a chat of its caller alone, and ids that could
// lead elsewhere are unknown.
func TestOthersReachNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, looks, look())
	s := w.open("ada", "main", "")
	w.do("ada", http.MethodPost, "/chats/main/messages", `{"message":"secret"}`)
	s.untilDone()
	if _, chat := w.do("bob", http.MethodGet, "/chats/main", ""); fmt.Sprint(chat["messages"]) != "[]" {
		t.Errorf("bob reads %v", chat)
	}
	for _, id := range []string{"web:ada.main", "..", "a%2Fb", "a.b", "%20", strings.Repeat("a", 65), "a%0Ab"} {
		for _, path := range []string{"/chats/" + id, "/chats/" + id + "/events"} {
			if status, answer := w.do("bob", http.MethodGet, path, ""); status != http.StatusNotFound {
				t.Errorf("%s: %d %v", path, status, answer)
			}
		}
	}
	mine := w.open("bob", "main", "")
	w.do("ada", http.MethodPost, "/chats/main/messages", `{"message":"secret"}`)
	w.do("bob", http.MethodPost, "/chats/main/messages", `{"message":"hello"}`)
	for _, r := range mine.untilDone() {
		if strings.Contains(r.Data, "web:ada") {
			t.Errorf("bob's stream has %v", r)
		}
	}
}

// TestStopEndsTheTurn, and leaving a stream does not.
func TestStopEndsTheTurn(t *testing.T) {
	t.Parallel()
	began := make(chan struct{}, 1)
	w := newWorld(t, looks, faces.Tool("look", tools.Annotations{ReadOnly: true, Level: tools.LevelChat}, func(ctx context.Context) string {
		began <- struct{}{}
		<-ctx.Done()
		return "cut off"
	}))
	gone := w.open("ada", "main", "")
	w.do("ada", http.MethodPost, "/chats/main/messages", `{"message":"go"}`)
	<-began
	gone.end()
	s := w.open("ada", "main", "")
	if status, _ := w.do("ada", http.MethodPost, "/chats/main/stop", "{}"); status != http.StatusAccepted {
		t.Error(status)
	}
	all := s.untilDone()
	if got := all[len(all)-1].Data; !strings.Contains(got, `"stop":"stopped"`) {
		t.Errorf("%s", got)
	}
}

// TestATokenHasNoMoreThanItsLevel, whatever its person may.
func TestATokenHasNoMoreThanItsLevel(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(_ []providers.Message, defs []providers.ToolDefinition) *providers.LLMResponse {
		return faces.Says(fmt.Sprintf("%d tools ", len(defs)))
	}, look(), faces.Tool("write", tools.Annotations{Level: tools.LevelWrite}, func(context.Context) string { return "" }))
	for token, want := range map[string]string{"ada": "2 tools", "bob": "1 tools"} {
		s := w.open(token, "main", "")
		w.do(token, http.MethodPost, "/chats/main/messages", `{"message":"go"}`)
		all := s.untilDone()
		if got := all[len(all)-1].Data; !strings.Contains(got, want) {
			t.Errorf("%s: %s", token, got)
		}
	}
}

// TestAChatIsReadWhole: people read what they wrote, also where the model reads a summary
// of it, and the summary is no message of theirs.
func TestAChatIsReadWhole(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(msgs []providers.Message, _ []providers.ToolDefinition) *providers.LLMResponse {
		return faces.Says("heard " + faces.Last(msgs).Content)
	})
	s := w.open("ada", "main", "")
	for _, text := range []string{"one", "two", "/compact", "three"} {
		w.do("ada", http.MethodPost, "/chats/main/messages", fmt.Sprintf(`{"message":%q}`, text))
		s.untilDone()
	}
	read := func(query string) (texts []string, first int) {
		_, chat := w.do("ada", http.MethodGet, "/chats/main"+query, "")
		messages, _ := chat["messages"].([]any)
		for i, m := range messages {
			one, _ := m.(map[string]any)
			if one["seq"] == 0.0 { // the answer to /compact, which a person has seen
				continue
			}
			texts = append(texts, fmt.Sprint(one["text"]))
			if seq, ok := one["seq"].(float64); ok && i == 0 {
				first = int(seq)
			}
		}
		return texts, first
	}
	all, _ := read("")
	if d := cmp.Diff([]string{"one", "heard one", "two", "heard two", "three", "heard three"}, all); d != "" {
		t.Error(d)
	}
	before, first := read("?before=4")
	if d := cmp.Diff([]string{"one", "heard one", "two"}, before); d != "" || first != 1 {
		t.Errorf("from %d: %s", first, d)
	}
}
