package subagent

import (
	"context"
	"errors"
	"fmt"
	"time"

	"parley/pkg/agent/prompt"
	"parley/pkg/agent/task"
	"parley/pkg/session"
	"parley/pkg/text"
)

// maxReport is how much of a report goes home, in bytes.
const maxReport = session.MaxTurnBytes / 2

// expire ends a task at its deadline.
func (a *Agents) expire(ctx context.Context, t *session.Task) {
	why := task.TimeOver(t)
	for {
		_, err := a.End(ctx, t, session.Completion{State: session.TaskTimedOut, Result: why})
		if !errors.Is(err, session.ErrStore) || !a.o.Work.Pause() {
			return
		}
	}
}

// End ends an agent's task and brings its result home, unless the call that started it
// waits: then it is woken. False: it is over already, and stays as it is.
func (a *Agents) End(ctx context.Context, t *session.Task, c session.Completion) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, task.EndTimeout)
	defer cancel()
	c.Result = text.ClipBytes(a.o.Redact(c.Result), maxReport)
	if !t.Waited && c.Item == nil && len(c.Outbox) == 0 {
		c.Item = &session.Item{
			ID: session.TaskItemID(t.ID), Kind: session.ItemTask, Address: t.Address, TaskID: t.ID, Solo: true, Time: time.Now(),
			Text: endText(t, &c),
		}
	}
	a.o.Work.StopProgress(t.ID)
	if len(c.Outbox) > 0 { // it takes over the message that shows the progress
		now, err := a.o.Store.Task(ctx, t.ID)
		if err != nil {
			return false, err
		}
		c.Outbox[0].Finishes = now.Status
	}
	first, err := a.o.Tasks.End(ctx, t, c)
	if err != nil {
		if errors.Is(err, session.ErrNotFound) { // it was forgotten with its chat
			a.o.Work.Close(t.ID)
		}
		a.o.Log.Error().Err(err).Str("task", t.ID).Msg("a background agent ended and its end could not be stored")
		return false, err
	}
	a.o.Work.Close(t.ID)
	return first, nil
}

// endText is the text that tells the model of an agent's end.
func endText(t *session.Task, c *session.Completion) string {
	said := fmt.Sprintf("%s The background agent %s has ended (%s). It was asked: %s\n",
		task.Mark, task.Name(t), c.State, text.ClipBytes(task.BriefOf(t).Task, 500))
	if c.State == session.TaskDone {
		return said + "The person has not seen its report. Tell them what came of it; answer " + prompt.NoReply +
			" only if they want nothing told.\nReport:\n" + c.Result
	}
	return said + "The person is told: " + c.Result
}
