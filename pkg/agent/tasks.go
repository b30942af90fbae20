package agent

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"parley/pkg/agent/progress"
	"parley/pkg/session"
	"parley/pkg/tools"
)

// errTaskOver is the cause that ends the context of a task that has ended, whether by
// itself or because somebody cancelled it.
var errTaskOver = errors.New("the task is over")

// tasks owns the contexts of the background work that this process runs.
type tasks struct {
	mu   sync.Mutex
	base context.Context //nolint:containedctx // the lifetime of all background work; set by start, ended by stop
	end  context.CancelCauseFunc
	open map[string]*work
	wg   sync.WaitGroup
}

// work is one task that this process runs.
type work struct {
	task session.Task    // without its arguments
	ctx  context.Context //nolint:containedctx // the work's life
	end  context.CancelCauseFunc
	// away says that the call has returned: what the work tells may be shown.
	away   bool
	status *progress.TaskStatus // nil until something was told
}

func (ts *tasks) start(ctx context.Context) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	ts.base, ts.end = context.WithCancelCause(ctx)
	ts.open = map[string]*work{}
}

// stop ends the contexts of all background work; its records stay open, and the
// next start tells their chats, or goes on with what can.
func (ts *tasks) stop() {
	ts.mu.Lock()
	ts.end(errStopping) // under the lock: nothing begins to be told after this
	ts.mu.Unlock()
	ts.wg.Wait()
}

// begin lets f run in a goroutine that stop waits for, unless all work is to end.
func (ts *tasks) begin(f func()) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if ts.base != nil && ts.base.Err() == nil {
		ts.wg.Go(f)
	}
}

// arm makes the context of a task: it keeps the invocation, and ends with the task,
// with the process, or at the deadline of the task's record; then the chat is told.
// It is called when a task begins, and at the start for one that goes on: the deadline
// is absolute.
func (a *Agent) arm(ctx context.Context, inv tools.Invocation, t session.Task) context.Context {
	ts := &a.tasks
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if ts.base == nil || ts.base.Err() != nil {
		dead, end := context.WithCancelCause(tools.WithInvocation(ctx, inv))
		end(errStopping)
		return dead
	}
	t.Arguments = nil
	limited, stop := context.WithDeadline(tools.WithInvocation(ts.base, inv), t.Deadline)
	c, end := context.WithCancelCause(limited)
	ts.open[t.ID] = &work{task: t, ctx: c, end: func(cause error) { end(cause); stop() }}
	context.AfterFunc(c, func() {
		if errors.Is(c.Err(), context.DeadlineExceeded) {
			ts.begin(func() { a.expire(context.WithoutCancel(c), t) })
		}
	})
	return c
}

// expire ends a task whose time is over.
func (a *Agent) expire(ctx context.Context, t session.Task) {
	text := tooLong(&t)
	a.complete(ctx, t.ID, session.TaskTimedOut, &tools.ToolResult{ForLLM: text, ForUser: text, IsError: true})
}

// work is the context of a task that this process runs; false for none. Its cause is
// errTaskOver when the task has ended, errStopping when the process stops.
func (ts *tasks) work(id string) (context.Context, bool) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if w := ts.open[id]; w != nil {
		return w.ctx, true
	}
	return nil, false
}

// goesOn notes that the call of a task has returned and the work has not.
func (ts *tasks) goesOn(id string) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if w := ts.open[id]; w != nil {
		w.away = true
	}
}

// cutOff says whether a task's context has ended so that its result is nobody's: at
// its deadline, whose end is told, or, for a failure, because the process stops.
func (ts *tasks) cutOff(id string, failed bool) bool {
	ctx, ok := ts.work(id)
	if !ok {
		return false
	}
	// The work's own context may have ended a moment before this one.
	deadline, _ := ctx.Deadline()
	return !time.Now().Before(deadline) || failed && errors.Is(context.Cause(ctx), errStopping)
}

// pause waits; false means that all background work is to end.
func (ts *tasks) pause() bool {
	ts.mu.Lock()
	base := ts.base
	ts.mu.Unlock()
	if base == nil {
		return false
	}
	t := time.NewTimer(retryPause)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-base.Done():
		return false
	}
}

