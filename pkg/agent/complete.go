package agent

import (
	"context"
	"errors"
	"fmt"
	"time"

	"parley/internal/failpoint"
	"parley/pkg/channels"
	"parley/pkg/session"
	"parley/pkg/text"
	"parley/pkg/tools"
)

const (
	// What bounds the transaction that ends a task.
	completeTimeout = 30 * time.Second
	// The time between two attempts while the store cannot write.
	retryPause = 2 * time.Second
)

// taskName is a task as people are told of it.
func taskName(t *session.Task) string {
	name := t.Tool
	if own := NameOfTask(t); own != "" {
		name = "“" + own + "”"
	}
	return name + " (" + t.Short() + ")"
}

// NameOfTask is what whoever started a background agent called it; "" for another task.
func NameOfTask(t *session.Task) string {
	if !t.Agent {
		return ""
	}
	return channels.Visible(orderOf(t).Name)
}

// span says how long something may last.
func span(d time.Duration) string {
	n, unit := d/time.Second, "second"
	if d >= 2*time.Minute || d == time.Minute {
		n, unit = d.Round(time.Minute)/time.Minute, "minute"
	}
	if d >= time.Hour && d%time.Hour == 0 {
		n, unit = d/time.Hour, "hour"
	}
	if n != 1 {
		unit += "s"
	}
	return fmt.Sprintf("%d %s", n, unit)
}

// tooLong is what a person is told of a task whose time is over.
func tooLong(t *session.Task) string {
	return fmt.Sprintf(textTaskTooLong, taskName(t), span(t.Deadline.Sub(t.Started)))
}

// complete ends a task and its context: its state, what the person sees and the item
// that brings the result into the chat's loop are one transaction. While the store
// cannot be written it is tried again until the process ends; the next start
// then tells of the task.
func (a *Agent) complete(ctx context.Context, id string, state session.TaskState, result *tools.ToolResult) {
	defer a.tasks.close(id)
	for {
		err := a.completeOnce(ctx, id, state, result)
		if !errors.Is(err, session.ErrStore) || !a.tasks.pause() {
			return
		}
	}
}

func (a *Agent) completeOnce(ctx context.Context, id string, state session.TaskState, result *tools.ToolResult) error {
	ctx, cancel := context.WithTimeout(ctx, completeTimeout)
	defer cancel()
	a.stopProgress(id)
	t, err := a.o.Engine.Tasks().Task(ctx, id)
	if err == nil {
		_, err = a.endTask(ctx, &t, a.completion(&t, state, result))
	}
	if err != nil {
		a.o.Log.Error().Err(err).Str("task", id).Msg("a background task ended and its end could not be stored")
	}
	return err
}

// endTask stores the end of a task; false for one that has ended before.
func (a *Agent) endTask(ctx context.Context, t *session.Task, c session.Completion) (bool, error) {
	failpoint.Hit("T4")
	first, err := a.o.Engine.Tasks().Complete(ctx, t.ID, c)
	failpoint.Hit("T5")
	switch {
	case err != nil:
	case !first:
		a.o.Log.Warn().Str("task", t.ID).Msg("a background task ended a second time; the first end counts")
	default:
		a.o.Log.Info().Str("task", t.ID).Str("tool", t.Tool).Str("state", string(c.State)).Msg("background task ended")
	}
	return first && err == nil, err
}

// notTold stands in the text of such an item whose result the person was not shown.
const notTold = "The person has not been told yet."

// taskMark begins the text of every item that brings a task's result.
const taskMark = "[background task]"

// endOf begins the item that tells the model of a task's end.
func endOf(t *session.Task, state session.TaskState) string {
	return taskMark + " " + taskName(t) + " ended (" + string(state) + "). "
}

// completion is the end of a task that is told. What shows how far it was becomes its
// result: by the message of the result, or by the answer of the turn that reads it.
func (a *Agent) completion(t *session.Task, state session.TaskState, result *tools.ToolResult) session.Completion {
	kept := result.ForLLM
	if kept == "" && result.Err != nil {
		kept = result.Err.Error()
	}
	kept = a.o.Redact(text.ClipBytes(kept, session.MaxTurnBytes/2))
	now := time.Now()
	c := session.Completion{State: state, Result: kept, Tainted: a.tasks.tainted(t.ID)}
	if t.Waited {
		return c
	}
	told := notTold + " "
	if result.ForUser != "" && !result.Silent {
		shown := a.o.Redact(result.ForUser)
		c.Outbox = []channels.Outbound{{
			ID: session.TaskReportID(t.ID), Address: t.Address, Text: shown, Finishes: t.Status, Aged: true, Unasked: channels.ByTask, Time: now,
		}}
		told = "The person has already been shown this text:\n" + shown + "\n\n"
	}
	c.Item = &session.Item{
		ID: session.TaskItemID(t.ID), Kind: session.ItemTask, Address: t.Address, TaskID: t.ID, Solo: true, Time: now,
		Text: endOf(t, state) + told +
			"Answer " + noReply + " if there is nothing to add.\nResult:\n" + kept,
	}
	return c
}
