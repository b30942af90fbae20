package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"parley/pkg/session"
	"parley/pkg/tools"
)

// maxRecent is how many tasks that have ended a list names.
const maxRecent = 10

// TaskList is that of the engine: the tasks of a chat, or of all for "", the oldest
// first. Their times are those of their chats' zones.
func (a *Agent) TaskList(ctx context.Context, chat string) ([]session.Task, error) {
	all, err := a.o.Engine.Tasks().TaskList(ctx, chat)
	zones := map[string]*time.Location{}
	for i := range all {
		t := &all[i]
		zone := zones[t.Chat]
		if zone == nil {
			zone = a.locationOf(ctx, t.Chat, t.Address)
			zones[t.Chat] = zone
		}
		t.Started, t.Deadline = t.Started.In(zone), t.Deadline.In(zone)
		if !t.Ended.IsZero() {
			t.Ended = t.Ended.In(zone)
		}
	}
	return all, err
}

// tasksOf are the tasks of a chat that run, and the newest of those that have ended,
// each the newest first.
func (a *Agent) tasksOf(ctx context.Context, chat string) (running, recent []session.Task, err error) {
	all, err := a.TaskList(ctx, chat)
	slices.Reverse(all)
	for i := range all {
		switch {
		case all[i].State == session.TaskRunning:
			running = append(running, all[i])
		case len(recent) < maxRecent:
			recent = append(recent, all[i])
		}
	}
	return running, recent, err
}

// findTask finds a task of a chat, or of all for "", by what a list shows of it.
func (a *Agent) findTask(ctx context.Context, chat, id string) (session.Task, error) {
	all, err := a.TaskList(ctx, chat)
	if err != nil {
		return session.Task{}, err
	}
	return pickTask(all, id)
}

// FindTask finds a task of any chat by what a list shows of it: its id, its name for
// people, or the name of its agent. [session.ErrNotFound]: there is none; [ErrAmbiguous]:
// several with this name run.
func (a *Agent) FindTask(ctx context.Context, id string) (session.Task, error) {
	return a.findTask(ctx, "", id)
}

// cancelTask ends a task for somebody: the end and its notice are one transaction, the
// context of the work ends after it. False: it has ended before. Without an item
// whoever asks says in the conversation what came of it.
func (a *Agent) cancelTask(ctx context.Context, t *session.Task, by string, shape func(*session.Completion, *session.Task)) (bool, error) {
	a.stopProgress(t.ID)
	now, err := a.o.Engine.Tasks().Task(ctx, t.ID)
	if err != nil {
		return false, err
	}
	text := fmt.Sprintf(textTaskCancelled, taskName(t), by)
	c := a.completion(&now, session.TaskCancelled, &tools.ToolResult{ForLLM: text, ForUser: text, IsError: true})
	shape(&c, &now)
	if now.Agent && c.Item != nil { // the turn of its end tells it
		c.Outbox = nil
	}
	first, err := a.endTask(ctx, &now, c)
	if err == nil {
		a.tasks.close(t.ID)
	}
	return first, err
}

// CancelTask ends a task for the operator; id is its own, or its name for people. Its
// chat is told. [session.ErrNotFound]: there is no such task.
func (a *Agent) CancelTask(ctx context.Context, id string) (session.Task, error) {
	t, err := a.findTask(ctx, "", id)
	if err != nil {
		return t, err
	}
	first, err := a.cancelTask(ctx, &t, textOperator, func(*session.Completion, *session.Task) {})
	switch {
	case err != nil:
		return t, err
	case !first:
		return t, fmt.Errorf("task %s has already ended", t.Short())
	}
	return a.findTask(ctx, t.Chat, t.ID)
}

// Tasks are the tasks of the chat that a call is made in: those that run, and the
// newest of those that have ended.
func (c Calls) Tasks(ctx context.Context) (running, recent []session.Task, err error) {
	r, _, err := c.callOf(ctx)
	if err != nil {
		return nil, nil, err
	}
	running, recent, err = c.a.tasksOf(ctx, r.info.Chat)
	if slices.ContainsFunc(append(slices.Clip(running), recent...), func(t session.Task) bool { return t.Tainted }) {
		c.ShowsOutside(ctx) // how their results begin
	}
	return running, recent, err
}

// CancelHere ends a task of the chat that a call is made in, with the rights of whom
// the turn runs for, and says what came of it. What shows how far it was says so;
// else the answer of the turn does.
func (c Calls) CancelHere(ctx context.Context, id string) (string, error) {
	r, _, err := c.callOf(ctx)
	if err != nil {
		return "", err
	}
	t, err := c.a.findTask(ctx, r.info.Chat, id)
	switch {
	case errors.Is(err, session.ErrNotFound):
		return "", tools.Fail(tools.ErrNotFound, "there is no such task in this chat", nil)
	case errors.Is(err, ErrAmbiguous):
		return "", tools.Fail(tools.ErrInvalidArguments, err.Error(), nil)
	case err != nil:
		return "", err
	case !r.principal.MayCancel(&t):
		return "", tools.Fail(tools.ErrPermissionDenied, "only its creator, a person with its level, or an owner can cancel it", nil)
	}
	first, err := c.a.cancelTask(ctx, &t, nameOf(r.principal.Sender), func(c *session.Completion, now *session.Task) {
		c.Item = nil
		if now.Status == "" {
			c.Outbox = nil
		}
	})
	if err != nil {
		return "", err
	}
	if !first {
		return "It has already ended.", nil
	}
	return "cancelled", nil
}
