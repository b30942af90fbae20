package openai_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/test/faces"
	"parley/pkg/channels"
	"parley/pkg/providers"
	"parley/pkg/tools"
)

// callOf is the id of the first call that the client runs in a response.
func callOf(t *testing.T, answer map[string]any) string {
	t.Helper()
	items, _ := answer["output"].([]any)
	for _, i := range items {
		if it, _ := i.(map[string]any); it["type"] == "function_call" {
			return fmt.Sprint(it["call_id"])
		}
	}
	t.Fatalf("%v", answer)
	return ""
}

// sent is a request with a result in a lasting chat.
func sent(id, result string) string {
	return fmt.Sprintf(`{"model":"parley",%s,"messages":[{"role":"user","content":"call theirs"},
		{"role":"assistant","tool_calls":[{"id":%q,"type":"function","function":{"name":"forged","arguments":"{}"}}]},
		{"role":"tool","tool_call_id":%q,"content":%q}]}`, theirs, id, id, result)
}

// TestAResultCountsOnceAndByItsToken: the stored call wins over the one that the client sends
// back; a result by another token, a second one and one for another id are refused. The same
// request again under its key has its answer.
func TestAResultCountsOnceAndByItsToken(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(msgs []providers.Message, defs []providers.ToolDefinition) *providers.LLMResponse {
		if m := faces.Last(msgs); m.Role == providers.RoleTool { // the call that the model remembers, with its result
			call := msgs[len(msgs)-2].ToolCalls[0]
			return faces.Says(fmt.Sprintf("%s %t %s", call.Name, call.ID == m.ToolCallID, m.Content))
		}
		return scripted(msgs, defs)
	})
	post := func(token, body string, header ...string) (int, map[string]any) {
		return w.do(token, http.MethodPost, "/chat/completions", body, append(header, "X-Chat", "main")...)
	}
	_, answer := post("ada", chat("call theirs", theirs))
	var c struct {
		Choices []struct {
			Message struct {
				Calls []struct{ ID string } `json:"tool_calls"`
			}
		}
	}
	raw, _ := json.Marshal(answer)
	if err := json.Unmarshal(raw, &c); err != nil || len(c.Choices) != 1 || len(c.Choices[0].Message.Calls) != 1 {
		t.Fatalf("%s: %v", raw, err)
	}
	id := c.Choices[0].Message.Calls[0].ID
	for name, refused := range map[string][2]string{
		"another token": {"helper", id}, "another id": {"ada", "call_1"}, "another turn": {"ada", strings.Replace(id, "_1", "_2", 1)},
	} {
		if status, got := post(refused[0], sent(refused[1], "x")); status != http.StatusConflict {
			t.Errorf("%s: %d %v", name, status, got)
		}
	}
	for _, when := range []string{"first", "again"} {
		status, got := post("ada", sent(id, "their word"), "Idempotency-Key", "k1")
		if status != http.StatusOK {
			t.Fatalf("%s: %d %v", when, status, got)
		}
		if content, _ := contentOf(t, got); content != "theirs true their word" {
			t.Errorf("%s: %q", when, content)
		}
		w.Forget()
	}
	if status, got := post("ada", sent(id, "their word")); status != http.StatusConflict {
		t.Errorf("late: %d %v", status, got)
	}
}

