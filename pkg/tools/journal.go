package tools

import (
	"context"
	"time"

	"parley/pkg/providers"
)

// Call is one tool call within a loop.
type Call struct {
	// Round counts model answers from 1 within the turn, Index the calls of one
	// answer from 0; together they are unique and the same when a turn is resumed.
	Round, Index int
	ID, Name     string
	Arguments    map[string]any
	RawArguments string
	Annotations  Annotations
	// Async means that the tool is an [AsyncTool].
	Async bool
	// Key is the idempotency key that the tool sees in its [Invocation].
	Key string
}

// Journal records the steps of a loop and brings in messages that arrive meanwhile. The
// agent implements it. Begin and End are called from several goroutines when calls run
// beside each other, the others from the loop's own.
type Journal interface {
	// Answered is called with every answer of the model before any of its calls
	// begins. An error ends the loop.
	Answered(ctx context.Context, round int, resp *providers.LLMResponse) error
	// Begin is called after every check of a call passed and right before Execute; when
	// it returns, the call's durable records are durable. An error ends the call as a
	// failure without running it.
	Begin(ctx context.Context, call Call) error
	// End is called with every call's result, refused calls included. An error ends the loop.
	End(ctx context.Context, call Call, result *ToolResult) error
	// Steer is called before each round but the first; the messages that it returns (of
	// people who wrote meanwhile) are appended to the conversation.
	Steer(ctx context.Context) ([]providers.Message, error)
	// Event tells a step of the loop, for display. It must not block.
	Event(e Event)
}

// EventKind is the kind of an [Event].
type EventKind string

// The kinds of [Event].
const (
	EventDelta                EventKind = "delta"
	EventReasoning            EventKind = "reasoning"
	EventRestart              EventKind = "restart"
	EventToolCallDelta        EventKind = "tool_call_delta"
	EventToolCall             EventKind = "tool_call"
	EventExecuting            EventKind = "executing"
	EventProgress             EventKind = "progress"
	EventConfirmationRequired EventKind = "confirmation_required"
	EventToolResult           EventKind = "tool_result"
	EventDone                 EventKind = "done"
)

// Event is one thing that happens in a loop.
type Event struct {
	Kind  EventKind
	Round int
	// CallID, Tool and Arguments (as the model wrote them) are set for tool events.
	CallID, Tool, Arguments string
	// Text is the delta, the progress or the result, cut short.
	Text string
	// Result is the whole result for the model; Truncated says that its middle was left out.
	Result             string
	IsError, Truncated bool
	Duration           time.Duration
}
