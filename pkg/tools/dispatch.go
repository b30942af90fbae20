package tools

import (
	"context"
	"errors"
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
	makeProgress    func(call Call) func(line string)
	// own says that a loop makes the call, nested that another call does.
	own, nested bool
	// examination is what the call would do, once it was admitted.
	examination Examination
	memo        *memoCall
}

// outcome is how a call ended.
type outcome struct {
	result *ToolResult
	took   time.Duration
	// begun says that Execute was entered, or may have been.
	begun bool
	// unknown says that the call was cut off because the caller's context ended.
	unknown bool
	// asked says that the call waits for a person.
	asked bool
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
	defer func() { r.note(ctx, &q.call, &out) }()
	ctx, fail := r.descend(withPlace(ctx, q.channel, q.chat), &q)
	if fail != nil {
		return r.refuse(ctx, q, fail)
	}
	e, fail := r.admit(ctx, &q)
	if fail != nil {
		if errors.Is(fail, ErrAsk) {
			return r.ask(ctx, q)
		}
		return r.refuse(ctx, q, fail)
	}
	if out, ok := q.memo.recall(); ok {
		return out
	}
	ctx = r.lend(ctx, &q)
	value, l, fail := e.take(ctx, q.call.Annotations.Timeout)
	if fail != nil {
		return r.refuse(ctx, q, fail)
	}
	if ctx.Err() != nil {
		l.end()
		return r.refuse(ctx, q, interrupted(false).Because(ctx.Err()))
	}
	if fail := r.begins(ctx, q.call, q.examination.Destructive || q.call.Annotations.Destructive || q.call.Annotations.Executes); fail != nil {
		l.end()
		return r.refuse(ctx, q, fail)
	}
	if q.begin != nil {
		if err := q.begin(ctx, q.call); err != nil {
			l.end()
			return r.refuse(ctx, q, typed(err, ErrExecutionFailed, "the call could not be recorded and was not run"))
		}
	}
	return r.run(ctx, &running{registry: r, entry: e, request: q, value: value, loan: l, started: time.Now()})
}

// ask puts the question for a call that a person has to allow first.
func (r *ToolRegistry) ask(ctx context.Context, q request) outcome {
	gate := scopeFrom(ctx).gate()
	if q.nested || gate == nil {
		return r.refuse(ctx, q, Fail(ErrApprovalDenied, "a person has to allow this call, and nobody can be asked here", nil).Because(ErrAsk))
	}
	res, err := gate.Ask(ctx, q.call, q.examination)
	if err != nil {
		return r.refuse(ctx, q, typed(err, ErrApprovalDenied, err.Error()))
	}
	r.shared.options.Log.Info().Str("tool", q.call.Name).Str("call", q.call.ID).Msg("tool call waits for a person")
	return outcome{result: finish(res, q.call.Annotations.MaxOutput, r.shared.options.Redact), asked: true}
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

// refuse ends a call that did not run. After the end of its context it says no more
// than that: a check that was cut off has found nothing out.
func (r *ToolRegistry) refuse(ctx context.Context, q request, fail *Error) outcome {
	if err := ctx.Err(); err != nil && fail.Type != ErrInterrupted {
		fail = interrupted(false).Because(errors.Join(err, fail))
	}
	log := &r.shared.options.Log
	log.Warn().Str("tool", clip(q.call.Name, 64)).Str("call", q.call.ID).Str("type", string(fail.Type)).Msg("tool call refused")
	log.Debug().Str("call", q.call.ID).AnErr("cause", fail.Err).Str("reason", r.redacted(fail.Message)).Msg("why a tool call was refused")
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
