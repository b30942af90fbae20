package faces

import (
	"context"
	"strings"

	"parley/pkg/providers"
	"parley/pkg/tools"
)

// Model answers as the test says, and streams its words. Without an answer the request fails.
type Model func(msgs []providers.Message, defs []providers.ToolDefinition, emit func(providers.StreamEvent)) *providers.LLMResponse

// Answers is a model of a function that does not stream.
func Answers(f func([]providers.Message, []providers.ToolDefinition) *providers.LLMResponse) Model {
	return func(msgs []providers.Message, defs []providers.ToolDefinition, _ func(providers.StreamEvent)) *providers.LLMResponse {
		return f(msgs, defs)
	}
}

// Emits is a model of a function that does not look at the tools.
func Emits(f func([]providers.Message, func(providers.StreamEvent)) *providers.LLMResponse) Model {
	return func(msgs []providers.Message, _ []providers.ToolDefinition, emit func(providers.StreamEvent)) *providers.LLMResponse {
		return f(msgs, emit)
	}
}

// Chat implements [providers.LLMProvider].
func (m Model) Chat(
	ctx context.Context, msgs []providers.Message, defs []providers.ToolDefinition, name string, options map[string]any,
) (*providers.LLMResponse, error) {
	return m.ChatStream(ctx, msgs, defs, name, options, func(providers.StreamEvent) {})
}

// ChatStream implements [providers.StreamingProvider].
func (m Model) ChatStream(
	_ context.Context, msgs []providers.Message, defs []providers.ToolDefinition, _ string, _ map[string]any,
	emit func(providers.StreamEvent),
) (*providers.LLMResponse, error) {
	resp := m(msgs, defs, emit)
	if resp == nil {
		return nil, &providers.Error{Kind: providers.KindInvalid}
	}
	for piece := range strings.SplitAfterSeq(resp.Content, " ") {
		emit(providers.TextDelta{Text: piece})
	}
	return resp, nil
}

// Says is an answer of words alone.
func Says(text string) *providers.LLMResponse {
	return &providers.LLMResponse{
		Content: text, FinishReason: providers.FinishStop, Usage: providers.Usage{PromptTokens: 5, CompletionTokens: 2, TotalTokens: 7},
	}
}

// Calls is an answer that calls a tool, behind some words.
func Calls(text, name, args string) *providers.LLMResponse {
	return &providers.LLMResponse{Content: text, FinishReason: providers.FinishToolCalls, ToolCalls: []providers.ToolCall{
		{ID: "call_1", Type: "function", Name: name, Arguments: map[string]any{}, RawArguments: args},
	}}
}

// Last is the last message that the model reads.
func Last(msgs []providers.Message) providers.Message { return msgs[len(msgs)-1] }

// tool is a tool made of a function.
type tool struct {
	name string
	an   tools.Annotations
	run  func(ctx context.Context) string
}

// Tool makes a tool of a function.
func Tool(name string, an tools.Annotations, run func(ctx context.Context) string) tools.Tool {
	return tool{name, an, run}
}

func (t tool) Name() string        { return t.name }
func (t tool) Description() string { return "test tool " + t.name }
func (t tool) Parameters() map[string]any {
	return map[string]any{"type": "object", "properties": map[string]any{}}
}
func (t tool) Annotations() tools.Annotations { return t.an }
func (t tool) Execute(ctx context.Context, _ map[string]any) *tools.ToolResult {
	return tools.NewToolResult(t.run(ctx))
}
