package engine

import (
	"context"
	"fmt"
	"slices"

	"parley/pkg/channels"
	"parley/pkg/session"
)

// addTask stores a task that a step starts; one that is there already stays as it is.
func (t *tx) addTask(task *session.Task) error {
	key := idKey(task.ID)
	if t.has(bkTasks, key) {
		return nil
	}
	if err := t.put(bkTasks, key, task); err != nil {
		return err
	}
	if err := t.putIndex(bkTasksOf, ofKey(task.Chat, task.ID)); err != nil {
		return err
	}
	if task.State != session.TaskRunning {
		return nil
	}
	return t.putIndex(bkOpen, dueKey(task.Started, task.ID))
}

// Complete ends a task.
func (s tasks) Complete(ctx context.Context, id string, c session.Completion) (bool, error) {
	out, err := encodeOutbox(c.Outbox)
	if err != nil {
		return false, err
	}
	var item []byte
	if c.Item != nil {
		if err := storable(c.Item.ID, c.Item.Address); err != nil {
			return false, fmt.Errorf("complete: %w", err)
		}
		if item, err = encode(c.Item); err != nil {
			return false, err
		}
	}
	first := false
	err = s.e.write(ctx, func(t *tx) error {
		first = false
		task, err := get[session.Task](t, bkTasks, idKey(id))
		if err != nil {
			return fmt.Errorf("task %s: %w", id, err)
		}
		if task.State != session.TaskRunning {
			return nil
		}
		first = true
		task.State, task.Ended, task.Result = c.State, t.now, c.Result
		if slices.ContainsFunc(c.Outbox, func(o channels.Outbound) bool { return o.Finishes == task.Status }) {
			task.Status = ""
		}
		task.Tainted = task.Tainted || c.Tainted
		if err := t.put(bkTasks, idKey(id), task); err != nil {
			return err
		}
		t.added++
		if err := t.del(bkOpen, dueKey(task.Started, id)); err != nil {
			return err
		}
		chat := t.chatNum(task.Chat)
		if err := t.spend(chat, c.Spent); err != nil {
			return err
		}
		if err := s.e.putOutbox(t, chat, c.Outbox, out); err != nil {
			return err
		}
		if c.Item == nil {
			return nil
		}
		return s.e.appendTo(t, chat, c.Item, item)
	})
	s.e.setAsideIf(ctx, err)
	return first && err == nil, err
}

// chatNum is the number of a chat that still exists, else 0.
func (t *tx) chatNum(id string) uint64 {
	n, err := parseID("c", id)
	if err != nil || !t.has(bkChats, numKey(n)) {
		return 0
	}
	return n
}

// Task finds one task.
func (s tasks) Task(ctx context.Context, id string) (session.Task, error) {
	return one[session.Task](ctx, s.e, bkTasks, "task", id)
}

// OpenTasks returns the tasks without a terminal state, oldest first.
func (s tasks) OpenTasks(ctx context.Context) ([]session.Task, error) {
	bare := func(task *session.Task) {
		if !task.Agent {
			task.Arguments = nil
		}
	}
	return indexed(ctx, s.e, listing[session.Task]{index: openIndex(), shorten: bare})
}

// TaskList returns the tasks of a chat, or of all, the oldest first.
func (s tasks) TaskList(ctx context.Context, chat string) (out []session.Task, err error) {
	if chat == "" {
		out, err = inChat(ctx, s.e, bkTasks, func(*session.Task) bool { return true })
	} else {
		out, err = ofChat[session.Task](ctx, s.e, tasksOfIndex(), chat)
	}
	slices.SortStableFunc(out, func(a, b session.Task) int { return a.Started.Compare(b.Started) })
	return out, err
}
