package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"golang.org/x/sync/semaphore"

	"parley/pkg/channels"
	"parley/pkg/session"
	"parley/pkg/session/engine/drain"
	"parley/pkg/session/engine/lane"
	"parley/pkg/session/engine/outbox"
	"parley/pkg/session/engine/rules"
	"parley/pkg/session/engine/table"
	"parley/pkg/session/engine/writer"
)

// inbox is the way in: it stores items and hands out turns.
type inbox struct {
	o    Options
	w    *writer.Writer
	out  *outbox.Outbox
	runs *lane.Runs
	done <-chan struct{} // closed when the engine is

	drains *drain.Watch

	lanes    lanesOf
	editLock editLock
	suspects *semaphore.Weighted
}

func newInbox(e *Engine) *inbox {
	return &inbox{
		o: e.o, w: e.w, out: e.out, runs: &e.runs, done: e.done, drains: &e.drains,
		lanes: lanesOf{turns: map[uint64]*turn{}}, suspects: semaphore.NewWeighted(math.MaxInt64),
	}
}

// Append stores items in their chats' inboxes.
func (ib *inbox) Append(ctx context.Context, items []session.Item, cursor *channels.Cursor) error {
	if len(items) == 0 && cursor == nil {
		return nil
	}
	payloads, size := make([][]byte, len(items)), 0
	for i := range items {
		if err := table.Storable(items[i].ID, items[i].Address); err != nil {
			return fmt.Errorf("append: %w", err)
		}
		var err error
		if payloads[i], err = table.Encode(&items[i]); err != nil {
			return err
		}
		size += len(payloads[i])
	}
	return ib.w.Await(ctx, &writer.Write{Size: size, Run: func(t *table.Tx) error {
		if cursor != nil {
			if err := moveCursor(t, cursor); err != nil {
				return err
			}
		}
		for i := range items {
			if err := ib.appendItem(t, &items[i], payloads[i], 0); err != nil {
				return err
			}
		}
		return nil
	}})
}

// Waits is an item that no turn has consumed.
func (ib *inbox) Waits(_ context.Context, id string) (item session.Item, err error) {
	err = ib.w.View(func(t *table.Tx) error {
		seen, err := table.Get[table.SeenRecord](t, table.Seen, table.IDKey(id))
		if err != nil {
			return err
		}
		waits, err := table.Get[session.Item](t, table.Inbox, table.NumKey(seen.Chat, seen.Seq))
		if err == nil {
			item = *waits
		}
		return err
	})
	return item, err
}

// sumOf is the sum of an item's wish, or "".
func sumOf(item *session.Item) string {
	if item.Inbound == nil || item.Inbound.Wish == nil {
		return ""
	}
	return item.Inbound.Wish.Sum
}

// again swallows an item whose id was accepted before, unless its sum tells that it is
// another one.
func again(t *table.Tx, item *session.Item) error {
	sum := sumOf(item)
	if sum == "" {
		return nil
	}
	first, err := t.Raw(table.Sums, table.IDKey(item.ID))
	if err == nil && string(first) != sum {
		return fmt.Errorf("item %s: %w", item.ID, session.ErrTaken)
	}
	return nil // a damaged record keeps its id
}

// keepID remembers an accepted item's id, with the sum of its wish.
func keepID(t *table.Tx, item *session.Item, rec *table.SeenRecord) error {
	t.Added++
	id := table.IDKey(item.ID)
	if sum := sumOf(item); sum != "" {
		t.Added++
		if err := t.PutRaw(table.Sums, id, []byte(sum)); err != nil {
			return err
		}
	}
	return t.Put(table.Seen, id, rec)
}

