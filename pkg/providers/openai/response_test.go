package openai_test

import (
	"strings"
	"testing"

	"parley/pkg/providers"
)

// TestWholeShapes are answers that do not stream.
func TestWholeShapes(t *testing.T) {
	t.Parallel()
	one := map[string]any{"n": float64(1)}
	for _, s := range []shape{
		{name: "text and usage", body: `{"model":"m-1","choices":[{"index":0,"message":{"role":"assistant","content":"hello"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5,"prompt_cache_hit_tokens":1}}`, want: providers.LLMResponse{
			Content: "hello", FinishReason: "stop", Model: "m-1",
			Usage: providers.Usage{PromptTokens: 3, CompletionTokens: 2, TotalTokens: 5, CachedTokens: 1},
		}},
		{name: "white space first", body: "{\n \n \n" + `"choices":[{"message":{"content":"hello"},"finish_reason":"stop"}]}`, want: providers.LLMResponse{Content: "hello", FinishReason: "stop"}},
		{name: "null content, null finish reason", body: `{"choices":[{"message":{"content":null},"finish_reason":null}]}`},
		{name: "content as parts", body: `{"choices":[{"message":{"content":[{"type":"text","text":"he"},{"type":"text","text":"llo"}]},"finish_reason":"stop"}]}`, want: providers.LLMResponse{Content: "hello", FinishReason: "stop"}},
		{name: "empty choices", body: `{"choices":[]}`, kind: providers.KindCut},
		{name: "no choices", body: `{}`, kind: providers.KindCut},
		{name: "cut", body: `{"choices":[{"message":{"content":"hel`, kind: providers.KindCut},
		{name: "error after 200", body: `{"error":{"message":"quota","code":"insufficient_quota"}}`, kind: providers.KindQuota},
		{name: "error in a choice", body: `{"choices":[{"message":{"content":""},"error":{"code":502,"message":"upstream"},"finish_reason":"error"}]}`, kind: providers.KindOverloaded},
		{
			name: "calls without index, with repeated and empty ids", body: `{"choices":[{"message":{"content":null,"reasoning_content":"hm","tool_calls":[
				{"id":"a","type":"function","function":{"name":"one","arguments":"{\"n\":1}"}},
				{"id":"a","type":"function","function":{"name":"one","arguments":"{\"n\":1}"}},
				{"id":"","type":"function","function":{"name":"two","arguments":{"n":1}}},
				{"type":"function","index":0,"function":{"name":"two","arguments":""}}]},"finish_reason":"tool_calls"}]}`,
			want: providers.LLMResponse{FinishReason: "tool_calls", Reasoning: "hm", ToolCalls: []providers.ToolCall{
				toolCall("a", "one", `{"n":1}`, one), toolCall("own", "one", `{"n":1}`, one), toolCall("own", "two", `{"n":1}`, one), toolCall("own", "two", "", map[string]any{}),
			}},
		},
	} {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			check(t, s, 3, "whole")
		})
	}
}

// TestReasoningCountedApart is a part of the answer all the same, as it is on the bill;
// reasoning that is a part of it already counts once. The number of tokens written to the
// cache is known.
func TestReasoningCountedApart(t *testing.T) {
	t.Parallel()
	want := func(written int) providers.LLMResponse {
		return providers.LLMResponse{Content: "hi", FinishReason: "stop", Usage: providers.Usage{
			PromptTokens: 30, CompletionTokens: written, TotalTokens: 30 + written, ReasoningTokens: 5, CachedTokens: 10, CacheWriteTokens: 20,
		}}
	}
	const details = `"prompt_tokens_details":{"cached_tokens":10,"cache_write_tokens":20},"completion_tokens_details":{"reasoning_tokens":5}}`
	const apart = `"usage":{"prompt_tokens":30,"completion_tokens":2,"total_tokens":37,` + details
	const within = `"usage":{"prompt_tokens":30,"completion_tokens":6,"total_tokens":36,` + details
	for _, s := range []shape{
		{name: "apart", body: `{"choices":[{"message":{"content":"hi"},"finish_reason":"stop"}],` + apart + `}`, want: want(7)},
		{name: "within", body: `{"choices":[{"message":{"content":"hi"},"finish_reason":"stop"}],` + within + `}`, want: want(6)},
		{
			name: "apart, in a stream", want: want(7),
			body: `data: {"choices":[{"index":0,"delta":{"content":"hi"},"finish_reason":"stop"}],` + apart + "}\n\ndata: [DONE]\n\n",
		},
		{
			name: "within, in a stream", want: want(6),
			body: `data: {"choices":[{"index":0,"delta":{"content":"hi"},"finish_reason":"stop"}],` + within + "}\n\ndata: [DONE]\n\n",
		},
	} {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			way := "whole"
			if strings.HasPrefix(s.body, "data:") {
				way = "stream"
			}
			check(t, s, 3, way)
		})
	}
}
