package anthropic_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"parley/pkg/providers"
	"parley/pkg/providers/providertest"
)

// shape is an answer as a server writes it, with its meaning.
type shape struct {
	name string
	body string
	want providers.LLMResponse
	// kind, when not empty, is the error that is wanted instead.
	kind providers.ErrorKind
}

func probeCall(id, raw string, args map[string]any) providers.ToolCall {
	return providers.ToolCall{ID: id, Type: "function", Name: "probe", Arguments: args, RawArguments: raw}
}

func streamShapes() []shape {
	text := begin(0, `{"type":"text","text":""}`)
	callA := begin(0, `{"type":"tool_use","id":"toolu_a","name":"probe","input":{}}`)
	callB := begin(1, `{"type":"tool_use","id":"toolu_b","name":"probe","input":{}}`)
	one, two := map[string]any{"n": float64(1)}, map[string]any{"n": float64(2)}
	said := func(content, finish string) providers.LLMResponse {
		return providers.LLMResponse{Content: content, FinishReason: finish}
	}
	return []shape{
		{name: "text", body: says("hello", "end_turn"), want: said("hello", providers.FinishStop)},
		{name: "a stop word", body: says("hello", "stop_sequence"), want: said("hello", providers.FinishStop)},
		{name: "too long", body: says("hel", "max_tokens"), want: said("hel", providers.FinishLength)},
		{name: "the context is full", body: says("hel", "model_context_window_exceeded"), want: said("hel", providers.FinishLength)},
		{name: "a refusal behind a text", body: says("hel", "refusal"), want: said("hel", providers.FinishContentFilter)},
		{name: "a later stop reason", body: says("hello", "compaction"), want: said("hello", "compaction")},
		{
			name: "a refusal alone",
			body: events(started, `{"type":"message_delta","delta":{"stop_reason":"refusal","stop_details":`+
				`{"type":"refusal","category":"bio","explanation":"not this"}},"usage":{"output_tokens":1}}`, last),
			kind: providers.KindFiltered,
		},
		{
			name: "two calls whose pieces alternate",
			body: events(started, callA, callB, inputPiece(0, ""), inputPiece(0, `{"n"`), inputPiece(1, `{"n":2`), inputPiece(0, `:1}`),
				inputPiece(1, `}`), end(0), end(1), stopped("tool_use"), last),
			want: providers.LLMResponse{FinishReason: providers.FinishToolCalls, ToolCalls: []providers.ToolCall{
				probeCall("toolu_a", `{"n":1}`, one), probeCall("toolu_b", `{"n":2}`, two),
			}},
		},
		{
			name: "a call without arguments",
			body: events(started, callA, inputPiece(0, ""), end(0), stopped("tool_use"), last),
			want: providers.LLMResponse{FinishReason: providers.FinishToolCalls, ToolCalls: []providers.ToolCall{
				probeCall("toolu_a", `{}`, map[string]any{}),
			}},
		},
		{
			name: "a call whose input comes at once",
			body: events(started, begin(0, `{"type":"tool_use","id":"toolu_a","name":"probe","input":{"n":1}}`), end(0), stopped("tool_use"), last),
			want: providers.LLMResponse{FinishReason: providers.FinishToolCalls, ToolCalls: []providers.ToolCall{
				probeCall("toolu_a", `{"n":1}`, one),
			}},
		},
		{
			name: "texts around pings, comments and events of later versions",
			body: ": welcome\r\n" + strings.ReplaceAll(events(started, ping, text, textPiece(0, "he"), ping, `{"type":"news","x":[1]}`,
				textPiece(0, "llo"), piece(0, `{"type":"news_delta","x":1}`), end(0), begin(1, `{"type":"text","text":" you"}`), end(1),
				stopped("end_turn"), last), "\n", "\r\n"),
			want: said("hello you", providers.FinishStop),
		},
		{
			name: "a text that does not begin",
			body: events(started, textPiece(0, "hello"), stopped("end_turn"), last),
			want: said("hello", providers.FinishStop),
		},
		{
			name: "a stop reason without the last event", body: events(started, text, textPiece(0, "hello"), end(0), stopped("end_turn")),
			want: said("hello", providers.FinishStop),
		},
		{name: "an empty answer", body: events(started, stopped("end_turn"), last), want: said("", providers.FinishStop)},
		{name: "the last event without a stop reason", body: events(started, text, textPiece(0, "hello"), end(0), last), kind: providers.KindCut},
		{name: "no end", body: events(started, text, textPiece(0, "hello"), end(0)), kind: providers.KindCut},
		{name: "nothing", body: "\n", kind: providers.KindCut},
		{name: "not JSON", body: events(started) + "data: {{{\n\n", kind: providers.KindCut},
		{name: "a call that does not begin", body: events(started, inputPiece(0, `{}`), stopped("tool_use"), last), kind: providers.KindCut},
		{
			name: "an error in the stream",
			body: events(started, text, textPiece(0, "hel"), `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`),
			kind: providers.KindOverloaded,
		},
		{
			name: "an error of the request in the stream",
			body: events(started, `{"type":"error","error":{"type":"invalid_request_error","message":"no"}}`),
			kind: providers.KindInvalid,
		},
	}
}

