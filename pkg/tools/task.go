package tools

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"
)

// defaultBackground is how long background work may go on whose tool does not say.
const defaultBackground = time.Hour

// task is the background side of one call of an async tool.
type task struct {
	run      *running
	ctx      context.Context    //nolint:containedctx // the task's life is the context's
	own      background         // ctx, where nobody supplied one
	stop     context.CancelFunc // ends ctx, where somebody did
	deadline time.Time
	tell     AsyncCallback

	mu     sync.Mutex
	called bool
	left   bool // Execute has returned
	timer  *time.Timer
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
		t.own = background{values: context.WithoutCancel(ctx), deadline: t.deadline}
		t.ctx = &t.own
		return t
	}
	s := *scopeFrom(ctx)
	s.hooks = s.hooks.detached(q)
	base := s.into(q.makeTaskContext(ctx, q.call))
	if d, ok := base.Deadline(); ok {
		t.deadline = d
	}
	t.ctx, t.stop = context.WithDeadline(base, t.deadline)
	// The work outlasts the turn, and keeps nothing of it.
	q.makeCallback, q.makeTaskContext, q.makeProgress, q.begin, q.memo = nil, nil, nil, nil, nil
	return t
}

// cancel ends the work's context.
func (t *task) cancel() {
	if t.stop != nil {
		t.stop()
		return
	}
	t.own.cancel()
}

// callback is what the tool gets, never nil: where nobody can be told, or nothing goes
// on, it drops what it gets.
func (c *running) callback() AsyncCallback {
	if c.task == nil {
		return func(context.Context, *ToolResult) { c.unheard() }
	}
	return c.task.ended
}

// deaf says whether nobody would hear of the end of work in the background.
func (c *running) deaf() bool {
	return c.entry.async && (c.task == nil || c.task.tell == nil)
}

// unheard says in the log that a callback had nobody to tell.
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
		t.pass(ctx, res)
	}
	t.settle()
}

func (t *task) pass(ctx context.Context, res *ToolResult) { //nolint:contextcheck // a tool that gives no context gets the task's
	c := t.run
	defer func() {
		if p := recover(); p != nil {
			c.entry.log.Error().Str("tool", c.entry.name).Str("call", c.request.call.ID).
				Str("panic", c.registry.redacted(fmt.Sprint(p))).Bytes("stack", debug.Stack()).Msg("a callback panicked")
		}
	}()
	if ctx == nil {
		ctx = t.ctx
	}
	out := finish(res, c.request.call.Annotations.MaxOutput, c.registry.shared.options.Redact)
	if p, ok := errors.AsType[*panicError](out.Err); ok {
		c.entry.log.Error().Str("tool", c.entry.name).Str("call", c.request.call.ID).
			Str("panic", c.registry.redacted(p.Error())).Bytes("stack", p.stack).Msg("background work panicked")
	}
	c.registry.shared.changes.Add(1)
	c.registry.noteBackground(t.ctx, c, out)
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

// returned notes that Execute has ended. Without work in the background all is
// over; a lent value whose work goes on is given back at the deadline at the latest.
func (t *task) returned(goesOn bool) {
	t.mu.Lock()
	t.left = true
	over := t.called || !goesOn
	if !over && t.run.loan != nil {
		t.timer = time.AfterFunc(time.Until(t.deadline), t.run.loan.end)
	}
	t.mu.Unlock()
	if over {
		t.settle()
	}
}

// abandon drops whatever the work still says.
func (t *task) abandon() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.called = true
}

// settle ends the task's context and gives a lent value back, once the work
// and Execute are both over.
func (t *task) settle() {
	t.mu.Lock()
	left, timer := t.left, t.timer
	t.mu.Unlock()
	if !left {
		return
	}
	if timer != nil {
		timer.Stop()
	}
	t.cancel()
	t.run.loan.end()
}
