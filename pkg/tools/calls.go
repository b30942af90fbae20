package tools

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"parley/pkg/providers"
	"parley/pkg/tools/internal/output"
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

// pending makes a call of the model's words.
func (l *loop) pending(round, index int, c providers.ToolCall) pending {
	p := pending{bad: c.BadArguments, call: Call{
		Round: round, Index: index, ID: c.ID, Name: c.Name, Arguments: c.Arguments, RawArguments: c.RawArguments,
	}}
	if l.Tools == nil {
		p.refused = Fail(ErrNotFound, fmt.Sprintf("there is no tool %q", output.Clip(c.Name, 64)), nil)
	} else if e := l.Tools.catalog().picked(c.Name); e != nil {
		p.call.Annotations, p.call.Async = l.Tools.catalog().limits(e), e.async
	}
	if index >= maxCalls {
		p.refused = Fail(ErrBusy, fmt.Sprintf("only the first %d calls of one answer run; this one was not run", maxCalls), nil)
	}
	return p
}

// invalidate keeps the calls of an answer that was cut short from running, now and when
// the recorded answer is resumed.
func invalidate(resp *providers.LLMResponse) {
	var why string
	switch resp.FinishReason {
	case providers.FinishLength:
		why = "the answer reached its length limit before the call was complete; the call was not run"
	case providers.FinishContentFilter:
		why = "the answer was cut by a content filter; the call was not run"
	default:
		return
	}
	for i := range resp.ToolCalls {
		resp.ToolCalls[i].BadArguments = why
	}
}

// call runs the calls of one answer and appends their results in call order.
// A destructive or ordered call runs alone, others side by side.
func (l *loop) call(ctx context.Context, calls []pending) error {
	if len(calls) == 0 {
		return nil
	}
	work, cancel := context.WithCancel(ctx)
	defer cancel()
	g := &group{loop: l, cancel: cancel}
	for from := 0; from < len(calls) && g.err() == nil && ctx.Err() == nil; {
		to := from + 1
		for !calls[from].call.Annotations.alone() && to < len(calls) && !calls[to].call.Annotations.alone() {
			to++
		}
		g.run(work, calls[from:to])
		from = to
	}
	for i := range calls {
		p := &calls[i]
		if p.result == nil {
			p.result = interrupted(p.begun).Result()
		}
		l.append(providers.Message{
			Role: providers.RoleTool, Name: p.call.Name, ToolCallID: p.call.ID, Content: p.result.ForLLM,
		})
	}
	if err := g.err(); err != nil {
		return err
	}
	return ctx.Err()
}

// group runs calls side by side. The first error of the journal cancels the others.
type group struct {
	loop   *loop
	cancel context.CancelFunc

	mu      sync.Mutex
	failed  error
	telling sync.Mutex
}

func (g *group) err() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.failed
}

func (g *group) fail(err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.failed = errors.Join(g.failed, err)
	g.cancel()
}

func (g *group) run(ctx context.Context, calls []pending) {
	if len(calls) == 1 {
		g.one(ctx, &calls[0])
		return
	}
	var wg sync.WaitGroup
	slots := make(chan struct{}, g.loop.MaxParallel)
	for i := range calls {
		slots <- struct{}{}
		if ctx.Err() != nil {
			break
		}
		wg.Go(func() {
			defer func() { <-slots }()
			g.one(ctx, &calls[i])
		})
	}
	wg.Wait()
}

// one brings a call to its result and records it. A call that was cut off
// because the loop ends is not recorded: what became of it is for the next
// attempt to find out.
func (g *group) one(ctx context.Context, p *pending) {
	l := g.loop
	inv := InvocationFrom(ctx)
	inv.CallID = p.call.ID
	if inv.Turn != "" {
		p.call.Key = inv.Turn + "/" + strconv.Itoa(p.call.Round) + "/" + strconv.Itoa(p.call.Index)
	}
	inv.Key = p.call.Key
	s := *scopeFrom(ctx)
	s.inv, s.hooks = inv, &hooks{loop: l, round: p.call.Round, callID: p.call.ID}
	if l.Brings != nil {
		s.hooks.brings = l.Brings(p.call)
	}
	ctx = s.into(ctx)

	out := g.dispatch(ctx, p)
	if out.asked {
		l.asked.Store(true)
		l.event(Event{Kind: EventConfirmationRequired, Round: p.call.Round, CallID: p.call.ID, Tool: p.call.Name})
	}
	p.begun = out.begun
	p.result = out.result
	if out.unknown && ctx.Err() != nil {
		return
	}
	l.event(Event{
		Kind: EventToolResult, Round: p.call.Round, CallID: p.call.ID, Tool: p.call.Name,
		Text: output.Clip(out.result.ForLLM, shortResult), IsError: out.result.IsError, Duration: out.took,
	})
	if ctx.Err() != nil {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), recordTime)
		defer cancel()
	}
	if l.Journal != nil {
		if err := l.Journal.End(ctx, p.call, out.result); err != nil {
			g.fail(err)
			return
		}
	}
	if l.OnResult != nil {
		g.telling.Lock()
		defer g.telling.Unlock()
		l.OnResult(ctx, p.call, out.result)
	}
}

func (g *group) dispatch(ctx context.Context, p *pending) outcome {
	l := g.loop
	if p.refused != nil {
		out := outcome{result: p.refused.Result()}
		if l.Tools != nil {
			l.Tools.calls.record(withPlace(ctx, l.channel, l.chatID), &p.call, &out)
		}
		return out
	}
	known := l.memo.of(l.Tools.catalog(), &p.call)
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
	l.memo.keep(known, &p.call, &out)
	return out
}
