package agent

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
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
	ts.mu.Lock()
	ts.cancel() // under the lock: no deadline begins to be told after this
	ts.mu.Unlock()
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

// pause waits; false means that all background work is to end.
func (ts *tasks) pause(d time.Duration) bool {
	ts.mu.Lock()
	base := ts.base
	ts.mu.Unlock()
	if base == nil {
		return false
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-base.Done():
		return false
	}
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
		ID: r.taskID(call), Chat: r.chat, Session: r.session, Address: r.home,
		Turn: r.info.ID, Call: call.ID, Creator: r.who.sender, Direct: r.who.direct, Level: string(r.who.level),
		Tool: call.Name, Arguments: json.RawMessage(orEmpty(call.RawArguments)),
		Tainted: r.taint.is() || r.taint.fromOutside(call.ID, call.Annotations),
		State:   session.TaskRunning, Started: now, Deadline: now.Add(taskDeadline),
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
		text := "The background task " + tool + " did not end within an hour and was given up."
		r.a.complete(ctx, r.home, id, tool, session.TaskTimedOut,
			&tools.ToolResult{ForLLM: text, ForUser: text, IsError: true})
		r.a.tasks.close(id)
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
		r.a.complete(context.WithoutCancel(ctx), r.home, id, call.Name, state, result)
		r.a.tasks.close(id)
	}
}

const (
	// What bounds the transaction that ends a task.
	completeTimeout = 30 * time.Second
	// The time between two attempts while the store cannot write.
	completePause = 5 * time.Second
)

// complete ends a task: its state, what the person sees and the item that
// brings the result into the chat's loop are one transaction. While the store
// cannot be written it is tried again until the process ends; the next start
// then tells of the task.
func (a *Agent) complete(ctx context.Context, to channels.Address, id, tool string, state session.TaskState, result *tools.ToolResult) {
	c := a.completion(to, id, tool, state, result)
	for {
		err := a.completeOnce(ctx, id, tool, c)
		if !errors.Is(err, session.ErrStore) || !a.tasks.pause(completePause) {
			return
		}
	}
}

func (a *Agent) completeOnce(ctx context.Context, id, tool string, c session.Completion) error {
	ctx, cancel := context.WithTimeout(ctx, completeTimeout)
	defer cancel()
	first, err := a.o.Engine.Complete(ctx, id, c)
	switch {
	case err != nil:
		a.o.Log.Error().Err(err).Str("task", id).Msg("a background task ended and its end could not be stored")
	case !first:
		a.o.Log.Warn().Str("task", id).Msg("a background task ended a second time; the first end counts")
	default:
		a.o.Log.Info().Str("task", id).Str("tool", tool).Str("state", string(c.State)).Msg("background task ended")
	}
	return err
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

// noteTask remembers the tasks whose call has begun and not ended.
func (r *run) noteTask(id string, begun bool) { //nolint:revive // flag-parameter: it is what is noted
	r.mu.Lock()
	defer r.mu.Unlock()
	if begun {
		r.begun[id] = true
		return
	}
	delete(r.begun, id)
}

// taskBegun says whether a task's call has begun and not ended.
func (r *run) taskBegun(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.begun[id]
}

// dropTasks ends the tasks whose call was cut off, so that nothing is told of
// them after the turn has said how it ended.
func (r *run) dropTasks(ctx context.Context) error {
	r.mu.Lock()
	ids := slices.Sorted(maps.Keys(r.begun))
	clear(r.begun)
	r.mu.Unlock()
	for _, id := range ids {
		r.a.tasks.close(id)
		if _, err := r.a.o.Engine.Complete(ctx, id, session.Completion{State: session.TaskCancelled}); err != nil && !errors.Is(err, session.ErrNotFound) {
			return err
		}
	}
	return nil
}

// endLostTasks ends the tasks, those of background agents aside, that did not survive the last process, each with
// one notice to its chat.
func (a *Agent) endLostTasks(ctx context.Context) error {
	open, err := a.o.Engine.OpenTasks(ctx)
	if err != nil {
		return err
	}
	for i := range open {
		t := &open[i]
		if t.Agent {
			continue // takeUpAgents goes on with it
		}
		text := "The background task " + t.Tool + " was interrupted when the gateway stopped. It has not been run again."
		result := &tools.ToolResult{ForLLM: text, ForUser: text, IsError: true}
		err := a.completeOnce(ctx, t.ID, t.Tool, a.completion(t.Address, t.ID, t.Tool, session.TaskInterrupted, result))
		if errors.Is(err, session.ErrStore) {
			a.tasks.wg.Go(func() {
				if a.tasks.pause(completePause) {
					a.complete(context.WithoutCancel(ctx), t.Address, t.ID, t.Tool, session.TaskInterrupted, result)
				}
			})
		}
	}
	return nil
}