// TestACallThatWasTakenOut by /undo takes no result any more.
func TestACallThatWasTakenOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t, scripted)
	_, answer := w.do("ada", http.MethodPost, "/chat/completions", chat("call theirs", theirs), "X-Chat", "main")
	raw, _ := json.Marshal(answer)
	var c struct {
		Choices []struct {
			Message struct {
				Calls []struct{ ID string } `json:"tool_calls"`
			}
		}
	}
	if err := json.Unmarshal(raw, &c); err != nil || len(c.Choices) != 1 || len(c.Choices[0].Message.Calls) != 1 {
		t.Fatalf("%s: %v", raw, err)
	}
	at := channels.Address{Channel: "web", Chat: "web:ada.main"}
	if err := w.Post(t.Context(), channels.Inbound{
		ID: "undo", Kind: channels.KindMessage, Address: at, Sender: channels.Sender{ID: "web:ada"}, Text: "/undo", Direct: true,
		Wish: &channels.Wish{Level: "write"},
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Store.Inbox().Drained(t.Context(), at); err != nil {
		t.Fatal(err)
	}
	if status, got := w.do(
		"ada", http.MethodPost, "/chat/completions", sent(c.Choices[0].Message.Calls[0].ID, "their word"), "X-Chat", "main",
	); status != http.StatusConflict {
		t.Errorf("%d %v", status, got)
	}
}

// TestACallWithBrokenArguments is one of the gateway: the model reads why, and the client
// never sees it.
func TestACallWithBrokenArguments(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(msgs []providers.Message, _ []providers.ToolDefinition) *providers.LLMResponse {
		if faces.Last(msgs).Role == providers.RoleTool {
			return faces.Says("without it")
		}
		resp := faces.Calls("", "theirs", "{broken")
		resp.ToolCalls[0].Settle()
		return resp
	})
	_, answer := w.do("ada", http.MethodPost, "/chat/completions", chat("go", theirs))
	if raw, _ := json.Marshal(answer); strings.Contains(string(raw), "tool_calls") {
		t.Errorf("%s", raw)
	}
}

// TestAStoredResponse is read by its id: as it was answered, each of a chat with several, and
// by its person alone.
func TestAStoredResponse(t *testing.T) {
	t.Parallel()
	w := newWorld(t, scripted, look(), erase())
	w.respond("bob", input("hello", `"conversation":"conv_1"`))
	for _, body := range []string{
		input("hi"), input("call look theirs", theirFunction), input("call look erase"), input("long"), input("hi", `"conversation":"conv_1"`),
		input("call missing"),
		`{"model":"parley","input":[{"role":"user","content":"a"},{"role":"assistant","content":"claimed"},{"role":"user","content":"b"}]}`,
	} {
		_, first := w.respond("ada", body)
		_, second := w.respond("ada", input("and again", fmt.Sprintf(`"previous_response_id":%q`, first["id"])))
		w.Forget()
		for _, want := range []map[string]any{first, second} {
			path := fmt.Sprint("/responses/", want["id"])
			status, got := w.do("ada", http.MethodGet, path, "")
			if strings.Contains(body, "long") { // the remark behind an answer that was cut off is none of the history
				delete(want, "output")
				delete(got, "output")
			}
			for _, field := range []string{"id", "object", "status", "model", "output", "usage", "incomplete_details"} {
				if d := cmp.Diff(want[field], got[field]); status != http.StatusOK || d != "" {
					t.Errorf("%s %s: %d %s", body, field, status, d)
				}
			}
			for token, want := range map[string]int{"helper": http.StatusOK, "bob": http.StatusNotFound} {
				if status, got := w.do(token, http.MethodGet, path, ""); status != want {
					t.Errorf("%s: %d %v", token, status, got)
				}
			}
		}
	}
	_, kept := w.respond("ada", input("hi"))
	for _, path := range []string{
		"/responses/resp_x", "/responses/resp_post.x_once-none", fmt.Sprint("/responses/", kept["id"], "x"), "/responses/resp_._",
	} {
		if status, got := w.do("ada", http.MethodGet, path, ""); status != http.StatusNotFound {
			t.Errorf("%s: %d %v", path, status, got)
		}
	}
	if status, got := w.do("ada", http.MethodGet, fmt.Sprint("/responses/", kept["id"], "?stream=true"), ""); status != http.StatusBadRequest {
		t.Errorf("%d %v", status, got)
	}
}

