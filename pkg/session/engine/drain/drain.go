package drain

import (
	"context"
	"errors"
	"sync"

	"parley/pkg/channels"
	"parley/pkg/session"
	"parley/pkg/session/engine/table"
	"parley/pkg/session/engine/writer"
)

// Watch knows which channels have had a failure since the engine was opened, and which
// tasks were started since then. The zero value is ready.
type Watch struct {
	// Opened is the highest number that was given out before: an item with a higher one was
	// accepted since.
	Opened uint64

	mu      sync.Mutex
	changed chan struct{} // closed by the next transaction; nil when no caller waits
	failed  map[string]bool
	turned  uint64              // begins and ends of tasks
	tasks   map[string]struct{} // by id, without those that a call waits for
}

// Wait returns when the queues of the chat at an address, or of all chats of its channel, are
// empty. Failed says whether the channel has had a failure. The wait ends with ctx, and with [writer.ErrClosed] when done is closed.
func (w *Watch) Wait(
	ctx context.Context, store *writer.Writer, done <-chan struct{}, at channels.Address,
) (failed bool, err error) {
	for {
		changed := w.change() // before the look: no change is missed in between
		busy, before, ids := false, w.turnOver(), w.started()
		if err := store.View(func(t *table.Tx) error {
			var err error
			busy, err = w.busy(t, at, ids)
			return err
		}); err != nil {
			return false, err
		}
		if !busy {
			store.Settle(ctx) // the transaction that emptied them has noted its failures
			if w.turnOver() == before {
				return w.hasFailed(at.Channel), nil
			}
			continue
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return false, context.Cause(ctx)
		case <-done:
			return false, writer.ErrClosed
		}
	}
}

// change is closed when a transaction has become durable.
func (w *Watch) change() <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.changed == nil {
		w.changed = make(chan struct{})
	}
	return w.changed
}

// Changed says that a transaction has become durable.
func (w *Watch) Changed() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.changed != nil {
		close(w.changed)
		w.changed = nil
	}
}

func (w *Watch) hasFailed(channel string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.failed[channel] || w.failed[unknown]
}

// unknown is the channel of a record that was set aside together with that of its chat: it
// may be any.
const unknown = ""

// Undelivered notes a message that did not reach a channel.
func (w *Watch) Undelivered(t *table.Tx, channel string) {
	t.OnCommit = append(t.OnCommit, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.failed == nil {
			w.failed = map[string]bool{}
		}
		w.failed[channel] = true
	})
}

// Unanswered notes an item of a channel, or with "" of an unknown one, that ended otherwise
// than answered. Items from before the start, and those of jobs, are no failures.
func (w *Watch) Unanswered(t *table.Tx, channel string, seq uint64, kind session.ItemKind) {
	if seq > w.Opened && kind != session.ItemSchedule {
		w.Undelivered(t, channel)
	}
}

// Began notes the tasks that a step starts.
func (w *Watch) Began(t *table.Tx, tasks []session.Task) {
	for i := range tasks {
		if tasks[i].Waited {
			continue
		}
		t.OnCommit = append(t.OnCommit, func() {
			w.mu.Lock()
			defer w.mu.Unlock()
			if w.tasks == nil {
				w.tasks = map[string]struct{}{}
			}
			w.tasks[tasks[i].ID] = struct{}{}
			w.turned++
		})
	}
}

// Ended forgets a task.
func (w *Watch) Ended(t *table.Tx, id string) {
	t.OnCommit = append(t.OnCommit, func() { w.forget(id) })
}

// turnOver changes with each begin and end of a task: a look that such a change overlaps
// may have missed the task, and its result.
func (w *Watch) turnOver() uint64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.turned
}

func (w *Watch) forget(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.turned++
	delete(w.tasks, id)
}

func (w *Watch) started() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	ids := make([]string, 0, len(w.tasks))
	for id := range w.tasks {
		ids = append(ids, id)
	}
	return ids
}

// within says whether an address is the one that is meant, or on the channel of one without a chat.
func within(a, meant channels.Address) bool {
	return a == meant || meant.Chat == "" && a.Channel == meant.Channel
}

// busy says whether the queues of an address have anything, or one of the tasks with these
// ids runs for it.
func (w *Watch) busy(t *table.Tx, at channels.Address, ids []string) (busy bool, err error) {
	for _, b := range []table.Bucket{table.Inbox, table.Outbox} {
		t.Heads(b, func(chat, first uint64) {
			if !busy && err == nil {
				busy, err = holdsUp(t, b, chat, first, at)
			}
		})
	}
	for _, id := range ids {
		task, missing := table.Get[session.Task](t, table.Tasks, table.IDKey(id))
		if missing != nil || task.State != session.TaskRunning {
			w.forget(id) // its chat was forgotten
			continue
		}
		busy = busy || within(task.Address, at)
	}
	return busy, err
}

// holdsUp says whether a queue of a chat, with its first record, belongs to an address. Where
// the chat's record is damaged, that first one tells it. One that is damaged too may be of
// any channel: the turn or the delivery that meets it sets it aside.
func holdsUp(t *table.Tx, queue table.Bucket, chat, first uint64, at channels.Address) (bool, error) {
	if table.IsGone(t, chat) { // the rest of a chat that was forgotten
		return false, nil
	}
	c, err := table.ReadChat(t, chat)
	if err == nil {
		return within(c.Address, at), nil
	}
	if !errors.Is(err, session.ErrCorrupt) {
		return false, err
	}
	return firstHoldsUp(t, queue, chat, first, at), nil
}

// firstHoldsUp says it of a queue by its first record.
func firstHoldsUp(t *table.Tx, queue table.Bucket, chat, first uint64, at channels.Address) bool {
	if queue == table.Inbox {
		item, damaged := table.Get[session.Item](t, queue, table.NumKey(chat, first))
		return damaged != nil || within(item.Address, at)
	}
	rec, damaged := table.Get[table.OutRecord](t, queue, table.NumKey(chat, first))
	return (damaged != nil || within(rec.Outbound.Address, at)) && !table.IsSuspended(t, chat)
}