func TestStreamShapes(t *testing.T) {
	t.Parallel()
	for _, s := range streamShapes() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			_, url := script(t, reply{body: s.body})
			shown := ""
			resp, err := provider(t, url).ChatStream(t.Context(), providertest.Question(), nil, "claude-x", nil, func(e providers.StreamEvent) {
				if d, ok := e.(providers.TextDelta); ok {
					shown += d.Text
				}
			})
			if s.kind != "" {
				if f := failure(t, resp, err); f.Kind != s.kind || f.Model != "claude-x" || f.Server != url {
					t.Errorf("%+v, want %s", f, s.kind)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(s.want, *resp, cmpopts.IgnoreFields(providers.LLMResponse{}, "Usage", "Model")); d != "" {
				t.Errorf("answer (-want +got):\n%s", d)
			}
			if shown != resp.Content {
				t.Errorf("emitted %q, answered %q", shown, resp.Content)
			}
		})
	}
}

// TestUsage: the parts of the prompt are counted together, and the tokens that were read
// from the cache are told apart. The end of a stream may leave counts out.
func TestUsage(t *testing.T) {
	t.Parallel()
	whole := `{"type":"message","model":"claude-x","content":[{"type":"text","text":"hello"}],"stop_reason":"end_turn","usage":` +
		`{"input_tokens":10,"cache_creation_input_tokens":3,"cache_read_input_tokens":7,"output_tokens":5,"output_tokens_details":{"thinking_tokens":2}}}`
	want := providers.Usage{PromptTokens: 20, CompletionTokens: 5, TotalTokens: 25, CachedTokens: 7, CacheWriteTokens: 3}
	for name, c := range map[string]struct {
		reply    reply
		thinking int
	}{
		"stream": {reply: reply{body: says("hello", "end_turn")}},
		"whole":  {reply: reply{kind: "application/json", body: whole}, thinking: 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, url := script(t, c.reply)
			p, want := provider(t, url), want
			want.ReasoningTokens = c.thinking
			for _, ask := range bothWays(p) {
				resp, err := ask(t, providertest.Question(), nil, "claude-x", nil)
				if err != nil {
					t.Fatal(err)
				}
				if resp.Usage != want || resp.Model != "claude-x" || resp.Content != "hello" {
					t.Errorf("%+v, want %+v", resp, want)
				}
			}
		})
	}
}

// asking asks in one of two ways.
type asking func(
	t *testing.T, m []providers.Message, tools []providers.ToolDefinition, model string, options map[string]any,
) (*providers.LLMResponse, error)