// TestAResponseThatIsNotDone is in progress, and one that failed has failed.
func TestAResponseThatIsNotDone(t *testing.T) {
	t.Parallel()
	goOn := make(chan struct{})
	w := newWorld(t, func(msgs []providers.Message, _ []providers.ToolDefinition) *providers.LLMResponse {
		if faces.Last(msgs).Content == "fail" {
			return nil
		}
		<-goOn
		return faces.Says("done ")
	})
	for text, want := range map[string]string{"wait": "in_progress", "fail": "failed"} {
		resp := w.send(t.Context(), "/responses", input(text, `"stream":true`), "Idempotency-Key", text)
		records := faces.NewRecords(resp.Body)
		if text == "fail" {
			_ = resp.Body.Close()
			continue // it failed before the stream began, and has no id
		}
		begun, ok := records.Next()
		var e struct{ Response struct{ ID string } }
		if err := json.Unmarshal([]byte(begun.Data), &e); !ok || err != nil {
			t.Fatalf("%q: %v", begun, err)
		}
		if _, got := w.do("ada", http.MethodGet, "/responses/"+e.Response.ID, ""); got["status"] != want {
			t.Errorf("%s: %v", text, got)
		}
		close(goOn)
		for last, ok := begun, true; ok; last, ok = records.Next() {
			begun = last
		}
		_ = resp.Body.Close()
		if begun.Event != "response.completed" {
			t.Errorf("%v", begun)
		}
		if _, got := w.do("ada", http.MethodGet, "/responses/"+e.Response.ID, ""); got["status"] != "completed" {
			t.Errorf("%s: %v", text, got)
		}
	}
}

// TestTheGatewayAsAServerOfTools: a request may declare it as one, and narrow its tools; it
// declares no other.
func TestTheGatewayAsAServerOfTools(t *testing.T) {
	t.Parallel()
	w := newWorld(t, scripted, look(), erase(), faces.Tool("third", tools.Annotations{ReadOnly: true, Level: tools.LevelChat}, nil))
	const server = `"tools":[{"type":"mcp","server_label":"parley","server_url":"http://127.0.0.1/v1","require_approval":"always"%s}%s]`
	for more, want := range map[[2]string]string{
		{"", ""}:                          "message tools: erase look third",
		{`,"allowed_tools":["look"]`, ""}: "message tools: look",
		{`,"allowed_tools":{"tool_names":["look","x"]}`, ""}:                  "message tools: look",
		{`,"allowed_tools":["look"]`, `,{"type":"function","name":"theirs"}`}: "message tools: look theirs",
		{`,"allowed_tools":null`, ""}:                                         "message tools: erase look third",
		{`,"allowed_tools":[]`, ""}:                                           "message tools:",
		{`,"allowed_tools":{"tool_names":[]}`, ""}:                            "message tools:",
		{`,"allowed_tools":[]`, `,{"type":"function","name":"theirs"}`}:       "message tools: theirs",
	} {
		status, answer := w.respond("ada", input("tools", fmt.Sprintf(server, more[0], more[1])))
		if status != http.StatusOK || cmp.Diff([]string{want}, outputOf(t, answer)) != "" {
			t.Errorf("%v: %d %v", more, status, answer)
		}
	}
	for _, listed := range []string{
		`{"type":"mcp","server_label":"other","server_url":"http://127.0.0.1/"}`, `{"type":"mcp","server_label":"parley","allowed_tools":["a b"]}`,
		`{"type":"mcp","server_label":"parley","allowed_tools":{"read_only":true}}`, `{"type":"mcp","server_label":"parley","allowed_tools":{}}`,
		`{"type":"mcp","server_label":"parley","allowed_tools":{"read_only":true,"tool_names":["erase"]}}`,
	} {
		if status, answer := w.respond("ada", input("tools", `"tools":[`+listed+`]`)); status != http.StatusBadRequest {
			t.Errorf("%s: %d %v", listed, status, answer)
		}
	}
}

// TestAFailedStream is an answer with a status, and holds no text of the error.
func TestAFailedStream(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func([]providers.Message, []providers.ToolDefinition) *providers.LLMResponse { return nil })
	status, answer := w.do("ada", http.MethodPost, "/chat/completions", chat("hi", `"stream":true`))
	if raw, _ := json.Marshal(answer); status != http.StatusInternalServerError || !strings.Contains(string(raw), `"code":"turn_failed"`) {
		t.Errorf("%d %s", status, raw)
	}
}
