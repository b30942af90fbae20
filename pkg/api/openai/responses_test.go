package openai_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/test/faces"
	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/tools"
)

// respond asks for a response.
func (w *world) respond(token, body string) (status int, answer map[string]any) {
	w.T.Helper()
	return w.do(token, http.MethodPost, "/responses", body)
}

// input is the body of a request for a response.
func input(text string, more ...string) string {
	return fmt.Sprintf(`{"model":"parley","input":%q%s}`, text, strings.Join(append([]string{""}, more...), ","))
}

const theirFunction = `"tools":[{"type":"function","name":"theirs","parameters":{"type":"object"}}]`

// outputOf is the output in one line for each item.
func outputOf(t *testing.T, answer map[string]any) []string {
	t.Helper()
	var all []string
	items, ok := answer["output"].([]any)
	if !ok {
		t.Fatalf("%v", answer)
	}
	for _, i := range items {
		it, _ := i.(map[string]any)
		line := fmt.Sprint(it["type"])
		switch it["type"] {
		case "message":
			parts, _ := it["content"].([]any)
			part, _ := parts[0].(map[string]any)
			line += fmt.Sprint(" ", part["text"])
		case "mcp_call":
			line += fmt.Sprint(" ", it["name"], it["arguments"], " ", it["output"], " ", it["status"])
		default:
			line += fmt.Sprint(" ", it["name"], it["arguments"])
		}
		all = append(all, line)
	}
	return all
}

// TestAResponse: tools of the gateway are items, and so are calls of the client.
func TestAResponse(t *testing.T) {
	t.Parallel()
	w := newWorld(t, scripted, look(), erase())
	for _, c := range []struct {
		body   string
		want   []string
		status string
	}{
		{input("hi"), []string{"message You say hi to me"}, "completed"},
		{input("call look"), []string{"message One moment.", `mcp_call look{"x":1} seen completed`, "message It says seen here"}, "completed"},
		{
			input("call look theirs", theirFunction),
			[]string{"message One moment.", `mcp_call look{"x":1} seen completed`, "function_call theirs{}"},
			"completed",
		},
		{input("call erase"), []string{"message One moment.", `mcp_approval_request erase{"x":1}`}, "completed"},
		{input("long"), []string{"message and so on\n\n(The answer was cut off"}, "incomplete"},
	} {
		status, answer := w.respond("ada", c.body)
		got := outputOf(t, answer)
		if len(got) > 0 && len(c.want) > 0 && strings.HasPrefix(got[0], c.want[0]) {
			got[0] = c.want[0]
		}
		if d := cmp.Diff(c.want, got); status != http.StatusOK || answer["status"] != c.status || d != "" {
			t.Errorf("%s: %d %v %s", c.body, status, answer["status"], d)
		}
	}
}

// TestTheStreamOfAResponse: each event in its order, with its number.
func TestTheStreamOfAResponse(t *testing.T) {
	t.Parallel()
	w := newWorld(t, scripted, look())
	resp := w.send(t.Context(), "/responses", input("call look theirs", theirFunction, `"stream":true`))
	defer func() { _ = resp.Body.Close() }()
	var names, ids []string
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		var e struct {
			Type     string
			Sequence int `json:"sequence_number"`
			Response struct{ ID string }
		}
		if err := json.Unmarshal([]byte(data), &e); err != nil || e.Sequence != len(names) {
			t.Fatalf("%s: %v", data, err)
		}
		if name := strings.TrimPrefix(e.Type, "response."); len(names) == 0 || names[len(names)-1] != name {
			names = append(names, name)
		} else {
			names = append(names, "again")
		}
		if e.Response.ID != "" {
			ids = append(ids, e.Response.ID)
		}
	}
	var want []string
	for _, n := range names { // as many deltas as pieces
		if n != "again" {
			want = append(want, n)
		}
	}
	if d := cmp.Diff([]string{
		"created", "in_progress",
		"output_item.added", "content_part.added", "output_text.delta", "output_text.done", "content_part.done", "output_item.done",
		"output_item.added", "mcp_call.in_progress", "mcp_call_arguments.delta", "mcp_call_arguments.done", "mcp_call.completed",
		"output_item.done",
		"output_item.added", "function_call_arguments.delta", "function_call_arguments.done", "output_item.done",
		"completed",
	}, want); d != "" {
		t.Error(d)
	}
	if len(ids) != 3 || ids[0] != ids[1] || ids[1] != ids[2] {
		t.Errorf("%q", ids)
	}
}

