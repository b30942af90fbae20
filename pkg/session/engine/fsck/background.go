package fsck

import (
	"bytes"
	"slices"
	"time"

	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/session/engine/table"
)

// The rules for tasks, jobs and the facts of a chat.

// ownerExists checks that a record that names a chat has one; some name no chat.
func (c *checker) ownerExists(what, chat string) {
	if n, err := table.ParseID("c", chat); err == nil {
		c.chatExists(what, n)
	}
}

func (c *checker) tasks() {
	records(c, table.Tasks, func(_ []byte, task *session.Task) {
		c.ownerExists("task "+task.ID, task.Chat)
		listed := c.t.Has(table.Open, table.DueKey(task.Started, task.ID))
		if running := task.State == session.TaskRunning; running != listed {
			c.r.Addf("task %s: it is %s, listed as open: %t", task.ID, task.State, listed)
		}
		c.listed(table.TasksOfIndex(), "task", task.Chat, task.ID)
	})
}

func (c *checker) jobs() {
	records(c, table.Jobs, func(_ []byte, j *session.Job) {
		c.ownerExists("job "+j.ID, j.Chat)
		if listed, due := c.t.Has(table.Due, table.DueKey(j.Due, j.ID)), table.MayFire(c.t, j); listed != due {
			c.r.Addf("job %s: it may fire: %t, listed as due: %t", j.ID, due, listed)
		}
		c.listed(table.JobsOfIndex(), "job", j.Chat, j.ID)
		if chat, err := table.ReadChat(c.t, table.ChatNum(c.t, j.Chat)); err == nil &&
			j.Address != chat.Address && slices.Contains(chat.Aliases, j.Address) {
			c.r.Addf("job %s: it is where its chat was before it moved", j.ID)
		}
	})
}

// listed checks an entry in an index by chat, which a store of an earlier build does not have.
func (c *checker) listed(ix table.Index, what, chat, id string) {
	if !c.unlisted && !c.t.Has(ix.Bucket, table.OfKey(chat, id)) {
		c.r.Addf("%s %s: it is not listed by its chat", what, id)
	}
}

// indexes checks that every entry leads to a record, and that a record has only one
// entry in the same index.
func (c *checker) indexes() {
	for _, ix := range table.Indexes() {
		seen := map[string]bool{}
		c.t.Each(ix.Bucket, nil, func(k, _ []byte) bool {
			switch {
			case len(k) <= ix.Head || !c.t.Has(ix.Records, k[ix.Head:]):
				c.r.Addf("%s: an entry leads nowhere", ix.Bucket)
			case seen[string(k[ix.Head:])]:
				c.r.Addf("%s: two entries lead to %q", ix.Bucket, k[ix.Head:])
			default:
				seen[string(k[ix.Head:])] = true
			}
			return true
		})
	}
}

func (c *checker) facts() {
	c.t.Each(table.Zones, nil, func(k, _ []byte) bool {
		c.chatExists("a time zone", table.Num(k, 0))
		return true
	})
	c.t.Each(table.Models, nil, func(k, _ []byte) bool {
		c.chatExists("a model", table.Num(k, 0))
		return true
	})
	c.t.Each(table.Reads, nil, func(k, _ []byte) bool {
		c.chatExists("a mark of what was read", table.Num(k, 0))
		return true
	})
	records(c, table.Spent, func(k []byte, _ *table.SpentRecord) {
		c.chatExists("spending", table.Num(k, 0))
		c.day(k)
	})
	// An earlier build forgets a chat without these.
	records(c, table.Shares, func(k []byte, rec *table.ShareRecord) {
		c.day(k)
		if !bytes.HasSuffix(k, table.IDKey(rec.Person)) {
			c.r.Addf("spending of chat %s: a share of %q is at another person's place", table.ChatID(table.Num(k, 0)), rec.Person)
		}
	})
	c.t.Each(table.Undone, nil, func(k, _ []byte) bool {
		if last, err := c.t.Raw(table.Undone, k); err == nil && (len(last) != table.ChatKeyLen || table.Num(last, 0) < table.Num(k, 1)) {
			c.r.Addf("history: session %s: entries from %d on are undone, and none is the last", table.SessionID(table.Num(k, 0)), table.Num(k, 1))
		}
		return true
	})
	records(c, table.Uses, func([]byte, *table.UseRecord) {})
	records(c, table.Shown, func([]byte, *table.ShownRecord) {})
	records(c, table.Programs, func([]byte, *session.Program) {})
	records(c, table.Originals, func([]byte, *providers.Original) {})
}

// day checks the day in the key of a use.
func (c *checker) day(k []byte) {
	if _, err := time.Parse(time.DateOnly, table.SpentDay(k)); err != nil {
		c.r.Addf("spending of chat %s: %v", table.ChatID(table.Num(k, 0)), err)
	}
}

// told checks the facts that chats and people have told. An earlier build forgets a chat without them.
func (c *checker) told() {
	records(c, table.Facts, func(k []byte, f *session.Fact) {
		if !bytes.Equal(k, table.FactKey(f)) || f.Text == "" {
			c.r.Addf("facts: %s: its record is not its own, or tells nothing", f.ID)
		}
		if f.Person != "" && !c.t.Has(table.FactsOf, table.FactOfKey(f)) {
			c.r.Addf("facts: %s is not listed by its person", f.ID)
		}
	})
}