// bothWays asks with and without a stream.
func bothWays(p providers.StreamingProvider) map[string]asking {
	return map[string]asking{
		"whole": func(
			t *testing.T, m []providers.Message, tools []providers.ToolDefinition, model string, options map[string]any,
		) (*providers.LLMResponse, error) {
			t.Helper()
			return p.Chat(t.Context(), m, tools, model, options)
		},
		"stream": func(
			t *testing.T, m []providers.Message, tools []providers.ToolDefinition, model string, options map[string]any,
		) (*providers.LLMResponse, error) {
			t.Helper()
			return p.ChatStream(t.Context(), m, tools, model, options, nil)
		},
	}
}

// TestThinkingReturns: thinking, redacted thinking and unknown blocks come back as they
// were, at their places and with their signatures, to the same model of the same server
// alone; the history's text leaves them out.
func TestThinkingReturns(t *testing.T) {
	t.Parallel()
	body := events(started,
		begin(0, `{"type":"thinking","thinking":"","signature":""}`), piece(0, `{"type":"thinking_delta","thinking":"first "}`),
		piece(0, `{"type":"thinking_delta","thinking":"thought"}`), piece(0, `{"type":"signature_delta","signature":"c2ln"}`), end(0),
		begin(1, `{"type":"redacted_thinking","data":"b3BhcXVl"}`), end(1),
		begin(2, `{"type":"text","text":""}`), textPiece(2, "let me see"), end(2),
		begin(3, `{"type":"thinking","thinking":"","signature":""}`), piece(3, `{"type":"thinking_delta","thinking":"second"}`),
		piece(3, `{"type":"signature_delta","signature":"bW9yZQ=="}`), end(3),
		begin(4, `{"type":"tool_use","id":"toolu_a","name":"probe","input":{}}`), inputPiece(4, `{"n":1}`), end(4),
		stopped("tool_use"), last)
	s, url := script(t, reply{body: body}, reply{body: says("done", "end_turn")})
	p := provider(t, url)
	options := map[string]any{"reasoning_effort": "low"}
	var thought string
	emit := func(e providers.StreamEvent) {
		if d, ok := e.(providers.ReasoningDelta); ok {
			thought += d.Text
		}
	}
	resp, err := p.ChatStream(t.Context(), providertest.Question(), providertest.Tools(), "claude-sonnet-4-5", options, emit)
	if err != nil {
		t.Fatal(err)
	}
	if resp.Content != "let me see" || resp.Reasoning != "first thoughtsecond" || thought != resp.Reasoning || len(resp.ToolCalls) != 1 {
		t.Fatalf("%+v, emitted %q", resp, thought)
	}
	stored, err := json.Marshal(resp.Message())
	if err != nil {
		t.Fatal(err)
	}
	var again providers.Message
	if err := json.Unmarshal(stored, &again); err != nil {
		t.Fatal(err)
	}
	result := providers.Message{Role: providers.RoleTool, ToolCallID: "toolu_a", Name: "probe", Content: "ok"}
	next := append(providertest.Question(), again, result)
	call := map[string]any{"type": "tool_use", "id": "toolu_a", "name": "probe", "input": map[string]any{"n": float64(1)}}
	first := map[string]any{"type": "thinking", "thinking": "first thought", "signature": "c2ln"}
	hidden := map[string]any{"type": "redacted_thinking", "data": "b3BhcXVl"}
	text := map[string]any{"type": "text", "text": "let me see"}
	second := map[string]any{"type": "thinking", "thinking": "second", "signature": "bW9yZQ=="}
	cut, shorter := again, map[string]any{"type": "text", "text": "let me"}
	cut.Content = "let me"
	for name, c := range map[string]struct {
		model   string
		message providers.Message
		want    []any
	}{
		"the same model":          {"claude-sonnet-4-5", again, []any{first, hidden, text, second, call}},
		"another model":           {"claude-opus-4-1", again, []any{text, call}},
		"a text that has changed": {"claude-sonnet-4-5", cut, []any{first, hidden, second, shorter, call}},
		"a model of another host": {"kimi-k2", again, []any{text, call}},
	} {
		messages := append([]providers.Message(nil), next...)
		messages[2] = c.message
		if _, err := p.Chat(t.Context(), messages, providertest.Tools(), c.model, options); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		sent := s.requests()
		got := sent[len(sent)-1]["messages"].([]any)[1].(map[string]any)["content"]
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s (-want +sent):\n%s", name, d)
		}
	}
}

