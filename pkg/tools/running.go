package tools

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"

	"parley/pkg/panics"
	"parley/pkg/tools/internal/callclock"
	"parley/pkg/tools/internal/isolate"
	"parley/pkg/tools/internal/output"
)

// grace is how long a call that was cancelled may take to say how it ended.
const grace = 100 * time.Millisecond

// running is one Execute with its goroutine, time and lease.
type running struct {
	calls   dispatcher
	entry   *entry
	request request
	value   Tool
	lease   *isolate.Lease
	started time.Time
	// task is set for an async tool.
	task *task
	// settled is set by the goroutine that ends or by the caller that gives up, the first of the two.
	settled atomic.Bool
}

// run lets the tool run in a goroutine of its own, so that one that ignores time and
// context cannot keep the caller.
func (d dispatcher) run(ctx context.Context, c *running) outcome {
	work, clock := c.workContext(ctx)
	defer clock.Stop()
	if c.lease != nil || c.deaf() {
		s := *scopeFrom(work)
		s.deaf = c.deaf()
		if c.lease != nil {
			s.lease = c.lease
		}
		work = s.into(work)
	}
	d.view.catalog.options.Log.Debug().Str("tool", c.entry.name).Str("call", c.request.call.ID).Msg("tool call")

	done := make(chan *ToolResult, 1)
	ended := began(ctx)
	go func() {
		defer ended()
		c.execute(work, done)
	}()
	// A tool that returns at once is not waited for.
	runtime.Gosched()
	select {
	case res := <-done:
		return c.came(ctx, res)
	default:
	}
	select {
	case res := <-done:
		return c.came(ctx, res)
	case <-clock.Done():
	}
	if clock.Over() && ctx.Err() == nil {
		timeout := c.request.call.Annotations.Timeout
		fail := TimedOut(timeout, "the call did not end within "+timeout.String()+"; it is unknown whether it took effect", nil)
		return c.giveUp(done, fail, false)
	}
	if c.task != nil {
		c.task.cancel()
	}
	return c.giveUp(done, interrupted(true).Because(context.Cause(ctx)), true)
}

// came takes the result of a call that was not given up. A call that was cancelled in
// the same moment is interrupted, unless its result is the tool's own word.
func (c *running) came(ctx context.Context, res *ToolResult) outcome {
	if ctx.Err() == nil || res == nil || says(res) {
		return c.ended(res)
	}
	return c.cutOff(interrupted(true).Because(context.Cause(ctx)), true)
}

// cutOff is the outcome of a call that ended before it could say how.
func (c *running) cutOff(fail *Error, unknown bool) outcome {
	if c.task != nil {
		c.task.abandon()
	}
	out := c.ended(fail.Result())
	out.unknown = unknown
	return out
}

// workContext is the context of Execute: it ends with the call, or with the task of an
// async tool. The clock is the call's own time.
func (c *running) workContext(ctx context.Context) (context.Context, *callclock.Clock) {
	clock := callclock.New(ctx, c.request.call.Annotations.Timeout)
	if c.request.call.Async {
		c.task = newTask(ctx, c)
		return c.task.ctx, clock
	}
	return clock, clock
}

// giveUp waits a moment for a call that was just cancelled. One that ended well
// after all keeps its result, and so does one that says itself how it was cut off.
func (c *running) giveUp(done <-chan *ToolResult, fail *Error, unknown bool) outcome {
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case res := <-done:
		if res != nil && says(res) {
			return c.ended(res)
		}
	case <-timer.C:
		c.entry.stuck.Add(1)
		if !c.settled.CompareAndSwap(false, true) {
			// It ended in the last moment.
			c.entry.stuck.Add(-1)
			return c.ended(<-done)
		}
	}
	return c.cutOff(fail, unknown)
}

// says reports whether a result is the tool's own word on a call that was cancelled.
func says(res *ToolResult) bool {
	if !res.IsError && res.Err == nil {
		return true
	}
	_, ok := errors.AsType[*Error](res.Err)
	return ok
}

