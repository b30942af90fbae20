package providers

import "context"

// LLMProvider asks a model.
//
// Chat may be called from many goroutines at once. The messages, tools and options are
// read only, also after it has returned. The options may hold max_tokens (int),
// temperature (float64), tool_choice ("auto", "none", "required" or
// map[string]any{"name": X}) and other options that a provider documents; unknown ones
// are ignored. The error is, or wraps, an [*Error], or is the context's.
type LLMProvider interface {
	Chat(ctx context.Context, messages []Message, tools []ToolDefinition, model string, options map[string]any) (*LLMResponse, error)
}

// StreamingProvider is an [LLMProvider] that can show an answer while it grows.
//
// ChatStream calls emit from its own goroutine only, in order, and only before it
// returns. The response is the whole answer, as Chat would have given it: a caller
// may ignore all events.
type StreamingProvider interface {
	LLMProvider
	ChatStream(
		ctx context.Context, messages []Message, tools []ToolDefinition,
		model string, options map[string]any, emit func(StreamEvent),
	) (*LLMResponse, error)
}

// StreamEvent is one of [TextDelta], [ReasoningDelta], [ToolCallDelta] and [Restart].
type StreamEvent interface{ streamEvent() }

// TextDelta is the next piece of the answer's text.
type TextDelta struct{ Text string }

// ReasoningDelta is the next piece of the text that the model thinks aloud.
type ReasoningDelta struct{ Text string }

// ToolCallDelta is the next piece of the tool call at Index; ID and Name come with
// the first piece. Fragments are for display: they may stay incomplete.
type ToolCallDelta struct {
	Index     int
	ID, Name  string
	Arguments string
}

// Restart says that the answer was cut off and is asked for again: everything
// emitted before is void. A display goes on in the same visible message.
type Restart struct{ Reason string }

func (TextDelta) streamEvent()      {}
func (ReasoningDelta) streamEvent() {}
func (ToolCallDelta) streamEvent()  {}
func (Restart) streamEvent()        {}

// Stream asks p, streaming where p can. With a provider that cannot, the whole
// text is emitted as one [TextDelta] before Stream returns. A nil emit is fine.
func Stream(
	ctx context.Context, p LLMProvider, messages []Message, tools []ToolDefinition,
	model string, options map[string]any, emit func(StreamEvent),
) (*LLMResponse, error) {
	if emit == nil {
		emit = func(StreamEvent) {}
	}
	if s, ok := p.(StreamingProvider); ok {
		return s.ChatStream(ctx, messages, tools, model, options, emit)
	}
	resp, err := p.Chat(ctx, messages, tools, model, options)
	if err == nil && resp.Content != "" {
		emit(TextDelta{Text: resp.Content})
	}
	return resp, err
}