// close ends the context of a task that is over, and so whatever works for it.
func (ts *tasks) close(id string) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if w := ts.open[id]; w != nil {
		w.end(errTaskOver)
		delete(ts.open, id)
	}
}

// callTasks makes the tasks of a turn's calls.
type callTasks struct{ r *run }

// taskID is the id of the task of a call.
func (c callTasks) taskID(call tools.Call) string {
	r := c.r
	return session.CallID(r.info.ID, session.CallKey(call.Round, call.Index))
}

func (c callTasks) newTask(call tools.Call) session.Task {
	r := c.r
	now := time.Now()
	return session.Task{
		ID: c.taskID(call), Chat: r.chat, Session: r.session, Address: r.home,
		Turn: r.info.ID, Call: call.ID, Creator: r.principal.Sender, Direct: r.principal.Direct, Level: string(r.principal.Level),
		Tool: call.Name, Arguments: json.RawMessage(orEmpty(call.RawArguments)),
		Tainted: r.provenance.Tainted() || r.provenance.FromOutside(call.ID, call.Annotations),
		State:   session.TaskRunning, Started: now, Deadline: now.Add(call.Annotations.BackgroundLimit),
	}
}

// orEmpty gives JSON for arguments that a model may have left out.
func orEmpty(raw string) string {
	if !json.Valid([]byte(raw)) {
		return "{}"
	}
	return raw
}

// taskContext is the context that an asynchronous tool works in.
func (c callTasks) taskContext(ctx context.Context, call tools.Call) context.Context {
	r := c.r
	t, begun := r.tasks.get(c.taskID(call))
	if !begun { // its begin was not recorded, and nothing may outlast the turn
		return ctx
	}
	return r.a.arm(ctx, tools.InvocationFrom(ctx), t)
}

// progress is what the work of an asynchronous tool tells how far it is.
func (c callTasks) progress(call tools.Call) func(string) {
	r := c.r
	a, id := r.a, c.taskID(call) // and nothing of the turn
	return func(line string) { a.showProgress(id, line) }
}

// brings is what notes that a call brings in content from outside, in its turn and, where
// the work outlasts that, in its task.
func (c callTasks) brings(call tools.Call) func() {
	r := c.r
	a, id, t := r.a, c.taskID(call), r.provenance // and nothing else of the turn
	return func() {
		t.Brings(call.ID)
		a.tasks.taint(id)
	}
}

// taint notes that the result of a task brings in content from outside.
func (ts *tasks) taint(id string) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if w := ts.open[id]; w != nil {
		w.task.Tainted = true
	}
}

// tainted says whether the result of a task does.
func (ts *tasks) tainted(id string) bool {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	w := ts.open[id]
	return w != nil && w.task.Tainted
}

// callback is what an asynchronous tool calls when its work is done.
func (c callTasks) callback(_ context.Context, call tools.Call) tools.AsyncCallback {
	r := c.r
	a, id := r.a, c.taskID(call) // and nothing of the turn
	return func(ctx context.Context, result *tools.ToolResult) {
		if result == nil {
			result = tools.NewToolResult("(no output)")
		}
		if a.tasks.cutOff(id, result.IsError) { //nolint:contextcheck // it looks at the context of the task
			return
		}
		state := session.TaskDone
		if result.IsError {
			state = session.TaskFailed
		}
		a.complete(context.WithoutCancel(ctx), id, state, result)
	}
}

// endQuietly ends the task of a call that turned out not to go on in the
// background: its result is the call's own.
func (a *Agent) endQuietly(ctx context.Context, id string, result *tools.ToolResult) error {
	state := session.TaskDone
	if result.IsError {
		state = session.TaskFailed
	}
	a.tasks.close(id)
	_, err := a.o.Engine.Tasks().Complete(ctx, id, session.Completion{State: state})
	return err
}

// dropTasks ends the tasks whose call was cut off, so that nothing is told of
// them after the turn has said how it ended.
func (r *run) dropTasks(ctx context.Context) error {
	for _, id := range r.tasks.takeAll() {
		r.a.tasks.close(id)
		if _, err := r.a.o.Engine.Tasks().Complete(ctx, id, session.Completion{State: session.TaskCancelled}); err != nil && !errors.Is(err, session.ErrNotFound) {
			return err
		}
	}
	return nil
}
