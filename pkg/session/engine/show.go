package engine

import (
	"context"
	"fmt"

	"parley/pkg/channels"
	"parley/pkg/session"
)

// ShowTask queues the message that shows how far a task is.
func (s tasks) ShowTask(ctx context.Context, id string, o channels.Outbound) (bool, error) {
	all := []channels.Outbound{o}
	out, err := encodeOutbox(all)
	if err != nil {
		return false, err
	}
	shown := false
	err = s.e.write(ctx, func(t *tx) error {
		shown = false
		task, err := get[session.Task](t, bkTasks, idKey(id))
		if err != nil {
			return fmt.Errorf("task %s: %w", id, err)
		}
		if task.State != session.TaskRunning || task.Status != "" {
			return nil
		}
		shown = true
		task.Status = o.ID
		if err := t.put(bkTasks, idKey(id), task); err != nil {
			return err
		}
		t.added++
		chat := t.chatNum(task.Chat)
		if err := s.e.putOutbox(t, chat, all, out); err != nil {
			return err
		}
		return t.touch(chat)
	})
	return shown && err == nil, err
}