// TestAResponseGoesOn behind the one before, with the result of the client's tool, and in a
// conversation by its name.
func TestAResponseGoesOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, scripted, look())
	_, first := w.respond("ada", input("call look theirs", theirFunction))
	output := fmt.Sprintf(`"input":[{"type":"function_call_output","call_id":%q,"output":"their word"}]`, callOf(t, first))
	body := fmt.Sprintf(`{"model":"parley",%s,"previous_response_id":%q}`, output, first["id"])
	if _, answer := w.respond("ada", body); cmp.Diff([]string{"message It says their word here"}, outputOf(t, answer)) != "" {
		t.Errorf("%v", answer)
	}
	if status, _ := w.respond("bob", body); status != http.StatusNotFound {
		t.Errorf("the response of somebody else: %d", status)
	}
	for _, id := range []string{"resp_x", "resp_" + strings.Repeat("0", 32) + "_once-none", "resp_" + strings.Repeat("0", 32) + "_a.b"} {
		if status, answer := w.respond("ada", input("hi", fmt.Sprintf(`"previous_response_id":%q`, id))); status != http.StatusNotFound {
			t.Errorf("%s: %d %v", id, status, answer)
		}
	}
	for _, c := range []string{`"conversation":"conv_1"`, `"conversation":{"id":"conv_1"}`} {
		status, answer := w.respond("ada", input("hi", c))
		if status != http.StatusOK || !strings.HasSuffix(fmt.Sprint(answer["id"]), "_conv_1") {
			t.Errorf("%d %v", status, answer)
		}
	}
}

// TestAnApprovalHidesNothing: a client that shows the arguments as they come shows a character that turns others around.
func TestAnApprovalHidesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func([]providers.Message, []providers.ToolDefinition) *providers.LLMResponse {
		return faces.Calls("", "erase", "{\"x\":\"a\u202egnp.exe\"}")
	}, erase())
	_, asked := w.respond("ada", input("go"))
	for _, got := range []map[string]any{asked, w.again(asked)} {
		items, _ := got["output"].([]any)
		question, _ := items[len(items)-1].(map[string]any)
		if question["type"] != "mcp_approval_request" || question["arguments"] != `{"x":"a\u202egnp.exe"}` {
			t.Errorf("%v", question)
		}
	}
}

// speaker is a tool that shows its person a text.
type speaker struct{ tools.Tool }

func (speaker) Name() string { return "speak" }

func (speaker) Execute(context.Context, map[string]any) *tools.ToolResult {
	return &tools.ToolResult{ForLLM: "shown", ForUser: "by the tool"}
}

// TestSilenceIsNotTold: the word with which a model says that it sends no message is in no answer, streamed, whole
// or read again.
func TestSilenceIsNotTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(msgs []providers.Message, _ []providers.ToolDefinition) *providers.LLMResponse {
		switch faces.Last(msgs).Content {
		case "speak":
			return faces.Calls("NO_REPLY", "speak", "{}")
		case "words":
			return faces.Says("an answer")
		}
		return faces.Says("NO_REPLY")
	}, speaker{look()})
	for says, want := range map[string]string{"hello": "I have nothing to add.", "speak": "by the tool"} {
		_, answer := w.do("ada", http.MethodPost, "/chat/completions", chat(says))
		if content, _ := contentOf(t, answer); content != want {
			t.Errorf("%s: %q", says, content)
		}
		_, frames := w.frames(chat(says, `"stream":true`))
		_, live := w.respond("ada", input(says))
		w.Forget()
		past := w.again(live)
		all := strings.Join(frames, "") + fmt.Sprint(live, past)
		if strings.Contains(all, "REPLY") || strings.Count(all, want) < 2 {
			t.Errorf("%s: %s", says, all)
		}
	}
	// A program brings such an answer of another server along.
	_, live := w.respond("ada", `{"model":"parley","input":[{"role":"user","content":"hello"},{"role":"assistant","content":"NO_REPLY"},
		{"role":"user","content":"words"}]}`)
	w.Forget()
	if past := w.again(live); !strings.Contains(fmt.Sprint(past), "an answer") {
		t.Errorf("behind a silent answer of the program: %v", past)
	}
}

