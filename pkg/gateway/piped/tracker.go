package piped

import (
	"context"
	"sync"

	"parley/pkg/channels"
	"parley/pkg/channels/console"
	"parley/pkg/session"
)

// Tracker follows the messages of this process's piped console through the engine. It
// stands in front of the engine without changing its results, and ignores other
// channels.
type Tracker struct {
	session.Engine

	mu sync.Mutex
	// open are the items without an outcome, unsent the messages of their turns that
	// have not left, and settled those that have.
	open, unsent, settled map[string]bool
	failed                bool
	changed               chan struct{}
}

// New tracks the messages that go through an engine.
func New(e session.Engine) *Tracker {
	return &Tracker{
		Engine: e, open: map[string]bool{}, unsent: map[string]bool{}, settled: map[string]bool{},
		changed: make(chan struct{}, 1),
	}
}

// update changes the records and wakes the one that waits.
func (t *Tracker) update(f func()) {
	t.mu.Lock()
	f()
	t.mu.Unlock()
	select {
	case t.changed <- struct{}{}:
	default:
	}
}

// Wait returns when no message is under way, or when ctx ends; failed says whether
// one ended otherwise than answered.
func (t *Tracker) Wait(ctx context.Context) (failed bool, err error) {
	for {
		t.mu.Lock()
		idle, failed := len(t.open) == 0 && len(t.unsent) == 0, t.failed
		t.mu.Unlock()
		if idle {
			return failed, nil
		}
		select {
		case <-t.changed:
		case <-ctx.Done():
			return true, context.Cause(ctx)
		}
	}
}

// Inbox implements [session.Engine].
func (t *Tracker) Inbox() session.Inbox { return trackedInbox{t.Engine.Inbox(), t} }

type trackedInbox struct {
	session.Inbox

	books *Tracker
}

// Append implements [session.Inbox].
func (t trackedInbox) Append(ctx context.Context, items []session.Item, cur *channels.Cursor) error {
	mine := func(f func(id string)) {
		t.books.update(func() {
			for i := range items {
				if k := items[i].Kind; (k == session.ItemMessage || k == session.ItemDecision) && items[i].Address.Channel == console.Name {
					f(items[i].ID)
				}
			}
		})
	}
	mine(func(id string) { t.books.open[id] = true }) // before: a turn may end before Append returns
	err := t.Inbox.Append(ctx, items, cur)
	if err != nil {
		mine(func(id string) { delete(t.books.open, id) })
	}
	return err
}

// Run implements [session.Inbox].
func (t trackedInbox) Run(ctx context.Context, h func(context.Context, session.Turn) error) error {
	return t.Inbox.Run(ctx, func(ctx context.Context, turn session.Turn) error {
		info := turn.Info()
		tt := &trackedTurn{Turn: turn, books: t.books, items: info.Items}
		for i := range info.Steps {
			tt.items = append(tt.items, info.Steps[i].Items...)
		}
		return h(ctx, tt)
	})
}

// Outbox implements [session.Engine].
func (t *Tracker) Outbox() session.Outbox { return trackedOutbox{t.Engine.Outbox(), t} }

type trackedOutbox struct {
	session.Outbox

	books *Tracker
}

// RunOutbox implements [channels.Outbox].
func (t trackedOutbox) RunOutbox(ctx context.Context, channel, account string, h func(context.Context, channels.Delivery) error) error {
	if channel != console.Name {
		return t.Outbox.RunOutbox(ctx, channel, account, h)
	}
	return t.Outbox.RunOutbox(ctx, channel, account, func(ctx context.Context, d channels.Delivery) error {
		return h(ctx, trackedDelivery{Delivery: d, books: t.books})
	})
}

type trackedTurn struct {
	session.Turn

	books *Tracker
	// items started the turn or joined it.
	items []session.Item
}

// Join implements [session.Turn].
func (tt *trackedTurn) Join(ctx context.Context, accept func(session.Item) bool) ([]session.Item, error) {
	items, err := tt.Turn.Join(ctx, accept)
	tt.items = append(tt.items, items...)
	return items, err
}

// Record implements [session.Turn]. Work in the background is under way until the item
// that brings its end home was answered.
func (tt *trackedTurn) Record(ctx context.Context, s session.Step) error {
	tt.leaving(s.Outbox)
	tt.books.update(func() {
		for i := range s.Tasks {
			if t := &s.Tasks[i]; t.Address.Channel == console.Name && !t.Waited {
				tt.books.open[session.TaskItemID(t.ID)] = true
			}
		}
	})
	return tt.Turn.Record(ctx, s)
}

// Tasks implements [session.Engine].
func (t *Tracker) Tasks() session.Tasks { return trackedTasks{t.Engine.Tasks(), t} }

type trackedTasks struct {
	session.Tasks

	books *Tracker
}

// Complete implements [session.Tasks].
func (t trackedTasks) Complete(ctx context.Context, id string, c session.Completion) (bool, error) {
	first, err := t.Tasks.Complete(ctx, id, c)
	if err == nil && c.Item == nil {
		t.books.update(func() { delete(t.books.open, session.TaskItemID(id)) })
	}
	return first, err
}

// Commit implements [session.Turn].
func (tt *trackedTurn) Commit(ctx context.Context, c session.Commit) error {
	tt.leaving(c.Outbox)
	if err := tt.Turn.Commit(ctx, c); err != nil {
		return err
	}
	tt.books.update(func() {
		for i := range tt.items {
			id := tt.items[i].ID
			if tt.books.open[id] && c.Outcome != session.OutcomeAnswered {
				tt.books.failed = true
			}
			delete(tt.books.open, id)
		}
	})
	return nil
}

// leaving notes messages before they are queued: they may be out before the
// engine returns. Those of other chats' turns are not waited for.
func (tt *trackedTurn) leaving(out []channels.Outbound) {
	tt.books.update(func() {
		for i := range tt.items {
			if !tt.books.open[tt.items[i].ID] {
				continue
			}
			for j := range out {
				if out[j].Address.Channel == console.Name && !tt.books.settled[out[j].ID] {
					tt.books.unsent[out[j].ID] = true
				}
			}
			return
		}
	})
}

type trackedDelivery struct {
	channels.Delivery

	books *Tracker
}

// Settle implements [channels.Delivery].
func (d trackedDelivery) Settle(ctx context.Context, o channels.Outcome) error {
	if err := d.Delivery.Settle(ctx, o); err != nil {
		return err
	}
	id := d.Info().Outbound.ID
	d.books.update(func() {
		delete(d.books.unsent, id)
		d.books.settled[id] = true
		if o.State != channels.Delivered {
			d.books.failed = true
		}
	})
	return nil
}
