package tools

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"parley/pkg/panics"
	"parley/pkg/tools/internal/callclock"
)

// defaultBackground bounds background work of a tool that sets no limit.
const defaultBackground = time.Hour

// task is the background side of one call of an async tool.
type task struct {
	run      *running
	ctx      context.Context      //nolint:containedctx // the task's life is the context's
	own      callclock.Background // ctx, unless the caller supplied one
	stop     context.CancelFunc   // ends the ctx that the caller supplied
	deadline time.Time
	tell     AsyncCallback

	mu       sync.Mutex
	called   bool
	returned bool // Execute has
	timer    *time.Timer
}

// newTask makes the context that the work gets: it keeps the invocation and
// does not end with the turn.
func newTask(ctx context.Context, c *running) *task {
	q := &c.request
	t := &task{run: c, tell: q.callback}
	if q.makeCallback != nil {
		t.tell = q.makeCallback(ctx, q.call)
	}
	t.deadline = c.started.Add(q.call.Annotations.BackgroundLimit)
	if q.makeTaskContext == nil {
		t.own.Start(context.WithoutCancel(ctx), t.deadline)
		t.ctx = &t.own
		return t
	}
	s := *scopeFrom(ctx)
	s.hooks = s.hooks.detach(q)
	base := s.into(q.makeTaskContext(ctx, q.call))
	if d, ok := base.Deadline(); ok {
		t.deadline = d
	}
	t.ctx, t.stop = context.WithDeadline(base, t.deadline)
	// The work outlasts the turn, and must not keep its parts in memory.
	q.makeCallback, q.makeTaskContext, q.makeProgress, q.begin, q.memo = nil, nil, nil, nil, nil
	return t
}

// cancel ends the work's context.
func (t *task) cancel() {
	if t.stop != nil {
		t.stop()
		return
	}
	t.own.Cancel()
}

// callback is the callback for the tool, and not nil: where the end cannot be reported,
// it drops the result.
func (c *running) callback() AsyncCallback {
	if c.task == nil {
		return func(context.Context, *ToolResult) { c.unheard() }
	}
	return c.task.ended
}

// deaf says whether the end of work in the background could not be reported.
func (c *running) deaf() bool {
	return c.entry.async && (c.task == nil || c.task.tell == nil)
}

// unheard logs that a callback was dropped.
func (c *running) unheard() {
	c.entry.log.Warn().Str("tool", c.entry.name).Str("call", c.request.call.ID).
		Msg("a callback was dropped: nobody can be told here of the end of background work")
}

// ended passes on the first call of the callback, if it comes in time.
func (t *task) ended(ctx context.Context, res *ToolResult) {
	t.mu.Lock()
	first := !t.called
	t.called = true
	t.mu.Unlock()
	c := t.run
	log := c.entry.log
	switch {
	case !first:
		log.Debug().Str("tool", c.entry.name).Str("call", c.request.call.ID).Msg("a second callback of background work counts as none")
		return
	case time.Now().After(t.deadline):
		log.Warn().Str("tool", c.entry.name).Str("call", c.request.call.ID).
			Dur("took", time.Since(c.started)).Msg("a callback came after its deadline and was dropped")
	default:
		if p := panics.Catch(func() { t.pass(ctx, res) }); p != nil {
			log.Error().Str("tool", c.entry.name).Str("call", c.request.call.ID).
				Str("panic", c.calls.view.catalog.redacted(fmt.Sprint(p.Value))).Bytes("stack", p.Stack).Msg("a callback panicked")
		}
	}
	t.settle()
}

func (t *task) pass(ctx context.Context, res *ToolResult) { //nolint:contextcheck // a tool that gives no context gets the task's
	c := t.run
	if ctx == nil {
		ctx = t.ctx
	}
	out := finish(res, c.request.call.Annotations.MaxOutput, c.calls.view.catalog.options.Redact)
	if p, ok := errors.AsType[*panics.Error](out.Err); ok {
		c.entry.log.Error().Str("tool", c.entry.name).Str("call", c.request.call.ID).
			Str("panic", c.calls.view.catalog.redacted(p.Error())).Bytes("stack", p.Stack).Msg("background work panicked")
	}
	c.calls.view.catalog.changes.Add(1)
	c.calls.recordBackground(t.ctx, c, out)
	line := c.entry.log.Info()
	if out.IsError {
		line = c.entry.log.Warn()
		if out.Err != nil {
			line = line.Str("cause", c.cause(out.Err))
		}
	}
	if line.Enabled() { // a look at the clock costs more than the rest
		line.Str("tool", c.entry.name).Str("call", c.request.call.ID).Bool("failed", out.IsError).
			Dur("took", time.Since(c.started)).Msg("background work ended")
	}
	if t.tell == nil {
		c.unheard()
		return
	}
	t.tell(ctx, out)
}

// executed records that Execute has ended. Without work in the background the task is
// over; a leased value of such work is given back at the deadline at the latest.
func (t *task) executed(goesOn bool) {
	t.mu.Lock()
	t.returned = true
	over := t.called || !goesOn
	if !over && t.run.lease != nil {
		t.timer = time.AfterFunc(time.Until(t.deadline), t.run.lease.End)
	}
	t.mu.Unlock()
	if over {
		t.settle()
	}
}

// abandon drops a later callback of the work.
func (t *task) abandon() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.called = true
}

// settle ends the task's context and gives a leased value back, once the work and
// Execute are both over.
func (t *task) settle() {
	t.mu.Lock()
	returned, timer := t.returned, t.timer
	t.mu.Unlock()
	if !returned {
		return
	}
	if timer != nil {
		timer.Stop()
	}
	t.cancel()
	t.run.lease.End()
}
