package rules

import (
	"errors"
	"slices"

	"parley/pkg/session"
	"parley/pkg/session/engine/table"
)

// A background agent has a conversation of its own, at [session.AgentAddress]. It is
// a chat like any other, and exists no longer than the record of its task.

// maxNested bounds how many agents deep a chat is looked for; far more than there are.
const maxNested = 16

// BilledChat is the chat with the zone and budget that count for work in a chat:
// for an agent the one that its task belongs to, in turn, or 0 where that is not
// known; for a chat of one request that of its person, once there is one.
func BilledChat(t *table.Tx, n uint64) uint64 {
	n, _ = billed(t, n)
	return n
}

// billed is BilledChat with the chat's record where it was read: not for a purse.
func billed(t *table.Tx, n uint64) (uint64, *table.ChatRecord) {
	for range maxNested {
		c, err := table.ReadChat(t, n)
		if n == 0 || err != nil {
			return n, nil
		}
		if c.Address.Channel != session.AgentChannel {
			if other := purse(t, n, c); other != n {
				return other, nil
			}
			return n, c
		}
		task, err := table.Get[session.Task](t, table.Tasks, table.IDKey(c.Address.Chat))
		if err != nil {
			return 0, nil
		}
		n = table.ChatNum(t, task.Chat)
	}
	return 0, nil
}

// purse is the chat with the budget of a chat, where that is not its own.
func purse(t *table.Tx, n uint64, c *table.ChatRecord) uint64 {
	if at := c.Address.Purse(); at != c.Address {
		if other, err := table.ChatAt(t, at); err == nil {
			return other
		}
	}
	return n
}

// payer is the billed chat; that of a chat of one request is made where it is missing. A
// damaged chat counts by itself.
func payer(t *table.Tx, n uint64) (uint64, error) {
	n, c := billed(t, n)
	if c == nil || !c.Address.Passing() {
		return n, nil
	}
	if _, err := EnsureChat(t, c.Address.Purse()); err != nil {
		return 0, err
	}
	return BilledChat(t, n), nil
}

// agentOf is the conversation of a task's agent, or 0.
func agentOf(t *table.Tx, taskID string) uint64 {
	n, err := table.ChatAt(t, session.AgentAddress(taskID))
	if err != nil {
		return 0
	}
	return n
}

// TasksOf are the keys of a chat's tasks.
func TasksOf(t *table.Tx, chat uint64) [][]byte {
	keys := t.Keys(table.TasksOf, table.NumKey(chat))
	for i := range keys {
		keys[i] = keys[i][table.ChatKeyLen:]
	}
	return keys
}

// DropTasks deletes tasks, with the conversations of their agents and, in turn, the
// tasks of these.
func DropTasks(t *table.Tx, keys [][]byte) error {
	var agents []uint64
	for len(keys) > 0 {
		key := keys[0]
		keys = keys[1:]
		task, err := table.Get[session.Task](t, table.Tasks, key)
		if err != nil {
			if err := t.SetAside(table.Tasks, key); err != nil {
				return err
			}
			continue
		}
		for _, h := range []row{
			{table.Tasks, key}, {table.Open, table.DueKey(task.Started, task.ID)}, {table.TasksOf, table.OfKey(task.Chat, task.ID)},
		} {
			if err := t.Delete(h.bucket, h.key); err != nil {
				return err
			}
		}
		if n := agentOf(t, task.ID); n != 0 {
			agents = append(agents, n)
			keys = append(keys, TasksOf(t, n)...)
		}
	}
	return ForgetChats(t, agents...)
}

// Readdress lets the jobs and tasks of a chat that has moved know where it is, and
// those of its agents.
func Readdress(t *table.Tx, n uint64, c *table.ChatRecord) error {
	if err := changeJobs(t, n, func(j *session.Job) bool {
		moved := j.Address != c.Address && slices.Contains(c.Aliases, j.Address)
		j.Address = c.Address
		return moved
	}); err != nil {
		return err
	}
	for keys := TasksOf(t, n); len(keys) > 0; keys = keys[1:] {
		task, err := table.Get[session.Task](t, table.Tasks, keys[0])
		if err != nil {
			continue // it is set aside when it is met
		}
		if agent := agentOf(t, task.ID); agent != 0 {
			keys = append(keys, TasksOf(t, agent)...)
		}
		if task.Address == c.Address || !slices.Contains(c.Aliases, task.Address) {
			continue
		}
		task.Address = c.Address
		if err := t.Put(table.Tasks, keys[0], task); err != nil {
			return err
		}
	}
	return nil
}

// TakeOver makes the jobs, tasks, questions, grants and earlier sessions of another chat those of a chat.
func TakeOver(t *table.Tx, n, other uint64) error {
	if err := changeJobs(t, other, func(j *session.Job) bool {
		j.Chat = table.ChatID(n)
		return true
	}); err != nil {
		return err
	}
	for _, key := range TasksOf(t, other) {
		task, err := table.Get[session.Task](t, table.Tasks, key)
		if err != nil {
			if err := t.SetAside(table.Tasks, key); err != nil {
				return err
			}
			continue
		}
		if err := t.Delete(table.TasksOf, table.OfKey(task.Chat, task.ID)); err != nil {
			return err
		}
		task.Chat = table.ChatID(n)
		if err := t.Put(table.Tasks, key, task); err != nil {
			return err
		}
		if err := t.PutIndex(table.TasksOf, table.OfKey(task.Chat, task.ID)); err != nil {
			return err
		}
	}
	return errors.Join(takeOverLeft(t, n, other), takeOverApprovals(t, n, other), takeOverFacts(t, n, other), takeOverTold(t, n, other))
}

// takeOverApprovals makes the questions and grants of another chat those of a chat.
func takeOverApprovals(t *table.Tx, n, other uint64) error {
	for _, r := range approvalsOf(t, map[string]bool{table.ChatID(other): true}) {
		var err error
		switch r.bucket {
		case table.Approvals:
			err = change(t, r, func(a *session.Approval) { a.Chat = table.ChatID(n) })
		default:
			err = change(t, r, func(g *session.Grant) { g.Chat = table.ChatID(n) })
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// change stores a record anew.
func change[T any](t *table.Tx, r row, f func(*T)) error {
	rec, err := table.Get[T](t, r.bucket, r.key)
	if err != nil {
		return err
	}
	f(rec)
	return t.Put(r.bucket, r.key, rec)
}
