package rules

import (
	"parley/pkg/session"
	"parley/pkg/session/engine/table"
)

// AddTask stores a task that a step starts; one that is there already stays as it is.
func AddTask(t *table.Tx, task *session.Task) error {
	key := table.IDKey(task.ID)
	if t.Has(table.Tasks, key) {
		return nil
	}
	if err := t.Put(table.Tasks, key, task); err != nil {
		return err
	}
	if err := t.PutIndex(table.TasksOf, table.OfKey(task.Chat, task.ID)); err != nil {
		return err
	}
	if task.State != session.TaskRunning {
		return nil
	}
	return t.PutIndex(table.Open, table.DueKey(task.Started, task.ID))
}

// PutApprovals writes questions and grants of a turn's chat.
func PutApprovals(t *table.Tx, approvals []session.Approval, grants []session.Grant) error {
	for i := range approvals {
		if err := t.Put(table.Approvals, table.IDKey(approvals[i].ID), &approvals[i]); err != nil {
			return err
		}
		t.Added++
	}
	for i := range grants {
		if err := t.Put(table.Grants, table.IDKey(grants[i].ID), &grants[i]); err != nil {
			return err
		}
		t.Added++
	}
	return nil
}

// Decide writes the questions of a commit, and ends the grants that it revokes: those that have ended,
// or are another chat's, are left alone.
func Decide(t *table.Tx, chat string, c *session.Commit) error {
	if err := PutApprovals(t, c.Approvals, nil); err != nil {
		return err
	}
	for _, id := range c.Revoked {
		g, err := table.Get[session.Grant](t, table.Grants, table.IDKey(id))
		if err != nil || g.Chat != chat {
			continue
		}
		if err := t.Delete(table.Grants, table.IDKey(id)); err != nil {
			return err
		}
	}
	return nil
}
