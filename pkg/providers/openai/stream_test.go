package openai_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"parley/internal/test/fakemodel"
	"parley/pkg/providers"
)

const (
	stop = `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`
	done = "[DONE]"
)

// say is the frame of a piece of text, call of a piece of a tool call.
func say(text string) string {
	return fmt.Sprintf(`{"choices":[{"index":0,"delta":{"content":%q},"finish_reason":null}]}`, text)
}

func call(piece string) string {
	return `{"choices":[{"index":0,"delta":{"tool_calls":[` + piece + `]}}]}`
}

func frames(payloads ...string) string {
	var b strings.Builder
	for _, p := range payloads {
		b.WriteString("data: " + p + "\n\n")
	}
	return b.String()
}

// shape is an answer as a server writes it, with its meaning.
type shape struct {
	name string
	body string
	want providers.LLMResponse
	// kind, when not empty, is the error that is wanted instead.
	kind providers.ErrorKind
	// deltas, when not nil, is the emitted text.
	deltas []string
}

func toolCall(id, name, raw string, args map[string]any) providers.ToolCall {
	return providers.ToolCall{ID: id, Type: "function", Name: name, Arguments: args, RawArguments: raw}
}

func streamShapes() []shape {
	one := map[string]any{"n": float64(1)}
	return []shape{
		{
			name:   "text",
			body:   frames(say("he"), say("llo"), stop, done),
			want:   providers.LLMResponse{Content: "hello", FinishReason: "stop"},
			deltas: []string{"he", "llo"},
		},
		{
			name: "finish reason without [DONE]",
			body: frames(say("hello"), stop),
			want: providers.LLMResponse{Content: "hello", FinishReason: "stop"},
		},
		{name: "[DONE] without finish reason", body: frames(say("hello"), done), want: providers.LLMResponse{Content: "hello"}},
		{name: "[DONE] without a line end", body: frames(say("hello")) + "data: [DONE]", want: providers.LLMResponse{Content: "hello"}},
		{name: "neither", body: frames(say("hello")), kind: providers.KindCut},
		{name: "cut inside a frame", body: frames(say("hello")) + `data: {"choices":[{"index":0,"del`, kind: providers.KindCut},
		{name: "cut inside arguments", body: frames(call(`{"index":0,"id":"a","function":{"name":"rm","arguments":"{\"pa"}}`)), kind: providers.KindCut},
		{name: "nothing", body: "\n", kind: providers.KindCut},
		{name: "[DONE] alone", body: frames(done), kind: providers.KindCut},
		{name: "not JSON", body: frames("{{{", done), kind: providers.KindCut},
		{
			name: "comments, fields and CRLF",
			body: ": OPENROUTER PROCESSING\r\n\r\nevent: message\r\nid: 1\r\nretry: 5\r\ndata:" +
				say("hello") + "\r\n\r\n: more\r\ndata:   " + stop + "\r\n\r\ndata: [DONE]\r\n\r\n",
			want: providers.LLMResponse{Content: "hello", FinishReason: "stop"},
		},
		{
			name: "byte order mark",
			body: "\ufeff" + frames(say("hello"), stop, done),
			want: providers.LLMResponse{Content: "hello", FinishReason: "stop"},
		},
		{
			name: "a thousand lines without data",
			body: strings.Repeat(": working\n", 1000) + frames(say("hello"), stop, done),
			want: providers.LLMResponse{Content: "hello", FinishReason: "stop"},
		},
		{name: "error frame", body: frames(say("he"), `{"error":{"message":"boom","code":502}}`), kind: providers.KindOverloaded},
		{name: "error frame after a comment", body: ": hm\n\n" + frames(`{"error":{"message":"slow down","type":"rate_limit_exceeded"}}`), kind: providers.KindRateLimited},
		{name: "error frame with choices", body: frames(`{"id":"1","choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}],"error":{"code":"server_error","message":"boom"}}`, done), kind: providers.KindOverloaded},
		{name: "error inside a choice", body: frames(`{"choices":[{"index":0,"delta":{},"error":{"code":429,"message":"slow down"}}]}`, done), kind: providers.KindRateLimited},
		{
			name: "error event",
			body: frames(say("he")) + "event: error\ndata: {\"message\":\"maximum context length is 9\",\"code\":400}\n\n",
			kind: providers.KindTooLong,
		},
		{name: "error that is no event", body: frames(say("he")) + `{"error":{"message":"gone","type":"insufficient_quota"}}` + "\n", kind: providers.KindQuota},
		{name: "error as a string", body: frames(`{"error":"boom"}`), kind: providers.KindOverloaded},
		{name: "error null", body: frames(`{"error":null,"choices":[{"index":0,"delta":{"content":"hello"}}]}`, stop, done), want: providers.LLMResponse{Content: "hello", FinishReason: "stop"}},
		{name: `the word "error" in the text`, body: frames(say(`an "error": {} here`), stop, done), want: providers.LLMResponse{Content: `an "error": {} here`, FinishReason: "stop"}},
		{name: "empty choices and usage", body: frames(`{"choices":[]}`, say("hello"), stop, `{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":1},"completion_tokens_details":{"reasoning_tokens":1}}}`, done), want: providers.LLMResponse{
			Content: "hello", FinishReason: "stop",
			Usage: providers.Usage{PromptTokens: 3, CompletionTokens: 2, TotalTokens: 5, CachedTokens: 1, ReasoningTokens: 1},
		}},
		{name: "null content", body: frames(`{"choices":[{"index":0,"delta":{"role":"assistant","content":null}}]}`, stop, done), want: providers.LLMResponse{FinishReason: "stop"}},
		{
			name: "content as parts", body: frames(`{"choices":[{"index":0,"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"h"},{"type":"text","text":"m"}]},{"type":"text","text":"he"},"llo"]}}]}`, stop, done),
			want: providers.LLMResponse{Content: "hello", Reasoning: "hm", FinishReason: "stop"},
		},
		{name: "refusal", body: frames(`{"choices":[{"index":0,"delta":{"content":null,"refusal":"no"}}]}`, stop, done), want: providers.LLMResponse{Content: "no", FinishReason: "stop"}},
		{name: "another choice", body: frames(`{"choices":[{"index":1,"delta":{"content":"other"}}]}`, say("hello"), stop, done), want: providers.LLMResponse{Content: "hello", FinishReason: "stop"}},
		{
			name: "reasoning",
			body: frames(`{"choices":[{"index":0,"delta":{"reasoning":"hm"}}]}`, say("hello"), stop, done),
			want: providers.LLMResponse{Content: "hello", Reasoning: "hm", FinishReason: "stop"},
		},
		{
			name: "reasoning under both names",
			body: frames(`{"choices":[{"index":0,"delta":{"reasoning_content":"hm","reasoning":"hm"}}]}`, say("hello"), stop, done),
			want: providers.LLMResponse{Content: "hello", Reasoning: "hm", FinishReason: "stop"},
		},
		{
			name: "the server's model",
			body: frames(`{"model":"m-2024","choices":[{"index":0,"delta":{"content":"hello"}}]}`, stop, done),
			want: providers.LLMResponse{Content: "hello", FinishReason: "stop", Model: "m-2024"},
		},
		{
			name: "calls in pieces, interleaved", body: frames(
				call(`{"index":0,"id":"a","type":"function","function":{"name":"one","arguments":""}}`),
				call(`{"index":1,"id":"b","type":"function","function":{"name":"two","arguments":""}}`),
				call(`{"index":1,"function":{"arguments":"{}"}},{"index":0,"function":{"arguments":"{\"n\":"}}`),
				call(`{"index":0,"function":{"arguments":"1}"}}`), done),
			want: providers.LLMResponse{ToolCalls: []providers.ToolCall{toolCall("a", "one", `{"n":1}`, one), toolCall("b", "two", "{}", map[string]any{})}},
		},
		{
			name: "three identical calls with one id", body: frames(
				call(`{"index":0,"id":"a","function":{"name":"one","arguments":"{\"n\":1}"}}`),
				call(`{"index":0,"id":"a","function":{"name":"one","arguments":"{\"n\":1}"}}`),
				call(`{"index":0,"id":"a","function":{"name":"one","arguments":"{\"n\":1}"}}`), done),
			want: providers.LLMResponse{ToolCalls: []providers.ToolCall{
				toolCall("a", "one", `{"n":1}`, one), toolCall("own", "one", `{"n":1}`, one), toolCall("own", "one", `{"n":1}`, one),
			}},
		},
		{
			name: "no index, no ids", body: frames(
				call(`{"function":{"name":"one","arguments":"{\"n\":1}"}},{"function":{"name":"two","arguments":""}}`), stop),
			want: providers.LLMResponse{
				FinishReason: "stop",
				ToolCalls:    []providers.ToolCall{toolCall("own", "one", `{"n":1}`, one), toolCall("own", "two", "", map[string]any{})},
			},
		},
		{
			name: "no index, pieces", body: frames(
				call(`{"id":"a","function":{"name":"one","arguments":"{\"n\""}}`), call(`{"function":{"arguments":":1}"}}`),
				call(`{"id":"b","function":{"name":"two","arguments":"{}"}}`), stop),
			want: providers.LLMResponse{
				FinishReason: "stop",
				ToolCalls:    []providers.ToolCall{toolCall("a", "one", `{"n":1}`, one), toolCall("b", "two", "{}", map[string]any{})},
			},
		},
		{
			name: "id and name in every piece", body: frames(
				call(`{"index":0,"id":"a","function":{"name":"one","arguments":"{\"n\""}}`), call(`{"index":0,"id":"a","function":{"name":"one","arguments":":1}"}}`), done),
			want: providers.LLMResponse{ToolCalls: []providers.ToolCall{toolCall("a", "one", `{"n":1}`, one)}},
		},
		{
			name: "one index for all", body: frames(
				call(`{"index":0,"id":"a","function":{"name":"one","arguments":"{}"}}`), call(`{"index":0,"id":"b","function":{"name":"one","arguments":"{}"}}`), done),
			want: providers.LLMResponse{
				ToolCalls: []providers.ToolCall{toolCall("a", "one", "{}", map[string]any{}), toolCall("b", "one", "{}", map[string]any{})},
			},
		},
		{
			name: "arguments as an object, null and double-encoded", body: frames(
				call(`{"index":0,"id":"a","function":{"name":"one","arguments":{"n":1}}}`), call(`{"index":1,"id":"b","function":{"name":"one","arguments":null}}`),
				call(`{"index":2,"id":"c","function":{"name":"one","arguments":"\"{\\\"n\\\":1}\""}}`), done),
			want: providers.LLMResponse{ToolCalls: []providers.ToolCall{
				toolCall("a", "one", `{"n":1}`, one), toolCall("b", "one", "", map[string]any{}), toolCall("c", "one", `"{\"n\":1}"`, one),
			}},
		},
		{
			name: "length inside a call", body: frames(
				call(`{"index":0,"id":"a","function":{"name":"one","arguments":"{\"n"}}`), `{"choices":[{"index":0,"delta":{},"finish_reason":"length"}]}`, done),
			want: providers.LLMResponse{FinishReason: "length", ToolCalls: []providers.ToolCall{{
				ID: "a", Type: "function", Name: "one", RawArguments: `{"n`, BadArguments: "the arguments are not valid JSON: unexpected end of JSON input",
			}}},
		},
		{
			name: "five hundred calls",
			body: frames(call(strings.TrimSuffix(strings.Repeat(`{"id":"a","function":{"name":"one","arguments":"{}"}},`, 500), ",")), done),
			want: providers.LLMResponse{ToolCalls: sameCalls(providers.MaxCalls)},
		},
		{
			name: "a piece behind the last call that is kept", want: providers.LLMResponse{ToolCalls: sameCalls(providers.MaxCalls)},
			body: frames(call(strings.TrimSuffix(strings.Repeat(`{"id":"a","function":{"name":"one","arguments":"{}"}},`, providers.MaxCalls), ",")),
				call(`{"id":"z","function":{"name":"one","arguments":"{\"n\":"}}`), call(`{"function":{"arguments":"1}"}}`), done),
		},
		{
			name: "five hundred calls by their index", want: providers.LLMResponse{ToolCalls: sameCalls(providers.MaxCalls)},
			body: frames(numbered(500, `"id":"a","function":{"name":"one","arguments":"{"}`), numbered(500, `"function":{"arguments":"}"}`), done),
		},
		{
			name:   "a whole answer where a stream was asked for",
			body:   `{"choices":[{"index":0,"message":{"content":"hello"},"finish_reason":"stop"}]}`,
			want:   providers.LLMResponse{Content: "hello", FinishReason: "stop"},
			deltas: []string{"hello"},
		},
	}
}

