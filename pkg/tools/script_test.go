package tools_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"sync"

	"parley/pkg/providers"
	"parley/pkg/tools"
)

// script is a model with prepared answers, in order.
type script struct {
	answers []*providers.LLMResponse
	// forever is its answer when the script has run out.
	forever *providers.LLMResponse
	// hang makes it wait for the context's end when the script has run out.
	hang bool

	mu    sync.Mutex
	asked []asked
}

// asked is one request to a model.
type asked struct {
	messages []providers.Message
	tools    []providers.ToolDefinition
	model    string
	options  map[string]any
}

func (s *script) Chat(
	ctx context.Context, messages []providers.Message,
	defs []providers.ToolDefinition, model string, options map[string]any,
) (*providers.LLMResponse, error) {
	s.mu.Lock()
	n := len(s.asked)
	s.asked = append(s.asked, asked{slices.Clone(messages), defs, model, maps.Clone(options)})
	s.mu.Unlock()
	switch {
	case n < len(s.answers):
		return s.answers[n], nil
	case s.forever != nil:
		return s.forever, nil
	case s.hang:
		<-ctx.Done()
		return nil, ctx.Err()
	default:
		return nil, errors.New("the script has run out")
	}
}

// streaming is a script that shows its answers while they grow.
type streaming struct{ script }

func (s *streaming) ChatStream(
	ctx context.Context, messages []providers.Message, defs []providers.ToolDefinition,
	model string, options map[string]any, emit func(providers.StreamEvent),
) (*providers.LLMResponse, error) {
	resp, err := s.Chat(ctx, messages, defs, model, options)
	if err != nil {
		return nil, err
	}
	emit(providers.Restart{Reason: "cut"})
	emit(providers.ReasoningDelta{Text: "hm"})
	for _, r := range resp.Content {
		emit(providers.TextDelta{Text: string(r)})
	}
	for i, c := range resp.ToolCalls {
		emit(providers.ToolCallDelta{Index: i, ID: c.ID, Name: c.Name, Arguments: c.RawArguments})
	}
	return resp, nil
}

func calls(cs ...providers.ToolCall) *providers.LLMResponse {
	return &providers.LLMResponse{ToolCalls: cs, FinishReason: providers.FinishToolCalls, Usage: providers.Usage{TotalTokens: 10}}
}

func call(id, name string, args map[string]any) providers.ToolCall {
	if args == nil {
		args = map[string]any{}
	}
	raw, err := json.Marshal(args)
	if err != nil {
		panic(err)
	}
	return providers.ToolCall{ID: id, Type: "function", Name: name, Arguments: args, RawArguments: string(raw)}
}

func says(text string) *providers.LLMResponse {
	return &providers.LLMResponse{Content: text, FinishReason: providers.FinishStop, Usage: providers.Usage{TotalTokens: 5}}
}

// ledger is a journal that keeps its records.
type ledger struct {
	mu       sync.Mutex
	lines    []string
	events   []tools.Event
	calls    []tools.Call
	answered []*providers.LLMResponse
	steer    [][]providers.Message
	fail     map[string]error
}

func (l *ledger) note(line string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, line)
	return l.fail[line]
}

func (l *ledger) Answered(_ context.Context, _ int, resp *providers.LLMResponse) error {
	l.mu.Lock()
	l.answered = append(l.answered, resp)
	l.mu.Unlock()
	return l.note("answered")
}

func (l *ledger) Begin(_ context.Context, c tools.Call) error {
	l.mu.Lock()
	l.calls = append(l.calls, c)
	l.mu.Unlock()
	return l.note("begin " + c.ID)
}

func (l *ledger) End(ctx context.Context, c tools.Call, _ *tools.ToolResult) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return l.note("end " + c.ID)
}

func (l *ledger) Steer(context.Context) ([]providers.Message, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.steer) == 0 {
		return nil, l.fail["steer"]
	}
	joined := l.steer[0]
	l.steer = l.steer[1:]
	return joined, nil
}

func (l *ledger) Event(e tools.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.events = append(l.events, e)
}

func (l *ledger) got() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.lines)
}