// TestAMessageThatLeavesLate stands behind the words that the model has begun meanwhile, once, in each form of an answer.
func TestAMessageThatLeavesLate(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(msgs []providers.Message, _ []providers.ToolDefinition) *providers.LLMResponse {
		if faces.Last(msgs).Role == providers.RoleTool {
			return faces.Says("that is all")
		}
		return faces.Calls("", "speak", "{}")
	}, speaker{look()})
	w.HoldBehind("by the tool", "that is all")
	const want = "that is all\n\nby the tool"
	_, answer := w.do("ada", http.MethodPost, "/chat/completions", chat("go"))
	if content, _ := contentOf(t, answer); content != want {
		t.Errorf("the completion is %q", content)
	}
	_, frames := w.frames(chat("go", `"stream":true`))
	streamed := ""
	for _, f := range frames {
		var c struct {
			Choices []struct{ Delta struct{ Content string } }
		}
		if err := json.Unmarshal([]byte(f), &c); err == nil && len(c.Choices) > 0 {
			streamed += c.Choices[0].Delta.Content
		}
	}
	if streamed != want {
		t.Errorf("the stream is %q", streamed)
	}
	_, response := w.respond("ada", input("go"))
	if d := cmp.Diff([]string{"mcp_call speak{} shown completed", "message " + want}, outputOf(t, response)); d != "" {
		t.Error(d)
	}
}

// again reads a response.
func (w *world) again(response map[string]any) map[string]any {
	w.T.Helper()
	_, got := w.do("ada", http.MethodGet, fmt.Sprint("/responses/", response["id"]), "")
	return got
}

// TestAnApprovalOfAResponse: another token of the person allows the call, which then runs;
// the token that asked, one without the right, and another person do not.
func TestAnApprovalOfAResponse(t *testing.T) {
	t.Parallel()
	w := newWorld(t, scripted, erase())
	_, asked := w.respond("ada", input("call erase"))
	items, _ := asked["output"].([]any)
	question, _ := items[len(items)-1].(map[string]any)
	answer := fmt.Sprintf(`{"model":"parley","previous_response_id":%q,"input":[
		{"type":"mcp_approval_response","approval_request_id":%q,"approve":true}]}`, asked["id"], question["id"])
	for token, want := range map[string]int{"self": http.StatusForbidden, "helper": http.StatusForbidden, "bob": http.StatusNotFound} {
		if status, got := w.respond(token, answer); status != want {
			t.Errorf("%s: %d %v", token, status, got)
		}
	}
	status, allowed := w.respond("approver", answer)
	want := []string{`mcp_call erase{"x":1} erased completed`, "message It says erased here"}
	if d := cmp.Diff(want, outputOf(t, allowed)); status != http.StatusOK || d != "" {
		t.Errorf("%d %v", status, d)
	}
	for _, when := range []string{"again", "later"} { // from a client that got no answer
		status, got := w.respond("approver", answer)
		if d := cmp.Diff(outputOf(t, allowed), outputOf(t, got)); status != http.StatusOK || d != "" || got["id"] != allowed["id"] {
			t.Errorf("%s: %d %s", when, status, d)
		}
		w.Forget()
	}
	for _, one := range []map[string]any{asked, allowed} {
		_, got := w.do("ada", http.MethodGet, fmt.Sprint("/responses/", one["id"]), "")
		if d := cmp.Diff(outputOf(t, one), outputOf(t, got)); d != "" {
			t.Errorf("read again: %s", d)
		}
	}
	if status, got := w.respond("approver", strings.Replace(answer, "true", "false", 1)); status != http.StatusConflict {
		t.Errorf("answered twice: %d %v", status, got)
	}
}

