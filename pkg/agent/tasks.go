package agent

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"parley/pkg/channels"
	"parley/pkg/session"
	"parley/pkg/tools"
)

// taskDeadline is how long a background task may run.
const taskDeadline = time.Hour

// tasks owns the contexts of the background work that this process runs.
type tasks struct {
	mu     sync.Mutex
	base   context.Context //nolint:containedctx // the lifetime of all background work; set by start, ended by stop
	cancel context.CancelFunc
	ends   map[string]context.CancelFunc
	wg     sync.WaitGroup
}

func (ts *tasks) start(ctx context.Context) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	ts.base, ts.cancel = context.WithCancel(ctx)
	ts.ends = map[string]context.CancelFunc{}
}

// stop ends the contexts of all background work; its records stay open, and the
// next start tells their chats.
func (ts *tasks) stop() {
	ts.cancel()
	ts.wg.Wait()
}

// open makes a task's context: it keeps the call's invocation, and ends with
// the task, the process or the deadline, not with the turn.
func (ts *tasks) open(ctx context.Context, id string, onDeadline func(context.Context)) context.Context {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if ts.base == nil || ts.base.Err() != nil {
		dead, cancel := context.WithCancel(ctx)
		cancel()
		return dead
	}
	c, cancel := context.WithTimeout(tools.WithInvocation(ts.base, tools.InvocationFrom(ctx)), taskDeadline)
	ts.ends[id] = cancel
	context.AfterFunc(c, func() {
		if !errors.Is(c.Err(), context.DeadlineExceeded) {
			return
		}
		ts.mu.Lock()
		live := ts.base.Err() == nil
		if live {
			ts.wg.Add(1)
		}
		ts.mu.Unlock()
		if live {
			defer ts.wg.Done()
			onDeadline(context.WithoutCancel(c))
		}
	})
	return c
}

// close ends a task's context.
func (ts *tasks) close(id string) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if end := ts.ends[id]; end != nil {
		end()
		delete(ts.ends, id)
	}
}

func (r *run) taskID(call tools.Call) string {
	return r.info.ID + "/" + callKey(call.Round, call.Index)
}

func (r *run) newTask(call tools.Call) session.Task {
	now := time.Now()
	return session.Task{
		ID: r.taskID(call), Chat: r.info.Chat, Session: r.info.Session, Address: r.info.Address,
		Turn: r.info.ID, Call: call.ID, Creator: r.who.sender, Direct: r.who.direct,
		Tool: call.Name, Arguments: json.RawMessage(orEmpty(call.RawArguments)),
		State: session.TaskRunning, Started: now, Deadline: now.Add(taskDeadline),
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
func (r *run) taskContext(ctx context.Context, call tools.Call) context.Context {
	id, tool := r.taskID(call), call.Name
	return r.a.tasks.open(ctx, id, func(ctx context.Context) {
		r.a.complete(ctx, r.info.Address, id, tool, session.TaskTimedOut,
			tools.ErrorResult("the task did not end within "+taskDeadline.String()))
	})
}

// callback is what an asynchronous tool calls when its work is done.
func (r *run) callback(_ context.Context, call tools.Call) tools.AsyncCallback {
	id := r.taskID(call)
	return func(ctx context.Context, result *tools.ToolResult) {
		if result == nil {
			result = tools.NewToolResult("(no output)")
		}
		state := session.TaskDone
		if result.IsError {
			state = session.TaskFailed
		}
		r.a.complete(context.WithoutCancel(ctx), r.info.Address, id, call.Name, state, result)
		r.a.tasks.close(id)
	}
}

// completeTimeout bounds the transaction that ends a task.
const completeTimeout = 30 * time.Second

// complete ends a task: its state, what the person sees and the item that
// brings the result into the chat's loop are one transaction.
func (a *Agent) complete(ctx context.Context, to channels.Address, id, tool string, state session.TaskState, result *tools.ToolResult) {
	ctx, cancel := context.WithTimeout(ctx, completeTimeout)
	defer cancel()
	c := a.completion(to, id, tool, state, result)
	first, err := a.o.Engine.Complete(ctx, id, c)
	switch {
	case err != nil:
		a.o.Log.Error().Err(err).Str("task", id).Msg("a background task ended and its end could not be stored")
	case !first:
		a.o.Log.Warn().Str("task", id).Msg("a background task ended a second time; the first end counts")
	default:
		a.o.Log.Info().Str("task", id).Str("tool", tool).Str("state", string(state)).Msg("background task ended")
	}
}

// taskMark begins the text of every item that brings a task's result.
const taskMark = "[background task]"

func (a *Agent) completion(to channels.Address, id, tool string, state session.TaskState, result *tools.ToolResult) session.Completion {
	text := result.ForLLM
	if text == "" && result.Err != nil {
		text = result.Err.Error()
	}
	now := time.Now()
	c := session.Completion{State: state}
	told := "The person has not been told yet."
	if result.ForUser != "" && !result.Silent {
		shown := a.o.Redact(result.ForUser)
		c.Outbox = []channels.Outbound{{ID: "task/" + id + "/0", Address: to, Text: shown, Time: now}}
		told = "The person has already been shown this text: " + shown
	}
	c.Item = &session.Item{
		ID: "task/" + id, Kind: session.ItemTask, Address: to, TaskID: id, Solo: true, Time: now,
		Text: taskMark + " " + tool + " ended (" + string(state) + "). " + told +
			" Answer " + noReply + " if there is nothing to add.\nResult:\n" + a.o.Redact(cut(text, session.MaxTurnBytes/2)),
	}
	return c
}

// endQuietly ends the task of a call that turned out not to go on in the
// background: its result is the call's own.
func (a *Agent) endQuietly(ctx context.Context, id string, result *tools.ToolResult) error {
	state := session.TaskDone
	if result.IsError {
		state = session.TaskFailed
	}
	a.tasks.close(id)
	_, err := a.o.Engine.Complete(ctx, id, session.Completion{State: state})
	return err
}

// endLostTasks ends the tasks that did not survive the last process, each with
// one notice to its chat.
func (a *Agent) endLostTasks(ctx context.Context) error {
	open, err := a.o.Engine.OpenTasks(ctx)
	if err != nil {
		return err
	}
	for i := range open {
		t := &open[i]
		text := "The background task " + t.Tool + " was interrupted when the gateway stopped. It has not been run again."
		a.complete(ctx, t.Address, t.ID, t.Tool, session.TaskInterrupted,
			&tools.ToolResult{ForLLM: text, ForUser: text, IsError: true})
	}
	return nil
}
