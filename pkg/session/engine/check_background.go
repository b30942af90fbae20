package engine

import (
	"slices"
	"time"

	"parley/pkg/session"
)

// What must hold of tasks, jobs and what is kept of a chat.

// ownerExists checks that what names a chat has one; some names none.
func (c *checker) ownerExists(what, chat string) {
	if n, err := parseID("c", chat); err == nil {
		c.chatExists(what, n)
	}
}

func (c *checker) tasks() {
	records(c, bkTasks, func(_ []byte, task *session.Task) {
		c.ownerExists("task "+task.ID, task.Chat)
		listed := c.t.has(bkOpen, dueKey(task.Started, task.ID))
		if running := task.State == session.TaskRunning; running != listed {
			c.r.Addf("task %s: it is %s, listed as open: %t", task.ID, task.State, listed)
		}
		c.listed(tasksOfIndex(), "task", task.Chat, task.ID)
	})
}

func (c *checker) jobs() {
	records(c, bkJobs, func(_ []byte, j *session.Job) {
		c.ownerExists("job "+j.ID, j.Chat)
		if listed, due := c.t.has(bkDue, dueKey(j.Due, j.ID)), c.t.mayFire(j); listed != due {
			c.r.Addf("job %s: it may fire: %t, listed as due: %t", j.ID, due, listed)
		}
		c.listed(jobsOfIndex(), "job", j.Chat, j.ID)
		if chat, err := c.t.chat(c.t.chatNum(j.Chat)); err == nil && j.Address != chat.Address && slices.Contains(chat.Aliases, j.Address) {
			c.r.Addf("job %s: it is where its chat was before it moved", j.ID)
		}
	})
}

// listed checks an entry in an index by chat, which a store of an earlier build does not have.
func (c *checker) listed(ix index, what, chat, id string) {
	if !c.unlisted && !c.t.has(ix.bucket, ofKey(chat, id)) {
		c.r.Addf("%s %s: it is not listed by its chat", what, id)
	}
}

// indexes checks that every entry leads to a record, and none to a record that has
// another one in the same index.
func (c *checker) indexes() {
	for _, ix := range indexes() {
		seen := map[string]bool{}
		c.t.each(ix.bucket, nil, func(k, _ []byte) bool {
			switch {
			case len(k) <= ix.head || !c.t.has(ix.records, k[ix.head:]):
				c.r.Addf("%s: an entry leads nowhere", ix.bucket)
			case seen[string(k[ix.head:])]:
				c.r.Addf("%s: two entries lead to %q", ix.bucket, k[ix.head:])
			default:
				seen[string(k[ix.head:])] = true
			}
			return true
		})
	}
}

func (c *checker) facts() {
	c.t.each(bkZones, nil, func(k, _ []byte) bool {
		c.chatExists("a time zone", num(k, 0))
		return true
	})
	records(c, bkSpent, func(k []byte, _ *spentRec) {
		c.chatExists("spending", num(k, 0))
		if _, err := time.Parse(time.DateOnly, string(k[min(chatKeyLen, len(k)):])); err != nil {
			c.r.Addf("spending of chat %s: %v", chatID(num(k, 0)), err)
		}
	})
}
