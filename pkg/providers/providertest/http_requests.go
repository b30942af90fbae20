package providertest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"parley/pkg/providers"
)

// recorder gives a provider whose server keeps the requests and answers each with one of
// answers in turn, the last one again and again.
func recorder(t *testing.T, h HTTP, s Server, answers ...*providers.LLMResponse) (p providers.LLMProvider, sent func() []Request) {
	t.Helper()
	var mu sync.Mutex
	var all []Request
	s.URL = serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		request, err := h.Read(body)
		if err != nil {
			t.Errorf("%v in the request %s", err, body)
		}
		mu.Lock()
		defer mu.Unlock()
		answer := answers[min(len(all), len(answers)-1)]
		all = append(all, request)
		begin(w, false)
		write(w, strings.Join(h.Answer(answer, false), ""))
	})
	return h.Connect(t, s), func() []Request {
		mu.Lock()
		defer mu.Unlock()
		return all
	}
}

func say(text string) *providers.LLMResponse {
	return &providers.LLMResponse{
		Content: text, FinishReason: providers.FinishStop, Usage: providers.Usage{PromptTokens: 1, CompletionTokens: 1, TotalTokens: 2},
	}
}

// checkPictures sends pictures to a model that takes them, and notes to one that does not.
func checkPictures(t *testing.T, h HTTP) {
	t.Helper()
	file := providers.Image{MIME: "image/png", Path: "inbox/a.png", Open: func() (io.ReadCloser, int64, error) {
		return io.NopCloser(strings.NewReader("abc")), 3, nil
	}}
	messages := []providers.Message{
		{Role: providers.RoleUser, Content: "look", Images: []providers.Image{file, {MIME: "image/png", Path: "inbox/gone.png"}}},
		{Role: providers.RoleAssistant, Content: "I see."},
		{Role: providers.RoleUser, Images: []providers.Image{file, file}},
	}
	const data = "data:image/png;base64,YWJj"
	for _, sees := range []bool{true, false} {
		p, sent := recorder(t, h, Server{Images: sees}, say("fine"))
		if _, err := p.Chat(t.Context(), messages, nil, Model, nil); err != nil {
			t.Fatal(err)
		}
		e := sent()[0].Entries
		if len(e) != 3 || !strings.HasPrefix(e[0].Text, "look\n[a picture") {
			t.Fatalf("sees %v: %+v", sees, e)
		}
		want := []string{data, data}
		if !sees {
			want = nil
		}
		if !cmp.Equal(want, e[2].Pictures) || sees != cmp.Equal([]string{data}, e[0].Pictures) || sees != (e[2].Text == "") {
			t.Errorf("sees %v: %+v", sees, e)
		}
	}
}

// checkChoice demands tools in each way; the demand is left out where no tool is offered.
func checkChoice(t *testing.T, h HTTP) {
	t.Helper()
	p, sent := recorder(t, h, Server{}, say("fine"))
	n := 0
	for want, choice := range map[string]any{
		"": nil, "auto": "auto", "none": "none", "required": "required", "probe": map[string]any{"name": "probe"},
	} {
		for _, tools := range [][]providers.ToolDefinition{twoTools(), nil} {
			_, err := p.Chat(t.Context(), Question(), tools, Model, map[string]any{"tool_choice": choice})
			if err != nil {
				t.Fatal(err)
			}
			got := sent()[n]
			n++
			if tools == nil {
				if got.Choice != "" || len(got.Tools) > 0 {
					t.Errorf("without tools, %q is demanded of %v", got.Choice, got.Tools)
				}
				continue
			}
			checkDemand(t, want, &got)
		}
	}
	for _, choice := range []any{"sometimes", map[string]any{}, 7} {
		resp, err := p.Chat(t.Context(), Question(), Tools(), Model, map[string]any{"tool_choice": choice})
		if f := typed(t, resp, err); f.Kind != providers.KindInvalid || len(sent()) != n {
			t.Errorf("tool_choice %v: %v", choice, err)
		}
	}
}

// checkDemand compares a demand with the request for it. The demand auto may go unsaid, and
// with none some wires offer no tools.
func checkDemand(t *testing.T, want string, got *Request) {
	t.Helper()
	if got.Choice != want && got.Choice+want != "auto" {
		t.Errorf("tool_choice %q is sent as %q", want, got.Choice)
	}
	if want != "none" && (len(got.Tools) != 2 || got.Tools[0].Name != "probe" || got.Tools[0].Schema["properties"] == nil) {
		t.Errorf("offered: %+v", got.Tools)
	}
}

// twoTools offer "probe" and "other".
func twoTools() []providers.ToolDefinition {
	tools := append(Tools(), Tools()...)
	tools[1].Function.Name = "other"
	return tools
}

