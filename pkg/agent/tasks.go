package agent

import (
	"context"
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
