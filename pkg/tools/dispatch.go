package tools

import (
	"context"
	"time"
)

// request is one call on its way through the registry.
type request struct {
	call Call
	// bad says why the model's arguments could not be decoded.
	bad             string
	channel, chat   string
	callback        AsyncCallback
	begin           func(ctx context.Context, call Call) error
	makeCallback    func(ctx context.Context, call Call) AsyncCallback
	makeTaskContext func(ctx context.Context, call Call) context.Context
	memo            *memoCall
}

// outcome is how a call ended.
type outcome struct {
	result *ToolResult
	took   time.Duration
	// begun says that Execute was entered, or may have been.
	begun bool
	// unknown says that the call was cut off because the caller's context ended.
	unknown bool
	// memory says that it was answered from memory.
	memory bool
}

// Execute runs a tool by name, without channel, chat and callback.
func (r *ToolRegistry) Execute(ctx context.Context, name string, args map[string]any) *ToolResult {
	return r.ExecuteWithContext(ctx, name, args, "", "", nil)
}

// ExecuteWithContext runs a tool by name. A contextual tool gets channel and
// chatID when one of them is given, an async tool asyncCallback. Every failure
// is a result; see [ErrorText] for its shape.
func (r *ToolRegistry) ExecuteWithContext(ctx context.Context, name string, args map[string]any, channel, chatID string, asyncCallback AsyncCallback) *ToolResult {
	out := r.dispatch(ctx, request{
		call:    Call{Name: name, ID: InvocationFrom(ctx).CallID, Arguments: args},
		channel: channel, chat: chatID, callback: asyncCallback,
	})
	return out.result
}

// dispatch is the one way of a call: checks, memory, begin, Execute, result.
func (r *ToolRegistry) dispatch(ctx context.Context, q request) (out outcome) {
	ctx = withPlace(ctx, q.channel, q.chat)
	defer func() { r.note(ctx, &q.call, &out) }()
	e, fail := r.admit(ctx, &q)
	if fail != nil {
		return r.refuse(q, fail)
	}
	if out, ok := q.memo.recall(); ok {
		return out
	}
	value, l, fail := e.take(ctx, q.call.Annotations.Timeout)
	if fail != nil {
		return r.refuse(q, fail)
	}
	if err := ctx.Err(); err != nil {
		l.end()
		return r.refuse(q, interrupted(false).Because(err))
	}
	if fail := r.begins(ctx, q.call, q.call.Annotations.Destructive || q.call.Annotations.Executes); fail != nil {
		l.end()
		return r.refuse(q, fail)
	}
	if q.begin != nil {
		if err := q.begin(ctx, q.call); err != nil {
			l.end()
			return r.refuse(q, typed(err, ErrExecutionFailed, "the call could not be recorded and was not run"))
		}
	}
	return r.run(ctx, &running{registry: r, entry: e, request: q, value: value, loan: l, started: time.Now()})
}

// withPlace lets the invocation name the chat that the caller names.
func withPlace(ctx context.Context, channel, chat string) context.Context {
	s := scopeFrom(ctx)
	if channel == "" && chat == "" || channel == s.inv.Channel && chat == s.inv.Chat {
		return ctx
	}
	inv := s.inv
	inv.Channel, inv.Chat = channel, chat
	return WithInvocation(ctx, inv)
}

// refuse ends a call that did not run.
func (r *ToolRegistry) refuse(q request, fail *Error) outcome {
	log := &r.shared.options.Log
	log.Warn().Str("tool", clip(q.call.Name, 64)).Str("call", q.call.ID).Str("type", string(fail.Type)).Msg("tool call refused")
	log.Debug().Str("call", q.call.ID).AnErr("cause", fail.Err).Str("message", r.redacted(fail.Message)).Msg("why a tool call was refused")
	limit := q.call.Annotations.MaxOutput
	if limit == 0 {
		limit = r.shared.options.MaxOutput
	}
	return outcome{
		result:  finish(fail.Result(), limit, r.shared.options.Redact),
		unknown: fail.Type == ErrInterrupted,
	}
}

func (r *ToolRegistry) redacted(s string) string {
	if r.shared.options.Redact == nil {
		return s
	}
	return r.shared.options.Redact(s)
}
