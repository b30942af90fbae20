package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"parley/pkg/channels"
	"parley/pkg/session"
	"parley/pkg/session/engine/lane"
)

var errRunning = errors.New("it runs already")

// Append stores items in their chats' inboxes.
func (s inbox) Append(ctx context.Context, items []session.Item, cursor *channels.Cursor) error {
	if len(items) == 0 && cursor == nil {
		return nil
	}
	payloads, size := make([][]byte, len(items)), 0
	for i := range items {
		if err := storable(items[i].ID, items[i].Address); err != nil {
			return fmt.Errorf("append: %w", err)
		}
		var err error
		if payloads[i], err = encode(&items[i]); err != nil {
			return err
		}
		size += len(payloads[i])
	}
	return s.e.await(ctx, &write{size: size, run: func(t *tx) error {
		if cursor != nil {
			if err := t.moveCursor(cursor); err != nil {
				return err
			}
		}
		for i := range items {
			if err := s.e.appendItem(t, &items[i], payloads[i], 0); err != nil {
				return err
			}
		}
		return nil
	}})
}

// Waits is an item that no turn has consumed.
func (s inbox) Waits(_ context.Context, id string) (item session.Item, err error) {
	err = s.e.view(func(t *tx) error {
		seen, err := get[seenRec](t, bkSeen, idKey(id))
		if err != nil {
			return err
		}
		waits, err := get[session.Item](t, bkInbox, numKey(seen.Chat, seen.Seq))
		if err == nil {
			item = *waits
		}
		return err
	})
	return item, err
}

// storable refuses what would not be found again under the same name.
func storable(id string, a channels.Address) error {
	if id == "" {
		return errors.New("an id is empty")
	}
	for _, s := range []string{id, a.Channel, a.Account, a.Chat, a.Thread} {
		if !utf8.ValidString(s) {
			return fmt.Errorf("%q is not valid UTF-8", s)
		}
	}
	return nil
}

// appendItem queues one item, in the given chat or, for 0, in that of its
// address. An id that was accepted before is swallowed.
func (e *Engine) appendItem(t *tx, item *session.Item, payload []byte, chat uint64) error {
	id := idKey(item.ID)
	if t.has(bkSeen, id) {
		return nil
	}
	if item.Delete {
		return e.takeBack(t, item)
	}
	if item.Edit != "" || isPart(item) {
		var err error
		if item, err = e.appendInto(t, item); item == nil || err != nil {
			return err
		}
		if payload, err = encode(item); err != nil {
			return err
		}
	}
	if chat == 0 {
		var err error
		if chat, err = t.ensureChat(item.Address); err != nil {
			return err
		}
	}
	seq, err := t.next()
	if err != nil {
		return err
	}
	if err := t.putRaw(bkInbox, numKey(chat, seq), payload); err != nil {
		return err
	}
	if err := t.put(bkSeen, id, &seenRec{Chat: chat, Seq: seq, Time: t.now}); err != nil {
		return err
	}
	t.added++
	if err := e.endSuspension(t, item, chat); err != nil {
		return err
	}
	if item.Album == nil { // more of it may come
		t.arrived = append(t.arrived, arrival{chat: chat, seq: seq, item: item})
	}
	t.after = append(t.after, func() { e.signalInbox(arrival{chat: chat, seq: seq, item: item}) })
	return nil
}

// endSuspension lets a chat be written to again that somebody has written in.
func (e *Engine) endSuspension(t *tx, item *session.Item, chat uint64) error {
	if item.Kind != session.ItemMessage || !t.isSuspended(chat) {
		return nil
	}
	t.after = append(t.after, func() { e.signalOutbox(item.Address, chat, lane.ForPerson, time.Time{}) })
	return t.reached(chat)
}

// appendInto puts an item into the one that it belongs to. What it returns is to
// be an item of its own; nil for nothing.
func (e *Engine) appendInto(t *tx, item *session.Item) (*session.Item, error) {
	if item.Edit != "" {
		return e.appendEdit(t, item)
	}
	return e.appendPart(t, item)
}

// moveCursor checks and moves a reading position.
func (t *tx) moveCursor(c *channels.Cursor) error {
	at, err := t.position(c.Name)
	if err != nil {
		return err
	}
	if at != c.From {
		return fmt.Errorf("cursor %s: %w", c.Name, session.ErrFenced)
	}
	if c.From == c.To {
		return nil
	}
	return t.putRaw(bkCursors, idKey(c.Name), []byte(c.To))
}

