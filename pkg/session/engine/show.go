package engine

import (
	"context"
	"fmt"

	"parley/pkg/channels"
	"parley/pkg/session"
	"parley/pkg/session/engine/rules"
	"parley/pkg/session/engine/table"
)

// ShowTask queues the message that shows how far a task is.
func (s tasks) ShowTask(ctx context.Context, id string, o channels.Outbound) (bool, error) {
	out, err := s.e.out.Prepare([]channels.Outbound{o})
	if err != nil {
		return false, err
	}
	shown := false
	err = s.e.w.Do(ctx, func(t *table.Tx) error {
		shown = false
		task, err := table.Get[session.Task](t, table.Tasks, table.IDKey(id))
		if err != nil {
			return fmt.Errorf("task %s: %w", id, err)
		}
		if task.State != session.TaskRunning || task.Status != "" {
			return nil
		}
		shown = true
		task.Status = o.ID
		if err := t.Put(table.Tasks, table.IDKey(id), task); err != nil {
			return err
		}
		t.Added++
		chat := table.ChatNum(t, task.Chat)
		if err := s.e.out.Put(t, chat, out); err != nil {
			return err
		}
		return rules.Touch(t, chat)
	})
	return shown && err == nil, err
}
