package tools

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"parley/pkg/providers"
	"parley/pkg/text"
	"parley/pkg/tools/internal/batch"
	"parley/pkg/tools/internal/memory"
)

const (
	recordTime  = 5 * time.Second // bounds the recording of a result after the loop's context has ended
	shortResult = 200             // how much of a result an event shows
)

// pending is a call that has yet to get its result.
type pending struct {
	call Call
	// bad says why the arguments could not be decoded.
	bad string
	// refused is set for a call that must not run.
	refused *Error
	result  *ToolResult
	begun   bool
}

// pending reads a call of the model's answer.
func (l *loop) pending(round, index int, c providers.ToolCall) pending {
	p := pending{bad: c.BadArguments, call: Call{
		Round: round, Index: index, ID: c.ID, Name: c.Name, Arguments: c.Arguments, RawArguments: c.RawArguments,
	}}
	if l.callers(c.Name) {
		p.refused = Fail(ErrInvalidArguments, c.BadArguments, nil)
	} else if l.Tools == nil {
		p.refused = Fail(ErrNotFound, fmt.Sprintf("there is no tool %q", text.ClipBytes(c.Name, 64)), nil)
	} else if e := l.Tools.catalog().picked(c.Name, l.Model); e != nil {
		p.call.Annotations, p.call.Async = l.Tools.catalog().limits(e), e.async
	}
	if index >= maxCalls {
		p.refused = Fail(ErrBusy, fmt.Sprintf("only the first %d calls of one answer run; this one was not run", maxCalls), nil)
	}
	return p
}

// call runs the calls of one answer and appends their results in call order.
// A destructive or ordered call runs alone, others side by side.
func (l *loop) call(ctx context.Context, calls []pending) error {
	if len(calls) == 0 {
		return nil
	}
	err := batch.Batch{
		Count: len(calls), Parallel: l.MaxParallel,
		Alone: func(i int) bool { return calls[i].call.Annotations.alone() },
		Run:   func(ctx context.Context, i int) error { return l.one(ctx, &calls[i]) },
	}.Do(ctx)
	for i := range calls {
		p := &calls[i]
		if p.result == nil {
			p.result = interrupted(p.begun).Result()
		}
		l.append(providers.Message{
			Role: providers.RoleTool, Name: p.call.Name, ToolCallID: p.call.ID, Content: p.result.ForLLM,
		})
	}
	if err != nil {
		return err
	}
	return ctx.Err()
}

// one brings a call to its result and records it. A call that was cut off because the
// loop ends is not recorded: the next attempt decides on it. The error is the journal's.
func (l *loop) one(ctx context.Context, p *pending) error {
	inv := InvocationFrom(ctx)
	inv.CallID = p.call.ID
	if inv.Turn != "" {
		p.call.Key = inv.Turn + "/" + strconv.Itoa(p.call.Round) + "/" + strconv.Itoa(p.call.Index)
	}
	inv.Key = p.call.Key
	s := *scopeFrom(ctx)
	s.inv, s.hooks = inv, &hooks{loop: l, model: l.Model, round: p.call.Round, callID: p.call.ID}
	if l.Brings != nil {
		s.hooks.brings = l.Brings(p.call)
	}
	ctx = s.into(ctx)

	out := l.dispatch(ctx, p)
	if out.asked {
		l.asked.Store(true)
		l.event(Event{Kind: EventConfirmationRequired, Round: p.call.Round, CallID: p.call.ID, Tool: p.call.Name})
	}
	p.begun = out.begun
	p.result = out.result
	if out.unknown && ctx.Err() != nil {
		return nil
	}
	l.event(Event{
		Kind: EventToolResult, Round: p.call.Round, CallID: p.call.ID, Tool: p.call.Name,
		Text: text.ClipBytes(out.result.ForLLM, shortResult), Result: out.result.ForLLM, IsError: out.result.IsError,
		Truncated: out.cut, Duration: out.took,
	})
	if ctx.Err() != nil {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), recordTime)
		defer cancel()
	}
	if l.Journal != nil {
		if err := l.Journal.End(ctx, p.call, out.result); err != nil {
			return err
		}
	}
	if l.OnResult != nil {
		l.telling.Lock()
		defer l.telling.Unlock()
		l.OnResult(ctx, p.call, out.result)
	}
	return nil
}

func (l *loop) dispatch(ctx context.Context, p *pending) outcome {
	if p.refused != nil {
		out := outcome{result: p.refused.Result()}
		if l.Tools != nil {
			l.Tools.calls.record(withPlace(ctx, l.channel, l.chatID), &p.call, &out)
		}
		return out
	}
	known := l.memoOf(&p.call)
	out := l.Tools.calls.dispatch(ctx, request{
		memo: known, call: p.call, bad: p.bad, channel: l.channel, chat: l.chatID,
		makeCallback: l.Callbacks, makeTaskContext: l.TaskContext, makeProgress: l.Progress, own: true,
		begin: func(ctx context.Context, call Call) error {
			p.call.Async = call.Async
			if l.Journal != nil {
				if err := l.Journal.Begin(ctx, call); err != nil {
					return err
				}
			}
			l.event(Event{
				Kind: EventExecuting, Round: call.Round, CallID: call.ID, Tool: call.Name, Arguments: call.RawArguments,
			})
			return nil
		},
	})
	l.remember(known, &p.call, &out)
	return out
}

// memoOf says how a call of this loop uses its memory; nil for a call that does not.
func (l *loop) memoOf(call *Call) *memory.Call {
	a := call.Annotations
	if !a.ReadOnly || a.OpenWorld || a.Volatile || call.Async {
		return nil
	}
	return l.memo.Of(call.Name, call.Arguments, l.Tools.catalog().changes.Load())
}

// remember keeps the result of a call. It leaves out failures, which are tried again,
// results for the person, which are shown again, and results that were cut to their
// bound, which have no room for the line before them.
func (l *loop) remember(c *memory.Call, call *Call, out *outcome) {
	res, limit := out.result, call.Annotations.MaxOutput
	switch {
	case res.Async && !call.Annotations.ReadOnly:
		l.memo.SwitchOff()
	case c == nil || !out.begun || out.unknown || res.IsError || res.Async || res.ForUser != "":
	case limit > 0 && len(res.ForLLM)+len(memory.Line) > limit:
	default:
		c.Keep(res.ForLLM)
	}
}