// checkResults sends a history with calls of every kind. The calls and results arrive
// with their names, ids and arguments, in order.
func checkResults(t *testing.T, h HTTP) {
	t.Helper()
	call := func(id, raw string, args map[string]any) providers.ToolCall {
		return providers.ToolCall{ID: id, Type: "function", Name: "probe", RawArguments: raw, Arguments: args}
	}
	result := func(id, text string) providers.Message {
		return providers.Message{Role: providers.RoleTool, ToolCallID: id, Name: "probe", Content: text}
	}
	messages := append(Question(),
		providers.Message{Role: providers.RoleAssistant, Content: "wait", Reasoning: "hm", ToolCalls: []providers.ToolCall{
			call("a", `{ "n": 1 }`, nil), call("b", "", map[string]any{"n": 2.0}), call("c", "", nil),
			{ID: "d", Name: "probe", RawArguments: `{"n`, BadArguments: "cut"},
		}},
		result("a", "1"), result("b", `{"error":"no"}`), result("c", ""), result("d", "x\x01ä\u2028"),
		providers.Message{Role: providers.RoleUser, Content: "and now?"},
	)
	object := func(n float64) any {
		if n == 0 {
			return map[string]any{}
		}
		return map[string]any{"n": n}
	}
	want := []Entry{
		{Role: "user", Text: "hello"},
		{Role: "assistant", Text: "wait", Calls: []Call{
			{ID: "a", Name: "probe", Arguments: object(1)},
			{ID: "b", Name: "probe", Arguments: object(2)},
			{ID: "c", Name: "probe", Arguments: object(0)},
			{ID: "d", Name: "probe", Arguments: object(0)},
		}},
		{Role: "tool", ID: "a", Text: "1"},
		{Role: "tool", ID: "b", Text: `{"error":"no"}`},
		{Role: "tool", ID: "c"},
		{Role: "tool", ID: "d", Text: "x\x01ä\u2028"},
		{Role: "user", Text: "and now?"},
	}
	p, sent := recorder(t, h, Server{}, say("fine"))
	if _, err := p.Chat(t.Context(), messages, Tools(), Model, nil); err != nil {
		t.Fatal(err)
	}
	got := sent()[0].Entries
	for i := range got {
		if i < len(want) && want[i].ID == "c" { // some servers refuse an empty result, so that a note stands there
			got[i].Text = ""
		}
	}
	if d := cmp.Diff(want, got, cmpopts.IgnoreFields(Entry{}, "At", "Name"), cmpopts.EquateEmpty(), h.ids()); d != "" {
		t.Errorf("entries (-want +sent):\n%s", d)
	}
}

// checkTexts sends texts that an encoding could spoil.
func checkTexts(t *testing.T, h HTTP) {
	t.Helper()
	p, sent := recorder(t, h, Server{}, say("fine"))
	for n, text := range []string{
		`"`, `\`, `\"`, "a\n\t\rb", "<&>", "a\u2028b\u2029", `{"messages":null}`, "\U0001F468\u200D\U0001F469", "a\x00\x1f\x7fb",
		strings.Repeat("long ", 100_000),
	} {
		messages := []providers.Message{{Role: providers.RoleSystem, Content: text}, {Role: providers.RoleUser, Content: text}}
		if _, err := p.Chat(t.Context(), messages, nil, Model, nil); err != nil {
			t.Fatal(err)
		}
		if got := sent()[n]; got.System != text || len(got.Entries) != 1 || got.Entries[0].Text != text {
			t.Errorf("%.40q arrives as %.40q and %.200s", text, got.System, fmt.Sprintf("%+v", got.Entries))
		}
	}
	messages := []providers.Message{{Role: providers.RoleUser, Content: "half of a \xe2\x82 rune"}}
	if _, err := p.Chat(t.Context(), messages, nil, Model, nil); err != nil {
		t.Errorf("invalid UTF-8: %v", err)
	}
}

// checkConversation holds a conversation with calls in the stored form of messages.
func checkConversation(t *testing.T, h HTTP) {
	t.Helper()
	p, sent := recorder(t, h, Server{}, full(), say("done"))
	messages := Question()
	resp, err := p.Chat(t.Context(), messages, Tools(), Model, nil)
	if err != nil {
		t.Fatal(err)
	}
	h.same(t, full(), resp)
	if resp.Usage.PromptTokens != 12 || resp.Usage.CompletionTokens != 34 {
		t.Errorf("usage: %+v", resp.Usage)
	}
	messages = append(messages, resp.Message())
	for _, c := range resp.ToolCalls {
		messages = append(messages, providers.Message{Role: providers.RoleTool, ToolCallID: c.ID, Name: c.Name, Content: "found"})
	}
	b, err := json.Marshal(messages)
	if err = errors.Join(err, json.Unmarshal(b, &messages)); err != nil {
		t.Fatal(err)
	}
	if resp, err = p.Chat(t.Context(), messages, Tools(), Model, nil); err != nil || resp.Content != "done" || len(resp.ToolCalls) != 0 {
		t.Fatalf("%+v, %v", resp, err)
	}
	got := sent()[1].Entries
	if len(got) != 4 || !cmp.Equal(contentOf(t, full()).Calls, got[1].Calls, cmpopts.IgnoreFields(Call{}, "Raw"), h.ids()) ||
		!h.Told && (got[2].ID != "call_a1" || got[3].ID != "call_b2") {
		t.Errorf("sent back: %+v", got)
	}
}