// appendItem queues one item, in the given chat or, for 0, in that of its
// address. An id that was accepted before is swallowed.
func (ib *inbox) appendItem(t *table.Tx, item *session.Item, payload []byte, chat uint64) error {
	id := table.IDKey(item.ID)
	if t.Has(table.Seen, id) {
		return again(t, item)
	}
	if item.Delete {
		return ib.takeBack(t, item)
	}
	if item.Edit != "" || isPart(item) {
		var err error
		if item, err = ib.appendInto(t, item); item == nil || err != nil {
			return err
		}
		if payload, err = table.Encode(item); err != nil {
			return err
		}
	}
	if chat == 0 {
		var err error
		if chat, err = rules.EnsureChat(t, item.Address); err != nil {
			return err
		}
	}
	seq, err := t.Next()
	if err != nil {
		return err
	}
	if err := t.PutRaw(table.Inbox, table.NumKey(chat, seq), payload); err != nil {
		return err
	}
	if err := keepID(t, item, &table.SeenRecord{Chat: chat, Seq: seq, Time: t.Now}); err != nil {
		return err
	}
	if err := ib.endSuspension(t, item, chat); err != nil {
		return err
	}
	a := &arrival{ib: ib, chat: chat, seq: seq, item: item}
	if item.Album == nil { // more of it may come
		t.Speculative = append(t.Speculative, a)
	}
	t.OnCommit = append(t.OnCommit, a.signal)
	return nil
}

// appendTo queues an item in a chat, as one of the address where the chat is now;
// with 0 in the chat of its own address.
func (ib *inbox) appendTo(t *table.Tx, chat uint64, item *session.Item, payload []byte) error {
	c, err := table.ReadChat(t, chat)
	if chat == 0 || err != nil || c.Address == item.Address {
		return ib.appendItem(t, item, payload, chat)
	}
	moved := *item
	moved.Address = c.Address
	if item.Job != nil {
		job := *item.Job
		job.Address, moved.Job = c.Address, &job
	}
	if payload, err = table.Encode(&moved); err != nil {
		return err
	}
	return ib.appendItem(t, &moved, payload, chat)
}

// endSuspension lets a chat be written to again that somebody has written in.
func (ib *inbox) endSuspension(t *table.Tx, item *session.Item, chat uint64) error {
	if item.Kind != session.ItemMessage || !table.IsSuspended(t, chat) {
		return nil
	}
	t.OnCommit = append(t.OnCommit, func() { ib.out.Signal(item.Address, chat, lane.ForPerson, time.Time{}) })
	return rules.Reached(t, chat)
}

// appendInto puts an item into the one that it belongs to. A part that it returns is to
// be an item of its own; it may be nil.
func (ib *inbox) appendInto(t *table.Tx, item *session.Item) (*session.Item, error) {
	if item.Edit != "" {
		return ib.appendEdit(t, item)
	}
	return ib.appendPart(t, item)
}

// moveCursor checks and moves a reading position.
func moveCursor(t *table.Tx, c *channels.Cursor) error {
	at, err := readPosition(t, c.Name)
	if err != nil {
		return err
	}
	if at != c.From {
		return fmt.Errorf("cursor %s: %w", c.Name, session.ErrFenced)
	}
	if c.From == c.To {
		return nil
	}
	return t.PutRaw(table.Cursors, table.IDKey(c.Name), []byte(c.To))
}

func readPosition(t *table.Tx, name string) (string, error) {
	payload, err := t.Raw(table.Cursors, table.IDKey(name))
	if errors.Is(err, session.ErrNotFound) {
		return "", nil
	}
	return string(payload), err
}

// Position is a cursor's stored position.
func (ib *inbox) Position(_ context.Context, name string) (pos string, err error) {
	err = ib.w.View(func(t *table.Tx) error {
		pos, err = readPosition(t, name)
		return err
	})
	return pos, err
}

// Drained waits until the queues of an address are empty.
func (ib *inbox) Drained(ctx context.Context, at channels.Address) (failed bool, err error) {
	return ib.drains.Wait(ctx, ib.w, ib.done, at)
}

