package engine

import (
	"slices"

	"parley/pkg/channels"
	"parley/pkg/session"
)

// A background agent has a conversation of its own, at [session.AgentAddress]. It is
// a chat like any other, and exists no longer than the record of its task.

// maxNested bounds how many agents deep a chat is looked for; far more than there are.
const maxNested = 16

// payer is the chat whose zone and budget count for what is done in a chat: itself,
// or the one where its agent's task was started. 0: there is none any more.
func (t *tx) payer(n uint64) uint64 {
	for range maxNested {
		c, err := t.chat(n)
		if n == 0 || err != nil || c.Address.Channel != session.AgentChannel {
			return n
		}
		task, err := get[session.Task](t, bkTasks, idKey(c.Address.Chat))
		if err != nil {
			return 0
		}
		n = t.chatNum(task.Chat)
	}
	return 0
}

// orphan says that an address is of an agent without a task.
func (t *tx) orphan(a channels.Address) bool {
	return a.Channel == session.AgentChannel && !t.has(bkTasks, idKey(a.Chat))
}

// agentOf is the conversation of a task's agent, 0 when there is none.
func (t *tx) agentOf(taskID string) uint64 {
	n, err := t.chatAt(session.AgentAddress(taskID))
	if err != nil {
		return 0
	}
	return n
}

// tasksOf are the keys of a chat's tasks.
func (t *tx) tasksOf(chat uint64) [][]byte {
	keys := t.keys(bkTasksOf, numKey(chat))
	for i := range keys {
		keys[i] = keys[i][chatKeyLen:]
	}
	return keys
}

// dropTasks deletes tasks, with the conversations of their agents and, in turn, the
// tasks of these.
func (t *tx) dropTasks(keys [][]byte) error {
	var agents []uint64
	for len(keys) > 0 {
		key := keys[0]
		keys = keys[1:]
		task, err := get[session.Task](t, bkTasks, key)
		if err != nil {
			if err := t.setAside(bkTasks, key); err != nil {
				return err
			}
			continue
		}
		for _, h := range []hand{
			{bkTasks, key}, {bkOpen, dueKey(task.Started, task.ID)}, {bkTasksOf, ofKey(task.Chat, task.ID)},
		} {
			if err := t.del(h.bucket, h.key); err != nil {
				return err
			}
		}
		if n := t.agentOf(task.ID); n != 0 {
			agents = append(agents, n)
			keys = append(keys, t.tasksOf(n)...)
		}
	}
	return t.forgetChats(agents...)
}

// readdress lets the jobs and tasks of a chat that has moved know where it is, and
// those of its agents.
func (t *tx) readdress(n uint64, c *chatRec) error {
	if err := t.changeJobs(n, func(j *session.Job) bool {
		moved := j.Address != c.Address && slices.Contains(c.Aliases, j.Address)
		j.Address = c.Address
		return moved
	}); err != nil {
		return err
	}
	for keys := t.tasksOf(n); len(keys) > 0; keys = keys[1:] {
		task, err := get[session.Task](t, bkTasks, keys[0])
		if err != nil {
			continue // it is set aside when it is met
		}
		if agent := t.agentOf(task.ID); agent != 0 {
			keys = append(keys, t.tasksOf(agent)...)
		}
		if task.Address == c.Address || !slices.Contains(c.Aliases, task.Address) {
			continue
		}
		task.Address = c.Address
		if err := t.put(bkTasks, keys[0], task); err != nil {
			return err
		}
	}
	return nil
}

// takeOver makes the jobs and tasks of another chat those of a chat.
func (t *tx) takeOver(n, other uint64) error {
	if err := t.changeJobs(other, func(j *session.Job) bool {
		j.Chat = chatID(n)
		return true
	}); err != nil {
		return err
	}
	for _, key := range t.tasksOf(other) {
		task, err := get[session.Task](t, bkTasks, key)
		if err != nil {
			if err := t.setAside(bkTasks, key); err != nil {
				return err
			}
			continue
		}
		if err := t.del(bkTasksOf, ofKey(task.Chat, task.ID)); err != nil {
			return err
		}
		task.Chat = chatID(n)
		if err := t.put(bkTasks, key, task); err != nil {
			return err
		}
		if err := t.putIndex(bkTasksOf, ofKey(task.Chat, task.ID)); err != nil {
			return err
		}
	}
	return t.takeOverFacts(n, other)
}
