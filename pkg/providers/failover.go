package providers

import (
	"context"
	"errors"
	"fmt"
)

// Target is one model of a [Failover].
type Target struct {
	Provider LLMProvider
	// Model is asked for instead of the caller's; empty keeps the caller's.
	Model string
}

// Failover asks the first target and goes on to the next where another model may
// help: not when the request itself is invalid or too long, and not when the
// context has ended. When all fail, the error holds every failure, and
// errors.As finds the first target's, which is the one that a person should act on.
// It streams; [Restart] announces that another target begins anew.
func Failover(targets ...Target) LLMProvider { return failover(targets) }

type failover []Target

func (f failover) Chat(
	ctx context.Context, messages []Message, tools []ToolDefinition, model string, options map[string]any,
) (*LLMResponse, error) {
	return f.ask(ctx, model, func(t Target) (*LLMResponse, error) {
		return t.Provider.Chat(ctx, messages, tools, t.Model, options)
	})
}

func (f failover) ChatStream(
	ctx context.Context, messages []Message, tools []ToolDefinition,
	model string, options map[string]any, emit func(StreamEvent),
) (*LLMResponse, error) {
	s := restarter{emit: emit}
	return f.ask(ctx, model, func(t Target) (*LLMResponse, error) {
		s.begin()
		resp, err := Stream(ctx, t.Provider, messages, tools, t.Model, options, s.pass)
		s.end(err)
		return resp, err
	})
}

func (f failover) ask(ctx context.Context, model string, attempt func(Target) (*LLMResponse, error)) (*LLMResponse, error) {
	var failures error
	for _, t := range f {
		if t.Model == "" {
			t.Model = model
		}
		resp, err := attempt(t)
		if err == nil {
			return resp, nil
		}
		if failures == nil {
			failures = err
		} else {
			failures = fmt.Errorf("%w; then %w", failures, err)
		}
		if ctx.Err() != nil || !anotherMayHelp(err) {
			break
		}
	}
	if failures == nil {
		return nil, &Error{Kind: KindInvalid, Model: model, Message: "no model is configured"}
	}
	return nil, failures
}

func anotherMayHelp(err error) bool {
	var failure *Error
	return errors.As(err, &failure) && failure.Kind != KindInvalid && failure.Kind != KindTooLong
}