// TestPausedTurn: a turn that the server pauses goes on with the answer so far, and is one
// answer.
func TestPausedTurn(t *testing.T) {
	t.Parallel()
	first := events(started, begin(0, `{"type":"text","text":""}`), textPiece(0, "I look. "), end(0),
		begin(1, `{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{}}`), inputPiece(1, `{"query":"x"}`), end(1),
		stopped("pause_turn"), last)
	s, url := script(t, reply{body: first}, reply{body: says("Found.", "end_turn")})
	shown := ""
	resp, err := provider(t, url).ChatStream(t.Context(), providertest.Question(), nil, "claude-x", nil, func(e providers.StreamEvent) {
		if d, ok := e.(providers.TextDelta); ok {
			shown += d.Text
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if shown != resp.Content {
		t.Errorf("emitted %q", shown)
	}
	if resp.Content != "I look. Found." || resp.FinishReason != providers.FinishStop || resp.Usage.PromptTokens != 40 {
		t.Errorf("%+v, emitted %q", resp, shown)
	}
	sent := s.requests()
	if len(sent) != 2 {
		t.Fatalf("%d requests", len(sent))
	}
	want := []any{
		map[string]any{"type": "text", "text": "I look. "},
		map[string]any{"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": map[string]any{"query": "x"}},
	}
	messages := sent[1]["messages"].([]any)
	if d := cmp.Diff(want, messages[len(messages)-1].(map[string]any)["content"]); d != "" {
		t.Errorf("the answer so far (-want +sent):\n%s", d)
	}
}

// TestEndlessPause: a server that pauses for ever is asked a bounded number of times.
func TestEndlessPause(t *testing.T) {
	t.Parallel()
	s, url := script(t, reply{body: says("a", "pause_turn")})
	resp, err := provider(t, url).ChatStream(t.Context(), providertest.Question(), nil, "claude-x", nil, nil)
	if err != nil || resp.Content != strings.Repeat("a", len(s.requests())) || len(s.requests()) > 20 {
		t.Errorf("%+v, %v after %d requests", resp, err, len(s.requests()))
	}
}

// TestManyCalls: calls behind those that are kept are left out, and their pieces, too.
func TestManyCalls(t *testing.T) {
	t.Parallel()
	all := []string{started}
	for i := range providers.MaxCalls + 10 {
		all = append(all, begin(i, `{"type":"tool_use","id":"","name":"probe","input":{}}`), inputPiece(i, `{"n":1}`), end(i))
	}
	all = append(all, stopped("tool_use"), last)
	_, url := script(t, reply{body: events(all...)})
	resp, err := provider(t, url).ChatStream(t.Context(), providertest.Question(), nil, "claude-x", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	for _, c := range resp.ToolCalls {
		ids[c.ID] = c.BadArguments == "" && c.ID != ""
	}
	if len(resp.ToolCalls) != providers.MaxCalls || len(ids) != providers.MaxCalls {
		t.Errorf("%d calls with %d ids", len(resp.ToolCalls), len(ids))
	}
}

// TestAWholeAnswerToAStream: a host may answer whole where a stream was asked for.
func TestAWholeAnswerToAStream(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		body string
		kind providers.ErrorKind
	}{
		"no answer":  {`{}`, providers.KindCut},
		"an error":   {`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, providers.KindOverloaded},
		"a web page": {`<html>hello</html>`, providers.KindOverloaded},
		"a list":     {`[1]`, providers.KindCut},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, url := script(t, reply{kind: "application/json", status: http.StatusOK, body: c.body})
			resp, err := provider(t, url).ChatStream(t.Context(), providertest.Question(), nil, "claude-x", nil, nil)
			if f := failure(t, resp, err); f.Kind != c.kind {
				t.Errorf("%+v, want %s", f, c.kind)
			}
		})
	}
}