// sameCalls are n calls of one tool, of which the first has the id a.
func sameCalls(n int) []providers.ToolCall {
	out := make([]providers.ToolCall, n)
	for i := range out {
		out[i] = providers.ToolCall{ID: "own", Type: "function", Name: "one", Arguments: map[string]any{}, RawArguments: "{}"}
	}
	out[0].ID = "a"
	return out
}

// numbered is a piece of each of n calls.
func numbered(n int, fields string) string {
	pieces := make([]string, n)
	for i := range pieces {
		pieces[i] = fmt.Sprintf(`{"index":%d,%s}`, i, fields)
	}
	return call(strings.Join(pieces, ","))
}

func TestStreamShapes(t *testing.T) {
	t.Parallel()
	for _, s := range streamShapes() {
		for _, piece := range []int{0, 1, 7} {
			t.Run(fmt.Sprintf("%s in pieces of %d", s.name, piece), func(t *testing.T) {
				t.Parallel()
				if piece == 1 && len(s.body) > 4000 {
					piece = 100
				}
				check(t, s, piece, "stream")
			})
		}
	}
}

// TestStreamUnasked is a server that streams though a whole answer was asked for.
// TestEndsOfServers are the finish reasons by which servers tell that they broke an answer
// off, and their own words for the usual ones.
func TestEndsOfServers(t *testing.T) {
	t.Parallel()
	for reason, want := range map[string]string{
		"error": "", "network_error": "", "insufficient_system_resource": "", "abort": "", "aborted": "",
		"sensitive": providers.FinishContentFilter, "model_length": providers.FinishLength, "max_tokens": providers.FinishLength,
		"model_context_window_exceeded": providers.FinishLength, "eos": "eos",
	} {
		s := shape{name: reason, want: providers.LLMResponse{Content: "half an", FinishReason: want}}
		if want == "" {
			s.want, s.kind = providers.LLMResponse{}, providers.KindCut
		}
		s.body = frames(say("half an"), fmt.Sprintf(`{"choices":[{"index":0,"delta":{},"finish_reason":%q}]}`, reason), done)
		check(t, s, 7, "stream")
		s.body = fmt.Sprintf(`{"choices":[{"message":{"content":"half an"},"finish_reason":%q}]}`, reason)
		check(t, s, 7, "whole")
	}
}

