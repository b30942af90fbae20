package openai_test

import (
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
