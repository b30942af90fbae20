package caller

import (
	"context"
	"maps"
	"slices"

	"parley/pkg/channels"
	"parley/pkg/providers"
)

// Bind is a model that sees tools of the gateway under the names and the schemas that the
// program has for them. A call of such a name is a call of the gateway's tool, by all rules
// for that. Offered says whether the turn has a tool of the gateway.
func Bind(model providers.LLMProvider, w *channels.Wish, offered func(tool string) bool) providers.LLMProvider {
	b := binding{LLMProvider: model, given: map[string]string{}, own: map[string]string{}}
	if w == nil {
		return model
	}
	for i := range w.Caller {
		if t := &w.Caller[i]; t.Bound != "" && offered(t.Bound) {
			b.own[t.Name], b.given[t.Bound] = t.Bound, t.Name
			b.defs = append(b.defs, definition(t))
		}
	}
	if len(b.defs) == 0 {
		return model
	}
	return b
}

// binding is a model behind its names for tools.
type binding struct {
	providers.LLMProvider

	// given are the names of the program by those of the gateway's tools, own the reverse.
	given, own map[string]string
	defs       []providers.ToolDefinition
}

// Chat implements [providers.LLMProvider].
func (b binding) Chat(
	ctx context.Context, messages []providers.Message, tools []providers.ToolDefinition, model string, options map[string]any,
) (*providers.LLMResponse, error) {
	messages, tools, options = b.asks(messages, tools, options)
	return b.answers(b.LLMProvider.Chat(ctx, messages, tools, model, options))
}

// ChatStream implements [providers.StreamingProvider].
func (b binding) ChatStream(
	ctx context.Context, messages []providers.Message, tools []providers.ToolDefinition, model string, options map[string]any,
	emit func(providers.StreamEvent),
) (*providers.LLMResponse, error) {
	messages, tools, options = b.asks(messages, tools, options)
	return b.answers(providers.Stream(ctx, b.LLMProvider, messages, tools, model, options, func(e providers.StreamEvent) {
		if piece, ok := e.(providers.ToolCallDelta); ok {
			piece.Name = named(b.own, piece.Name)
			e = piece
		}
		emit(e)
	}))
}

// asks is a request with the names of the program.
func (b binding) asks(
	messages []providers.Message, tools []providers.ToolDefinition, options map[string]any,
) ([]providers.Message, []providers.ToolDefinition, map[string]any) {
	messages = slices.Clone(messages)
	for i := range messages {
		m := &messages[i]
		m.ToolCalls = renamed(b.given, m.ToolCalls)
		if m.Role == providers.RoleTool {
			m.Name = named(b.given, m.Name)
		}
	}
	if len(tools) > 0 { // without a tool there is none of the program's either
		tools = slices.DeleteFunc(slices.Clone(tools), func(d providers.ToolDefinition) bool {
			return b.given[d.Function.Name] != "" || b.own[d.Function.Name] != ""
		})
		tools = append(tools, b.defs...)
	}
	if choice, ok := options[optionChoice].(map[string]any); ok {
		name, _ := choice["name"].(string)
		with := maps.Clone(options)
		with[optionChoice] = map[string]any{"name": named(b.given, name)}
		options = with
	}
	return messages, tools, options
}

// optionChoice is the option with the choice of a tool.
const optionChoice = "tool_choice"

// answers is an answer with the names of the gateway.
func (b binding) answers(resp *providers.LLMResponse, err error) (*providers.LLMResponse, error) {
	if err != nil || resp == nil {
		return resp, err
	}
	own := *resp
	own.ToolCalls = renamed(b.own, resp.ToolCalls)
	return &own, nil
}

// renamed are calls with other names, as their own copy where one differs.
func renamed(names map[string]string, calls []providers.ToolCall) []providers.ToolCall {
	if !slices.ContainsFunc(calls, func(c providers.ToolCall) bool { return names[c.Name] != "" }) {
		return calls
	}
	calls = slices.Clone(calls)
	for i := range calls {
		calls[i].Name = named(names, calls[i].Name)
	}
	return calls
}

func named(names map[string]string, name string) string {
	if other := names[name]; other != "" {
		return other
	}
	return name
}