func TestStreamUnasked(t *testing.T) {
	t.Parallel()
	for _, s := range streamShapes() {
		if strings.HasPrefix(s.body, "{") || s.deltas == nil && s.kind == "" {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			s.deltas = nil
			check(t, s, 0, "whole")
		})
	}
}

func check(t *testing.T, s shape, piece int, way string) {
	t.Helper()
	kind := "text/event-stream; charset=utf-8"
	if strings.HasPrefix(s.body, "{") {
		kind = "application/json"
	}
	srv := serve(t, func(fakemodel.Request) fakemodel.Answer {
		return fakemodel.Answer{Fault: fakemodel.Fault{Body: s.body, ContentType: kind, Piece: piece}}
	})
	p := bothWays(provider(t, srv.URL()))[way]
	var deltas []string
	emit := func(e providers.StreamEvent) {
		if d, ok := e.(providers.TextDelta); ok {
			deltas = append(deltas, d.Text)
		}
	}
	messages := []providers.Message{{Role: "user", Content: "hello"}}
	resp, err := providers.Stream(t.Context(), p, messages, nil, "m", nil, emit)
	if s.kind != "" {
		var failure *providers.Error
		if !errors.As(err, &failure) || failure.Kind != s.kind || resp != nil {
			t.Fatalf("%+v, %v; want %s", resp, err, s.kind)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	compare(t, &s.want, resp)
	if s.deltas != nil && !cmp.Equal(s.deltas, deltas) {
		t.Errorf("emitted %q, want %q", deltas, s.deltas)
	}
	if got := len(srv.Requests()); got != 1 {
		t.Errorf("%d requests, want 1", got)
	}
}

// compare takes any id of our own making for the id "own", as long as it is unique.
func compare(t *testing.T, want, got *providers.LLMResponse) {
	t.Helper()
	seen := map[string]bool{}
	for i := range got.ToolCalls {
		id := got.ToolCalls[i].ID
		if id == "" || seen[id] {
			t.Errorf("call %d has the id %q, which is empty or not unique", i, id)
		}
		seen[id] = true
		if i < len(want.ToolCalls) && want.ToolCalls[i].ID == "own" && strings.HasPrefix(id, "call_") {
			got.ToolCalls[i].ID = "own"
		}
	}
	if d := cmp.Diff(want, got, cmpopts.EquateEmpty()); d != "" {
		t.Errorf("answer (-want +got):\n%s", d)
	}
}