// execute runs the tool and hands its result over, or drops the result of a call that
// was given up.
func (c *running) execute(ctx context.Context, done chan<- *ToolResult) {
	if !c.request.call.Annotations.ReadOnly {
		c.calls.view.catalog.changes.Add(1)
	}
	var res *ToolResult
	run := func() {
		c.inject()
		res = c.callTool(ctx)
	}
	panics.Watch(run, func(failed *panics.Error) {
		if !c.request.call.Annotations.ReadOnly {
			c.calls.view.catalog.changes.Add(1)
		}
		if failed != nil {
			res = c.crashed(failed)
		}
		c.release(res)
		if c.settled.CompareAndSwap(false, true) {
			done <- res
			return
		}
		c.entry.stuck.Add(-1)
		c.entry.log.Warn().Str("tool", c.entry.name).Str("call", c.request.call.ID).
			Dur("took", time.Since(c.started)).Msg("a late result of a tool call was dropped")
	})
}

func (c *running) callTool(ctx context.Context) *ToolResult {
	args := c.request.call.Arguments
	if t, ok := c.value.(decoder); ok && c.request.decoded != nil {
		return t.executeDecoded(ctx, c.request.decoded, args)
	}
	return c.value.Execute(ctx, args)
}

// crashed turns a panic, or a goroutine that was ended, into a result. The model does
// not see the value or the stack.
func (c *running) crashed(p *panics.Error) *ToolResult {
	c.entry.log.Error().Str("tool", c.entry.name).Str("call", c.request.call.ID).
		Str("panic", c.calls.view.catalog.redacted(fmt.Sprint(p.Value))).Bytes("stack", p.Stack).Msg("a tool panicked")
	return Fail(ErrExecutionFailed, "the tool failed in a way it should not; this has been logged", nil).
		Because(p).Result()
}

// inject gives the value the facts of this call and of no other.
func (c *running) inject() {
	q := &c.request
	if t, ok := c.value.(ContextualTool); ok {
		if c.lease.Inject(q.channel != "" || q.chat != "") {
			t.SetContext(q.channel, q.chat)
		}
	}
	if t, ok := c.value.(AsyncTool); ok {
		t.SetCallback(c.callback())
	}
}

// release gives the value back after its last use.
func (c *running) release(res *ToolResult) {
	if c.task == nil {
		c.lease.End()
		return
	}
	c.task.executed(res != nil && res.Async)
}

// ended logs and finishes a result. A call that goes on in the background although it
// may not is a failure: its end could not be reported.
func (c *running) ended(res *ToolResult) outcome {
	if res != nil && res.Async && c.task == nil {
		res = Fail(ErrExecutionFailed, "the tool says that it goes on in the background, and this call cannot: "+
			"nobody would hear of its end; it is unknown whether it takes effect", nil).Result()
	}
	options, call := &c.calls.view.catalog.options, &c.request.call
	out := outcome{
		result: finish(res, call.Annotations.MaxOutput, options.Redact),
		took:   time.Since(c.started), begun: true,
		cut: res != nil && len(res.ForLLM) > call.Annotations.MaxOutput,
	}
	log := &options.Log
	switch {
	case out.result.IsError:
		line := log.Warn().Str("tool", call.Name).Str("call", call.ID).Dur("took", out.took)
		if out.result.Err != nil {
			log.Debug().Str("call", call.ID).Str("cause", c.calls.view.catalog.redacted(out.result.Err.Error())).Msg("why a tool call failed")
			line = line.Str("cause", c.cause(out.result.Err))
		}
		line.Msg("tool call failed")
	case out.result.Async:
		log.Info().Str("tool", call.Name).Str("call", call.ID).Dur("took", out.took).Msg("tool call goes on in the background")
	default:
		log.Info().Str("tool", call.Name).Str("call", call.ID).Dur("took", out.took).Msg("tool call ended")
	}
	return out
}

// cause says why the call failed, for its line of the log.
func (c *running) cause(err error) string {
	return output.Cause(err, c.request.call.Arguments, c.calls.view.catalog.redacted)
}
