package task

import (
	"context"
	"errors"
	"fmt"
	"time"

	"parley/internal/failpoint"
	"parley/pkg/agent/prompt"
	"parley/pkg/agent/turn"
	"parley/pkg/channels"
	"parley/pkg/session"
	"parley/pkg/text"
	"parley/pkg/tools"
)

// EndTimeout bounds the transaction that ends a task.
const EndTimeout = 30 * time.Second

// Arm makes the context of a task that begins: it keeps the invocation, and ends with the
// task, with the process, or at the deadline of the task's record. At the deadline the
// task is ended and its chat is told.
func (ts *Tasks) Arm(ctx context.Context, inv tools.Invocation, t session.Task) context.Context {
	return ts.o.Work.arm(ctx, inv, t, func(after context.Context) {
		said := TimeOver(&t)
		ts.Complete(after, t.ID, session.TaskTimedOut, &tools.ToolResult{ForLLM: said, ForUser: said, IsError: true})
	})
}

// Complete ends a task and its context: its state, the message to the person and the item
// that brings the result into the chat's loop are one transaction. While the store
// cannot be written it is tried again until the process ends; the next start
// then tells of the task.
func (ts *Tasks) Complete(ctx context.Context, id string, state session.TaskState, result *tools.ToolResult) {
	defer ts.o.Work.Close(id)
	for {
		err := ts.completeOnce(ctx, id, state, result)
		if !errors.Is(err, session.ErrStore) || !ts.o.Work.Pause() {
			return
		}
	}
}

func (ts *Tasks) completeOnce(ctx context.Context, id string, state session.TaskState, result *tools.ToolResult) error {
	ctx, cancel := context.WithTimeout(ctx, EndTimeout)
	defer cancel()
	ts.o.Work.StopProgress(id)
	t, err := ts.o.Store.Task(ctx, id)
	if err == nil {
		result, err = ts.marked(ctx, &t, result)
	}
	if err == nil {
		_, err = ts.End(ctx, &t, ts.completion(&t, state, result))
	}
	if err != nil {
		ts.o.Log.Error().Err(err).Str("task", id).Msg("a background task ended and its end could not be stored")
	}
	return err
}

// End stores the end of a task; false for one that has ended before. The context of the
// task's work is left to the caller.
func (ts *Tasks) End(ctx context.Context, t *session.Task, c session.Completion) (bool, error) {
	failpoint.Hit("T4")
	first, err := ts.o.Store.Complete(ctx, t.ID, c)
	failpoint.Hit("T5")
	switch {
	case err != nil:
	case !first:
		ts.o.Log.Warn().Str("task", t.ID).Msg("a background task ended a second time; the first end counts")
	default:
		ts.o.Log.Info().Str("task", t.ID).Str("tool", t.Tool).Str("state", string(c.State)).Msg("background task ended")
	}
	return first && err == nil, err
}

// EndQuietly ends a task that no message tells of, because its result is that of its call
// or its turn says how it ended.
func (ts *Tasks) EndQuietly(ctx context.Context, id string, state session.TaskState) error {
	ts.o.Work.Close(id)
	_, err := ts.o.Store.Complete(ctx, id, session.Completion{State: state})
	return err
}

// Finish brings the result of a task's work home. A context that has ended takes the
// result with it: at the deadline, which has its own notice, or, for a failure, because
// the process stops.
func (ts *Tasks) Finish(ctx context.Context, id string, result *tools.ToolResult) {
	if ts.o.Work.CutOff(id, result.IsError) {
		return
	}
	ts.Complete(ctx, id, turn.EndState(result), result)
}

// completion is the end of a task that is told. The message that shows its progress
// becomes its result: by the message of the result, or by the answer of the turn that
// reads it.
func (ts *Tasks) completion(t *session.Task, state session.TaskState, result *tools.ToolResult) session.Completion {
	kept := result.ForLLM
	if kept == "" && result.Err != nil {
		kept = result.Err.Error()
	}
	kept = ts.o.Redact(text.ClipBytes(kept, session.MaxTurnBytes/2))
	now := time.Now()
	c := session.Completion{State: state, Result: kept, Tainted: ts.o.Work.tainted(t.ID)}
	if t.Waited {
		return c
	}
	told, wasShown := notTold+" ", false
	if result.ForUser != "" && !result.Silent {
		shown := ts.o.Redact(result.ForUser)
		wasShown = true
		c.Outbox = []channels.Outbound{{
			ID: session.TaskReportID(t.ID), Address: t.Address, Text: shown, Finishes: t.Status, Aged: true, Unasked: channels.ByTask, Time: now,
		}}
		told = "The person has already been shown this text:\n" + shown + "\n\n"
	}
	c.Item = &session.Item{
		ID: session.TaskItemID(t.ID), Kind: session.ItemTask, Address: t.Address, TaskID: t.ID, Solo: true, Time: now, Shown: wasShown,
		Text: endOf(t, state) + told +
			"Answer " + prompt.NoReply + " if there is nothing to add.\nResult:\n" + kept,
	}
	return c
}

// Cancel ends a task for a person: the end and its notice are one transaction, the
// context of the work ends after it. Shape may change the end before it is stored, given
// the task as it is then; without an item the caller says in the conversation how the task
// ended. False: it has ended before.
func (ts *Tasks) Cancel(ctx context.Context, t *session.Task, by string, shape func(*session.Completion, *session.Task)) (bool, error) {
	ts.o.Work.StopProgress(t.ID)
	now, err := ts.o.Store.Task(ctx, t.ID)
	if err != nil {
		return false, err
	}
	said := fmt.Sprintf(textCancelled, Name(t), by)
	c := ts.completion(&now, session.TaskCancelled, &tools.ToolResult{ForLLM: said, ForUser: said, IsError: true})
	shape(&c, &now)
	if now.Agent && c.Item != nil { // the turn of its end tells it
		c.Outbox = nil
	}
	first, err := ts.End(ctx, &now, c)
	if err == nil {
		ts.o.Work.Close(t.ID)
	}
	return first, err
}

// CancelByOperator ends a task of any chat; id is its own, or its name for
// people. Its chat is told. [session.ErrNotFound]: there is no such task.
func (ts *Tasks) CancelByOperator(ctx context.Context, id string) (session.Task, error) {
	t, err := ts.Find(ctx, "", id)
	if err != nil {
		return t, err
	}
	first, err := ts.Cancel(ctx, &t, textOperator, func(*session.Completion, *session.Task) {})
	switch {
	case err != nil:
		return t, err
	case !first:
		return t, fmt.Errorf("task %s has already ended", t.Short())
	}
	return ts.Find(ctx, t.Chat, t.ID)
}