func (t *tx) position(name string) (string, error) {
	payload, err := t.raw(bkCursors, idKey(name))
	if errors.Is(err, session.ErrNotFound) {
		return "", nil
	}
	return string(payload), err
}

// Position is a cursor's stored position.
func (s inbox) Position(_ context.Context, name string) (pos string, err error) {
	err = s.e.view(func(t *tx) error {
		pos, err = t.position(name)
		return err
	})
	return pos, err
}

// Run hands out turns until ctx ends or the engine is closed. Only one Run at a
// time is possible.
func (s inbox) Run(ctx context.Context, h func(context.Context, session.Turn) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	sched := lane.New(ctx, s.e.o.Lanes, func(ctx context.Context, chat uint64, p lane.Pass) (bool, error) {
		return s.e.nextTurn(ctx, chat, p, h)
	})
	s.e.lanes.mu.Lock()
	if s.e.lanes.inbox != nil {
		s.e.lanes.mu.Unlock()
		return fmt.Errorf("run: %w", errRunning)
	}
	if err := s.e.lanes.enter(); err != nil {
		s.e.lanes.mu.Unlock()
		return err
	}
	defer s.e.lanes.leave()
	s.e.lanes.inbox = sched
	s.e.lanes.mu.Unlock()

	err := s.e.signalChats(bkInbox, sched)
	if err == nil {
		select {
		case <-ctx.Done():
		case <-s.e.done:
			cancel()
		}
	}
	cancel()
	sched.Stop()
	s.e.lanes.mu.Lock()
	s.e.lanes.inbox = nil
	clear(s.e.lanes.turns) // one that began early may have found no lane any more
	s.e.lanes.mu.Unlock()
	return err
}

// signalInbox tells a chat's lane, and its running turn, that something arrived.
func (e *Engine) signalInbox(a arrival) {
	e.lanes.mu.Lock()
	s, open := e.lanes.inbox, e.lanes.turns[a.chat]
	e.lanes.mu.Unlock()
	if open != nil {
		open.arrived(a.seq)
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

// signalChats tells a scheduler of every chat that has something in b.
func (e *Engine) signalChats(b bucket, s *lane.Scheduler) error {
	return e.view(func(t *tx) error {
		t.heads(b, func(chat, _ uint64) { s.Signal(chat, t.urgencyOf(b, chat), time.Time{}) })
		return nil
	})
}

// urgencyOf is that of the most urgent record in a chat's queue. One that cannot be
// read counts as a person's.
func (t *tx) urgencyOf(b bucket, chat uint64) lane.Urgency {
	most := lane.Urgencies
	t.each(b, numKey(chat), func(k, v []byte) bool {
		most = min(most, readUrgency(b, k, v))
		return most > lane.ForPerson
	})
	return min(most, lane.ForResult)
}

func readUrgency(b bucket, k, v []byte) lane.Urgency {
	payload, err := unseal(b, k, v)
	if err != nil {
		return lane.ForPerson
	}
	if b == bkInbox {
		if item, err := decode[session.Item](b, k, payload); err == nil {
			return urgencyOf(item)
		}
		return lane.ForPerson
	}
	if rec, err := decode[outRec](b, k, payload); err == nil {
		return urgencyOut(&rec.Outbound)
	}
	return lane.ForPerson
}

// signalPending tells every running scheduler of everything that waits.
func (e *Engine) signalPending() {
	e.lanes.mu.Lock()
	in := e.lanes.inbox
	var out []*lane.Scheduler
	for _, s := range e.lanes.outbox {
		out = append(out, s)
	}
	e.lanes.mu.Unlock()
	if in != nil {
		_ = e.signalChats(bkInbox, in)
	}
	for _, s := range out {
		_ = e.signalChats(bkOutbox, s)
	}
}

// waiting is an item in its chat's inbox.
type waiting struct {
	seq  uint64
	item session.Item
}

// waitingFrom reads a chat's items from seq on, until f says no. Damaged ones
// are returned for setting aside.
func (t *tx) waitingFrom(chat, seq uint64, f func(waiting) bool) (bad []*recordError) {
	c := t.k.Cursor(bkInbox)
	for k, v := c.Seek(numKey(chat, seq)); k != nil && num(k, 0) == chat; k, v = c.Next() {
		payload, err := unseal(bkInbox, k, v)
		if err == nil {
			var item *session.Item
			if item, err = decode[session.Item](bkInbox, k, payload); err == nil {
				if !f(waiting{seq: num(k, 1), item: *item}) {
					return bad
				}
				continue
			}
		}
		bad = append(bad, &recordError{bucket: bkInbox, key: bytes.Clone(k)})
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