// Run hands out turns until ctx ends or the engine is closed. Only one Run at a
// time is possible.
func (ib *inbox) Run(ctx context.Context, h func(context.Context, session.Turn) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	sched := lane.New(ctx, ib.o.Lanes, func(ctx context.Context, chat uint64, p lane.Pass) (bool, error) {
		return ib.nextTurn(ctx, chat, p, h)
	})
	if !ib.runs.Enter() {
		return writer.ErrClosed
	}
	defer ib.runs.Leave()
	ib.lanes.mu.Lock()
	if ib.lanes.inbox != nil {
		ib.lanes.mu.Unlock()
		return fmt.Errorf("run: %w", lane.ErrRunning)
	}
	ib.lanes.inbox = sched
	ib.lanes.mu.Unlock()

	err := ib.signalChats(sched)
	if err == nil {
		select {
		case <-ctx.Done():
		case <-ib.done:
			cancel()
		}
	}
	cancel()
	sched.Stop()
	ib.lanes.mu.Lock()
	ib.lanes.inbox = nil
	for _, t := range ib.lanes.turns { // one that began early may have found no lane any more
		t.loan.End()
	}
	clear(ib.lanes.turns)
	ib.lanes.mu.Unlock()
	return err
}

// signal tells the chat's lane, and its running turn, that the item arrived.
func (a *arrival) signal() {
	a.ib.lanes.mu.Lock()
	s, open := a.ib.lanes.inbox, a.ib.lanes.turns[a.chat]
	a.ib.lanes.mu.Unlock()
	if open != nil {
		open.arrived(a.seq)
	}
	if a.turn != nil && (a.turn == open || a.turn.committed.Load()) {
		return // its lane was told when the turn began, and looks again unless the turn commits
	}
	if s != nil {
		s.Signal(a.chat, urgencyOf(a.item), a.item.Time)
	}
}

// urgencyOf is that of an item. An agent's counts as a person's, since a turn may wait
// for the agent, and agents have bounds of their own.
func urgencyOf(item *session.Item) lane.Urgency {
	switch {
	case item.Address.Channel == session.AgentChannel:
		return lane.ForPerson
	case item.Kind == session.ItemSchedule:
		return lane.ForJob
	case item.Kind == session.ItemTask:
		return lane.ForResult
	default:
		return lane.ForPerson
	}
}

// signalChats tells a scheduler of every chat that has items.
func (ib *inbox) signalChats(s *lane.Scheduler) error {
	return ib.w.View(func(t *table.Tx) error {
		rules.SignalQueue(t, table.Inbox, s, urgencyOf)
		return nil
	})
}

// resync looks again at everything that waits.
func (ib *inbox) resync() {
	ib.lanes.mu.Lock()
	s := ib.lanes.inbox
	ib.lanes.mu.Unlock()
	if s != nil {
		_ = ib.signalChats(s)
	}
}

// waiting is an item in its chat's inbox.
type waiting struct {
	seq  uint64
	item session.Item
}

// waitingFrom reads a chat's items from seq on, until f says no. Damaged ones
// are returned for setting aside.
func waitingFrom(t *table.Tx, chat, seq uint64, f func(waiting) bool) (bad []*table.RecordError) {
	c := t.Cursor(table.Inbox)
	for k, v := c.Seek(table.NumKey(chat, seq)); k != nil && table.Num(k, 0) == chat; k, v = c.Next() {
		payload, err := table.Unseal(table.Inbox, k, v)
		if err == nil {
			var item *session.Item
			if item, err = table.Decode[session.Item](table.Inbox, k, payload); err == nil {
				if !f(waiting{seq: table.Num(k, 1), item: *item}) {
					return bad
				}
				continue
			}
		}
		bad = append(bad, &table.RecordError{Bucket: table.Inbox, Key: bytes.Clone(k)})
	}
	return bad
}

// batch applies the limits of a turn.
type batch struct {
	count, size int
	solo        bool
}

// takes says whether one more item fits, and counts it if so.
func (b *batch) takes(item *session.Item) bool {
	if b.count > 0 && (b.solo || item.Solo || b.count >= session.MaxTurnItems || b.size+item.Size() > session.MaxTurnBytes) {
		return false
	}
	b.count++
	b.size += item.Size()
	b.solo = b.solo || item.Solo
	return true
}
