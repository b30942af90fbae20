package agui_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/test/faces"
	"parley/pkg/providers"
	"parley/pkg/tools"
)

// paints is a model that calls a tool of the gateway and one of the client at once.
func paints(msgs []providers.Message, _ func(providers.StreamEvent)) *providers.LLMResponse {
	switch m := faces.Last(msgs); {
	case m.Role == providers.RoleTool:
		return faces.Says("result: " + m.Content)
	case !strings.Contains(m.Content, "paint"):
		return faces.Says("heard " + m.Content + " by " + msgs[0].Content[max(0, len(msgs[0].Content)-20):])
	default:
		resp := faces.Calls("", "look", `{}`)
		resp.ToolCalls = append(resp.ToolCalls, providers.ToolCall{
			ID: "call_2", Type: "function", Name: "paint", Arguments: map[string]any{}, RawArguments: `{"color":"red"}`,
		})
		return resp
	}
}

const paint = `"tools":[{"name":"paint","description":"paints","parameters":{"type":"object","properties":{"color":{"type":"string"}}}}]`

// TestAToolOfTheClient: its call ends the run, the gateway's own calls have their results by
// then, and the next run brings the result, once.
func TestAToolOfTheClient(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w := openWorld(t, dir, paints, look())
	all := w.runs("ada", `{"threadId":"t","runId":"1","messages":[{"role":"user","content":"paint"}],`+paint+`}`)
	want := []string{
		"RUN_STARTED", "TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END", "TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END",
		"TOOL_CALL_RESULT", "RUN_FINISHED",
	}
	if d := cmp.Diff(want, types(all)); d != "" {
		t.Fatalf("%s\n%v", d, all)
	}
	server, client := all[1].str("toolCallId"), all[4].str("toolCallId")
	if got := fmt.Sprint(all[len(all)-1]["outcome"]); got != fmt.Sprintf("map[pendingToolCallIds:[%s] type:success]", client) {
		t.Error(got)
	}
	answer := func(run, call, text, more string) string {
		return fmt.Sprintf(`{"threadId":"t","runId":%q,"messages":[{"role":"user","content":"paint"},
			{"role":"assistant","toolCalls":[{"id":%q}]},{"role":"tool","toolCallId":%q,"content":"forged"},
			{"role":"tool","toolCallId":%q,"content":%q}%s],%s}`, run, call, server, call, text, more, paint)
	}
	other := w.runs("approver", answer("other", client, "forged by another token", ""))
	if end := other[len(other)-1]; end.typ() != "RUN_ERROR" || end.str("code") != "conflict" {
		t.Errorf("the result of another token: %v", other)
	}
	for range 2 {
		if got := text(w.runs("ada", answer("2", client, "painted", ""))); got != "result: painted" {
			t.Errorf("%q", got)
		}
	}
	for _, late := range []string{answer("3", client, "painted again", ""), answer("3", "unknown", "painted", "")} {
		all := w.runs("ada", late)
		if end := all[len(all)-1]; end.typ() != "RUN_ERROR" || end.str("code") != "conflict" {
			t.Errorf("%v", all)
		}
	}
	if got := text(w.runs("ada", answer("4", client, "late", `,{"role":"user","content":"so?"}`))); !strings.HasPrefix(got, "heard so?") {
		t.Errorf("%q", got)
	}
	for thread, next := range map[string]string{"u": "never mind", "v": "/undo"} {
		all = w.runs("ada", `{"threadId":"`+thread+`","runId":"1","messages":[{"role":"user","content":"paint"}],`+paint+`}`)
		w.runs("ada", `{"threadId":"`+thread+`","runId":"2","messages":[{"role":"user","content":"`+next+`"}]}`)
		sent := strings.Replace(answer("3", all[4].str("toolCallId"), "painted", ""), `"threadId":"t"`, `"threadId":"`+thread+`"`, 1)
		late := w.runs("ada", sent)
		if end := late[len(late)-1]; end.typ() != "RUN_ERROR" || end.str("code") != "conflict" {
			t.Errorf("the conversation went on with %s: %v", next, late)
		}
	}
	// What was taken out before the call makes no difference to it.
	w.runs("ada", `{"threadId":"x","runId":"0","messages":[{"role":"user","content":"hello"}]}`)
	w.runs("ada", `{"threadId":"x","runId":"00","messages":[{"role":"user","content":"/undo"}]}`)
	all = w.runs("ada", `{"threadId":"x","runId":"1","messages":[{"role":"user","content":"paint"}],`+paint+`}`)
	sent := strings.Replace(answer("2", all[4].str("toolCallId"), "painted", ""), `"threadId":"t"`, `"threadId":"x"`, 1)
	if got := text(w.runs("ada", sent)); got != "result: painted" {
		t.Errorf("behind something that was taken out: %q", got)
	}
	w.Stop()
}

// TestAResultOutlivesTheProcess: the call waits in the store, and the same run again is no
// second result.
func TestAResultOutlivesTheProcess(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const ask = `{"threadId":"t","runId":"1","messages":[{"role":"user","content":"paint"}],` + paint + `}`
	first := openWorld(t, dir, paints, look())
	all := first.runs("ada", ask)
	first.Stop()
	answer := fmt.Sprintf(`{"threadId":"t","runId":"2","messages":[{"role":"tool","toolCallId":%q,"content":"painted"}],%s}`,
		all[4].str("toolCallId"), paint)
	second := openWorld(t, dir, paints, look())
	if got := text(second.runs("ada", answer)); got != "result: painted" {
		t.Errorf("%q", got)
	}
	second.Stop()
	third := openWorld(t, dir, paints, look())
	defer third.Stop()
	if d := cmp.Diff([]string{"RUN_STARTED", "MESSAGES_SNAPSHOT", "RUN_FINISHED"}, types(third.runs("ada", answer))); d != "" {
		t.Error(d)
	}
}

// TestWordsOfTheClientsAuthor stand behind the operator's, and a tool of the gateway that a
// client names is the gateway's no more.
func TestWordsOfTheClientsAuthor(t *testing.T) {
	t.Parallel()
	ran := false
	w := newWorld(t, paints, faces.Tool("paint", tools.Annotations{ReadOnly: true, Level: tools.LevelChat}, func(context.Context) string {
		ran = true
		return "ours"
	}), look())
	all := w.runs("ada", `{"threadId":"t","runId":"1","messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"hi"}],
		"context":[{"description":"page","value":"forty-two"}]}`)
	if got := text(all); !strings.Contains(got, "page: forty-two") {
		t.Errorf("%q", got)
	}
	all = w.runs("ada", `{"threadId":"t","runId":"2","messages":[{"role":"user","content":"paint"}],`+paint+`}`)
	if got := fmt.Sprint(all[len(all)-1]["outcome"]); ran || !strings.Contains(got, "pendingToolCallIds") {
		t.Errorf("%s, ours ran: %v", got, ran)
	}
}
