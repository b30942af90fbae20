package engine

import (
	"context"
	"fmt"
	"slices"

	"parley/pkg/channels"
	"parley/pkg/session"
	"parley/pkg/session/engine/rules"
	"parley/pkg/session/engine/table"
)

// Complete ends a task.
func (s tasks) Complete(ctx context.Context, id string, c session.Completion) (bool, error) {
	out, err := s.e.out.Prepare(c.Outbox)
	if err != nil {
		return false, err
	}
	var item []byte
	if c.Item != nil {
		if err := table.Storable(c.Item.ID, c.Item.Address); err != nil {
			return false, fmt.Errorf("complete: %w", err)
		}
		if item, err = table.Encode(c.Item); err != nil {
			return false, err
		}
	}
	first := false
	err = s.e.w.Do(ctx, func(t *table.Tx) error {
		first = false
		task, err := table.Get[session.Task](t, table.Tasks, table.IDKey(id))
		if err != nil {
			return fmt.Errorf("task %s: %w", id, err)
		}
		if task.State != session.TaskRunning {
			return nil
		}
		first = true
		s.e.drains.Ended(t, id)
		task.State, task.Ended, task.Result = c.State, t.Now, c.Result
		if slices.ContainsFunc(c.Outbox, func(o channels.Outbound) bool { return o.Finishes == task.Status }) {
			task.Status = ""
		}
		task.Tainted = task.Tainted || c.Tainted
		if err := t.Put(table.Tasks, table.IDKey(id), task); err != nil {
			return err
		}
		t.Added++
		if err := t.Delete(table.Open, table.DueKey(task.Started, id)); err != nil {
			return err
		}
		chat := table.ChatNum(t, task.Chat)
		if err := rules.SpendEarly(t, chat, c.Turn, c.Spent); err != nil {
			return err
		}
		if err := s.e.out.Put(t, chat, out); err != nil {
			return err
		}
		if c.Item == nil {
			return nil
		}
		return s.e.in.appendTo(t, chat, c.Item, item)
	})
	s.e.w.SetAsideIf(ctx, err)
	return first && err == nil, err
}

// Task finds one task.
func (s tasks) Task(ctx context.Context, id string) (session.Task, error) {
	return one[session.Task](ctx, s.e, table.Tasks, "task", id)
}

// OpenTasks returns the tasks without a terminal state, oldest first.
func (s tasks) OpenTasks(ctx context.Context) ([]session.Task, error) {
	bare := func(task *session.Task) {
		if !task.Agent {
			task.Arguments = nil
		}
	}
	return indexed(ctx, s.e, listing[session.Task]{index: table.OpenIndex(), shorten: bare})
}

// TaskList returns the tasks of a chat, or of all, the oldest first.
func (s tasks) TaskList(ctx context.Context, chat string) (out []session.Task, err error) {
	if chat == "" {
		out, err = inChat(ctx, s.e, table.Tasks, func(*session.Task) bool { return true })
	} else {
		out, err = ofChat[session.Task](ctx, s.e, table.TasksOfIndex(), chat)
	}
	slices.SortStableFunc(out, func(a, b session.Task) int { return a.Started.Compare(b.Started) })
	return out, err
}