// TestWordsBehindAnAnswerToAQuestion are refused before the question is decided. Once the assistant has spoken behind the answer, both are
// the past of the words.
func TestWordsBehindAnAnswerToAQuestion(t *testing.T) {
	t.Parallel()
	w := newWorld(t, scripted, erase())
	_, asked := w.respond("ada", input("call erase"))
	items, _ := asked["output"].([]any)
	question, _ := items[len(items)-1].(map[string]any)
	behind := func(more string) (int, map[string]any) {
		return w.respond("approver", fmt.Sprintf(`{"model":"parley","input":[{"role":"user","content":"call erase"},
			{"type":"mcp_approval_response","approval_request_id":%q,"approve":true}%s]}`, question["id"], more))
	}
	for _, more := range []string{
		`,{"role":"user","content":"and more"}`, `,{"type":"message","role":"user","content":"and more"}`,
		`,{"type":"function_call_output","call_id":"c1","output":"their word"}`,
	} {
		status, got := behind(more)
		if e, _ := got["error"].(map[string]any); status != http.StatusBadRequest || e["param"] != "input[2]" {
			t.Errorf("%s: %d %v", more, status, got)
		}
	}
	if one, err := w.Store.Approvals().Approval(t.Context(), fmt.Sprint(question["id"])); err != nil || one.State != session.ApprovalOpen {
		t.Errorf("the question is %v: %v", one.State, err)
	}
	_, allowed := behind("")
	if d := cmp.Diff([]string{`mcp_call erase{"x":1} erased completed`, "message It says erased here"}, outputOf(t, allowed)); d != "" {
		t.Error(d)
	}
	_, later := behind(`,{"role":"assistant","content":"It says erased here"},{"role":"user","content":"and more"}`)
	if d := cmp.Diff([]string{"message You say and more to me"}, outputOf(t, later)); d != "" {
		t.Error(d)
	}
}

// TestRefusedResponses name the field that is wrong.
func TestRefusedResponses(t *testing.T) {
	t.Parallel()
	w := newWorld(t, scripted)
	for body, param := range map[string]string{
		`{"model":"parley"}`:                                   "input",
		`{"model":"none","input":"x"}`:                         "model",
		input("x", `"background":true`):                        "background",
		input("x", `"max_tool_calls":-1`):                      "max_tool_calls",
		input("x", `"text":{"format":{"type":"json_schema"}}`): "text.format",
		input("x", `"tools":[{"type":"function","name":"a","x":"`+strings.Repeat("x", 1<<20)+`"}]`): "tools",
		input("x", `"tools":[{"type":"web_search"}]`):                                               "tools[0].type",
		`{"model":"parley","input":[{"type":"image_generation_call"}]}`:                             "input[0]",
		`{"model":"parley","input":[{"type":"item_reference","id":"x"}]}`:                           "input[0]",
		`{"model":"parley","input":[{"role":"user","content":[{"type":"input_image"}]}]}`:           "input[0].content",
		`{"model":"parley","input":[{"type":"function_call_output","call_id":"c","output":"x"}]}`:   "input",
	} {
		status, answer := w.respond("ada", body)
		e, _ := answer["error"].(map[string]any)
		if status < 400 || status >= 500 || e["param"] != param || len(e) != 4 {
			t.Errorf("%s: %d %v", body, status, answer)
		}
	}
}

// eventSchema is the name of an event's schema: the one for any event tells nothing of its faults.
func eventSchema(data string) string {
	var e struct{ Type string }
	_ = json.Unmarshal([]byte(data), &e)
	name := ""
	for _, word := range strings.FieldsFunc(e.Type, func(r rune) bool { return r == '.' || r == '_' }) {
		switch word {
		case "mcp":
			word = "MCP"
		case "output":
			if strings.Contains(e.Type, "output_text") {
				continue
			}
		}
		name += strings.ToUpper(word[:1]) + word[1:]
	}
	return name + "Event"
}

// TestResponsesFitTheDocument of the OpenAI API.
func TestResponsesFitTheDocument(t *testing.T) {
	t.Parallel()
	doc := document(t)
	w := newWorld(t, scripted, look(), erase())
	for _, body := range []string{
		input("hi"), input("call look"), input("call look theirs", theirFunction), input("call erase"), input("long"),
	} {
		_, answer := w.respond("ada", body)
		raw, err := json.Marshal(answer)
		if err != nil {
			t.Fatal(err)
		}
		fits(t, doc, "Response", raw)
		resp := w.send(t.Context(), "/responses", strings.TrimSuffix(body, "}")+`,"stream":true}`)
		for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				fits(t, doc, eventSchema(data), []byte(data))
			}
		}
		_ = resp.Body.Close()
	}
}
