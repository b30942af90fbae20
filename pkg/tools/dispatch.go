package tools

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"time"
)

const (
	grace    = 100 * time.Millisecond // how long a call that was cancelled may take to say how it ended
	maxStuck = 16                     // bounds the calls of one tool that were given up and have not ended
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
}

// outcome is how a call ended.
type outcome struct {
	result *ToolResult
	took   time.Duration
	// begun says that Execute was entered, or may have been.
	begun bool
	// unknown says that the call was cut off because the caller's context ended.
	unknown bool
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

// Validate checks arguments against a tool's schema, without running it. The
// error is an [*Error].
func (r *ToolRegistry) Validate(name string, args map[string]any) error {
	s := r.shared.now.Load()
	e := s.byName[name]
	if e == nil || !r.offers(e) {
		return r.unknownTool(name)
	}
	if err := e.check(); err != nil {
		return disabled(e).Because(err)
	}
	fail := e.fits(args)
	if fail == nil {
		return nil
	}
	return fail
}

func disabled(e *entry) *Error {
	return Fail(ErrDisabled, "the tool "+clip(e.name, 64)+" is disabled", nil)
}

// dispatch is the one way of a call: checks, begin, Execute, result.
func (r *ToolRegistry) dispatch(ctx context.Context, q request) outcome {
	ctx = withPlace(ctx, q.channel, q.chat)
	e, fail := r.admit(ctx, &q)
	if fail != nil {
		return r.refuse(q, fail)
	}
	value, l, fail := e.take(ctx, q.call.Annotations.Timeout)
	if fail != nil {
		return r.refuse(q, fail)
	}
	if err := ctx.Err(); err != nil {
		l.end()
		return r.refuse(q, interrupted(false).Because(err))
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

// admit makes the checks, in their fixed order, and fills in what is known of the tool.
func (r *ToolRegistry) admit(ctx context.Context, q *request) (*entry, *Error) {
	s := r.shared.now.Load()
	e := s.byName[q.call.Name]
	if e == nil {
		return nil, r.unknownTool(q.call.Name)
	}
	q.call.Annotations, q.call.Async = r.limits(e), e.async
	if err := s.whyNot(e); err != nil {
		return nil, disabled(e).Because(err)
	}
	if !r.offers(e) {
		return nil, Fail(ErrPermissionDenied, "the tool "+e.name+" may not be used here", nil)
	}
	if q.bad != "" {
		return nil, Fail(ErrInvalidArguments, "the arguments are not valid: "+clip(q.bad, maxProblemBytes), nil)
	}
	if q.call.Arguments == nil {
		q.call.Arguments = map[string]any{}
	}
	if fail := e.fits(q.call.Arguments); fail != nil {
		return nil, fail
	}
	if fail := r.authorize(ctx, q.call); fail != nil {
		return nil, fail
	}
	if e.stuck.Load() >= maxStuck {
		return nil, Fail(ErrBusy, "too many earlier calls of this tool have not ended", nil)
	}
	return e, nil
}

func (r *ToolRegistry) unknownTool(name string) *Error {
	var offered []string
	for _, e := range r.usable() {
		if offered = append(offered, e.name); len(offered) == 50 {
			break
		}
	}
	return Fail(ErrNotFound, fmt.Sprintf("there is no tool %q", clip(name, 64)), map[string]any{"tools": offered})
}

func (r *ToolRegistry) authorize(ctx context.Context, call Call) *Error {
	inv := InvocationFrom(ctx)
	if inv.Level != "" && rank(inv.Level) < rank(call.Annotations.Level) {
		return Fail(ErrPermissionDenied, fmt.Sprintf("the tool %s needs the level %s; this chat has %s",
			call.Name, call.Annotations.Level, inv.Level), nil)
	}
	a := r.shared.options.Authorizer
	if a == nil {
		return nil
	}
	_, err := protect(func() (struct{}, error) {
		return struct{}{}, a.AuthorizeTool(ctx, ToolRequest{
			Tool: call.Name, Annotations: call.Annotations, Arguments: call.Arguments, Invocation: inv,
		})
	})
	if err == nil {
		return nil
	}
	return typed(err, ErrPermissionDenied, err.Error())
}

// rank orders the levels; a word that is none of them gives no right and grants none.
func rank(l Level) int {
	switch l {
	case LevelNone:
		return 0
	case LevelChat:
		return 1
	case LevelRead:
		return 2
	case LevelWrite:
		return 3
	case LevelExec:
		return 4
	default:
		return -1
	}
}

// typed keeps an error's own type where it has one.
func typed(err error, t ErrorType, message string) *Error {
	if own, ok := errors.AsType[*Error](err); ok {
		return own
	}
	return Fail(t, message, nil).Because(err)
}

// interrupted is the result of a call that was cut off.
func interrupted(begun bool) *Error { //nolint:revive // flag-parameter: it chooses between two sentences
	if begun {
		return Fail(ErrInterrupted, "interrupted: it is unknown whether it took effect", nil)
	}
	return Fail(ErrInterrupted, "interrupted: the call was not run", nil)
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

// running is one Execute and what belongs to it.
type running struct {
	registry *ToolRegistry
	entry    *entry
	request  request
	value    Tool
	loan     *loan
	started  time.Time
	// task is set for an async tool.
	task *task
	// settled is taken by whoever is first: the goroutine that ends or the caller that gives up.
	settled atomic.Bool
}

// run lets the tool run in a goroutine of its own, so that one that heeds
// neither its time nor its context cannot keep the caller.
func (r *ToolRegistry) run(ctx context.Context, c *running) outcome {
	work, stop := c.workContext(ctx)
	defer stop()
	if c.loan != nil {
		work = (&scope{inv: InvocationFrom(ctx), held: c.loan}).into(work)
	}
	r.shared.options.Log.Debug().Str("tool", c.entry.name).Str("call", c.request.call.ID).Msg("tool call")

	done := make(chan *ToolResult, 1)
	go c.execute(work, done)
	// A tool that returns at once needs no timer.
	runtime.Gosched()
	select {
	case res := <-done:
		return c.ended(res)
	default:
	}
	timeout := c.request.call.Annotations.Timeout
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	select {
	case res := <-done:
		return c.ended(res)
	case <-timer.C:
		fail := Fail(ErrTimeout, "the call did not end within "+timeout.String()+"; it is unknown whether it took effect", nil)
		stop()
		return c.giveUp(done, fail, false)
	case <-ctx.Done():
		if c.task != nil {
			c.task.cancel()
		}
		return c.giveUp(done, interrupted(true).Because(context.Cause(ctx)), true)
	}
}

// workContext is what Execute gets: it ends with the call, or with the task of an async tool.
func (c *running) workContext(ctx context.Context) (context.Context, context.CancelFunc) {
	if c.entry.async {
		c.task = newTask(ctx, c)
		return c.task.ctx, func() {}
	}
	return context.WithDeadline(ctx, c.started.Add(c.request.call.Annotations.Timeout))
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
	if c.task != nil {
		c.task.abandon()
	}
	out := c.ended(fail.Result())
	out.unknown = unknown
	return out
}

// says reports whether a result is the tool's own word on a call that was cancelled.
func says(res *ToolResult) bool {
	if !res.IsError && res.Err == nil {
		return true
	}
	_, ok := errors.AsType[*Error](res.Err)
	return ok
}

// execute runs the tool and hands its result over, or drops it when nobody waits any more.
func (c *running) execute(ctx context.Context, done chan<- *ToolResult) {
	var res *ToolResult
	returned := false
	defer func() {
		if !returned {
			res = c.crashed(recover())
		}
		c.release(res)
		if c.settled.CompareAndSwap(false, true) {
			done <- res
			return
		}
		c.entry.stuck.Add(-1)
		c.entry.log.Warn().Str("tool", c.entry.name).Str("call", c.request.call.ID).
			Dur("took", time.Since(c.started)).Msg("a late result of a tool call was dropped")
	}()
	c.inject()
	res = c.value.Execute(ctx, c.request.call.Arguments)
	returned = true
}

// crashed turns a panic, or a goroutine that was ended, into a result. The
// model sees neither the value nor the stack.
func (c *running) crashed(p any) *ToolResult {
	c.entry.log.Error().Str("tool", c.entry.name).Str("call", c.request.call.ID).
		Str("panic", c.registry.redacted(fmt.Sprint(p))).Bytes("stack", debug.Stack()).Msg("a tool panicked")
	return Fail(ErrExecutionFailed, "the tool failed in a way it should not; this has been logged", nil).
		Because(fmt.Errorf("panic: %v", p)).Result()
}

// inject gives the value the facts of this call and of no other.
func (c *running) inject() {
	q := &c.request
	if t, ok := c.value.(ContextualTool); ok {
		given := q.channel != "" || q.chat != ""
		// A lent value still holds what an earlier call left in it.
		if given || c.loan != nil && c.loan.hold.injected {
			t.SetContext(q.channel, q.chat)
		}
		if c.loan != nil {
			c.loan.hold.injected = given
		}
	}
	if t, ok := c.value.(AsyncTool); ok {
		t.SetCallback(c.task.callback())
	}
}

// release gives the value back when nothing uses it any more.
func (c *running) release(res *ToolResult) {
	if c.task == nil {
		c.loan.end()
		return
	}
	c.task.returned(res != nil && res.Async)
}

// ended logs and finishes a result.
func (c *running) ended(res *ToolResult) outcome {
	r, call := c.registry, &c.request.call
	out := outcome{
		result: finish(res, call.Annotations.MaxOutput, r.shared.options.Redact),
		took:   time.Since(c.started), begun: true,
	}
	log := &r.shared.options.Log
	switch {
	case out.result.IsError:
		log.Warn().Str("tool", call.Name).Str("call", call.ID).Dur("took", out.took).Msg("tool call failed")
		if out.result.Err != nil {
			log.Debug().Str("call", call.ID).Str("cause", r.redacted(out.result.Err.Error())).Msg("why a tool call failed")
		}
	case out.result.Async:
		log.Info().Str("tool", call.Name).Str("call", call.ID).Dur("took", out.took).Msg("tool call goes on in the background")
	default:
		log.Info().Str("tool", call.Name).Str("call", call.ID).Dur("took", out.took).Msg("tool call ended")
	}
	return out
}
