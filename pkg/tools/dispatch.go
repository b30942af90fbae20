package tools

import (
	"context"
	"errors"
	"time"

	"parley/pkg/text"
	"parley/pkg/tools/internal/memory"
)

// dispatcher brings calls of the tools of a view to their results.
type dispatcher struct{ view view }

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
	// decoded are the arguments of a typed tool, once they were checked.
	decoded any
	// examination is the effect of the call, once it was admitted.
	examination Examination
	memo        *memory.Call
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
	// memory says that it was answered from memory, cut that its result was too long.
	memory, cut bool
}

func (d dispatcher) execute(
	ctx context.Context, name string, args map[string]any, channel, chatID string, callback AsyncCallback,
) *ToolResult {
	return d.dispatch(ctx, request{
		call:    Call{Name: name, ID: InvocationFrom(ctx).CallID, Arguments: args},
		channel: channel, chat: chatID, callback: callback,
	}).result
}

// dispatch takes every call the same way: checks, memory, begin, Execute, result.
func (d dispatcher) dispatch(ctx context.Context, q request) (out outcome) {
	defer func() { d.record(ctx, &q.call, &out) }()
	ctx, fail := d.descend(withPlace(ctx, q.channel, q.chat), &q)
	if fail != nil {
		return d.refuse(ctx, q, fail)
	}
	e, fail := d.admit(ctx, &q)
	if fail != nil {
		if errors.Is(fail, ErrAsk) {
			return d.ask(ctx, q)
		}
		return d.refuse(ctx, q, fail)
	}
	if past, ok := q.memo.Recall(); ok {
		return outcome{result: NewToolResult(past), memory: true}
	}
	ctx = d.equip(ctx, &q)
	value, lease, fail := e.take(ctx, q.call.Annotations.Timeout)
	if fail != nil {
		return d.refuse(ctx, q, fail)
	}
	if ctx.Err() != nil {
		lease.End()
		return d.refuse(ctx, q, interrupted(false).Because(ctx.Err()))
	}
	harms := q.examination.Destructive || q.call.Annotations.Destructive || q.call.Annotations.Executes
	if fail := d.begins(ctx, q.call, harms); fail != nil {
		lease.End()
		return d.refuse(ctx, q, fail)
	}
	if q.begin != nil {
		if err := q.begin(ctx, q.call); err != nil {
			lease.End()
			return d.refuse(ctx, q, typed(err, ErrExecutionFailed, "the call could not be recorded and was not run"))
		}
	}
	return d.run(ctx, &running{calls: d, entry: e, request: q, value: value, lease: lease, started: time.Now()})
}

// ask asks the person about a call that has to be allowed first.
func (d dispatcher) ask(ctx context.Context, q request) outcome {
	gate := scopeFrom(ctx).gate()
	if q.nested || gate == nil {
		return d.refuse(ctx, q, Fail(ErrApprovalDenied, "a person has to allow this call, and nobody can be asked here", nil).Because(ErrAsk))
	}
	res, err := gate.Ask(ctx, q.call, q.examination)
	if err != nil {
		return d.refuse(ctx, q, typed(err, ErrApprovalDenied, err.Error()))
	}
	d.view.catalog.options.Log.Info().Str("tool", q.call.Name).Str("call", q.call.ID).Msg("tool call waits for a person")
	return outcome{result: finish(res, q.call.Annotations.MaxOutput, d.view.catalog.options.Redact), asked: true}
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

// refuse ends a call that did not run. After the end of its context the call is
// interrupted: the failure of a check that was cut off means no more than that.
func (d dispatcher) refuse(ctx context.Context, q request, fail *Error) outcome {
	if err := ctx.Err(); err != nil && fail.Type != ErrInterrupted {
		fail = interrupted(false).Because(errors.Join(err, fail))
	}
	log := &d.view.catalog.options.Log
	log.Warn().Str("tool", text.ClipBytes(q.call.Name, 64)).Str("call", q.call.ID).Str("type", string(fail.Type)).Msg("tool call refused")
	log.Debug().Str("call", q.call.ID).AnErr("cause", fail.Err).
		Str("reason", d.view.catalog.redacted(fail.Message)).Msg("why a tool call was refused")
	limit := q.call.Annotations.MaxOutput
	if limit == 0 {
		limit = d.view.catalog.options.MaxOutput
	}
	return outcome{
		result:  finish(fail.Result(), limit, d.view.catalog.options.Redact),
		unknown: fail.Type == ErrInterrupted,
	}
}

// brokenTool is the tool of [Broken].
type brokenTool struct {
	name   string
	reason error
}

// Broken stands for a tool that cannot be offered: it is listed, disabled, and
// [ToolRegistry.Reason] says why.
func Broken(name string, reason error) Tool { return brokenTool{name: name, reason: reason} }

func (t brokenTool) Name() string             { return t.name }
func (brokenTool) Description() string        { return "" }
func (brokenTool) Parameters() map[string]any { return nil }
func (t brokenTool) problem() error           { return t.reason }

func (t brokenTool) Execute(context.Context, map[string]any) *ToolResult {
	return Fail(ErrDisabled, "the tool "+text.ClipBytes(t.name, 64)+" is disabled", nil).Because(t.reason).Result()
}
