package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"parley/pkg/channels"
	"parley/pkg/session"
	"parley/pkg/session/engine/lane"
	"parley/pkg/session/engine/table"
)

// moveBook has in memory what the chats were called. It is read anew after each
// change, also one that failed: a failed commit may have reached the disk.
type moveBook struct {
	mu     sync.Mutex // held over a change and the reading that follows
	former atomic.Pointer[map[string][]string]
}

// read takes the moves into memory. Of a damaged one nothing is known.
func (m *moveBook) read(t *table.Tx) error {
	former := map[string][]string{}
	t.Each(table.Moves, nil, func(k, _ []byte) bool {
		if rec, err := table.Get[table.MoveRecord](t, table.Moves, k); err == nil {
			former[string(k)] = rec.Former
		}
		return true
	})
	m.former.Store(&former)
	return nil
}

// Former are the ids that a chat had before it moved to this one.
func (s chats) Former(channel, account, chat string) []string {
	former := *s.e.moves.former.Load()
	if len(former) == 0 {
		return nil
	}
	return former[string(table.AddrKey(channels.Address{Channel: channel, Account: account, Chat: chat}))]
}

// Move makes to an address of the chat at from.
func (s chats) Move(ctx context.Context, from, to channels.Address) error {
	s.e.moves.mu.Lock()
	defer s.e.moves.mu.Unlock()
	return errors.Join(s.e.write(ctx, func(t *table.Tx) error {
		if err := putMove(t, from, to); err != nil {
			return err
		}
		return s.e.moveChat(t, from, to)
	}), s.e.view(s.e.moves.read))
}

// putMove remembers what the chat at to was called. A thread is no chat.
func putMove(t *table.Tx, from, to channels.Address) error {
	if from == to || from.Thread != "" || to.Thread != "" {
		return nil
	}
	former := []string{from.Chat}
	for _, at := range []channels.Address{to, from} {
		rec, err := table.Get[table.MoveRecord](t, table.Moves, table.AddrKey(at))
		switch {
		case errors.Is(err, session.ErrNotFound):
		case err != nil:
			return err
		default:
			former = append(former, rec.Former...)
		}
	}
	rec := table.MoveRecord{Address: to}
	for _, id := range former {
		if id != to.Chat && !slices.Contains(rec.Former, id) {
			rec.Former = append(rec.Former, id)
		}
	}
	return t.Put(table.Moves, table.AddrKey(to), rec)
}

// moveChat gives the chat at from another address; nothing, where none has begun there.
func (e *Engine) moveChat(t *table.Tx, from, to channels.Address) error {
	n, err := table.ChatAt(t, from)
	if errors.Is(err, session.ErrNotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("move from %s %s: %w", from.Channel, from.Chat, err)
	}
	c, err := table.ReadChat(t, n)
	if err != nil {
		return err
	}
	other, err := table.ChatAt(t, to)
	switch {
	case err == nil && other != n:
		if err := errors.Join(takeOver(t, n, other), e.mergeChat(t, n, c, other)); err != nil {
			return err
		}
	case err != nil && !errors.Is(err, session.ErrNotFound):
		return err
	}
	if err := t.PutRaw(table.Addr, table.AddrKey(to), table.NumKey(n)); err != nil {
		return err
	}
	c.Address = to
	if !slices.Contains(c.Aliases, to) {
		c.Aliases = append(c.Aliases, to)
	}
	t.OnCommit = append(t.OnCommit, func() { e.signalOutbox(to, n, lane.ForPerson, time.Time{}) })
	if err := t.Put(table.Chats, table.NumKey(n), c); err != nil {
		return err
	}
	return readdress(t, n, c)
}

// mergeChat takes over a chat that already began at the address that another one
// moves to: what waits there is answered in the chat that moved, and what was
// said there stays readable as a session that was left behind.
func (e *Engine) mergeChat(t *table.Tx, n uint64, into *table.ChatRecord, other uint64) error {
	from, err := table.ReadChat(t, other)
	if err != nil {
		return err
	}
	if err := loseBegun(t, other, into); err != nil {
		return err
	}
	// An interrupted turn is found by the head of the inbox, and keeps that place.
	steps, _ := t.First(table.Steps, table.NumKey(n))
	for _, b := range []table.Bucket{table.Inbox, table.Outbox, table.Turns} {
		for _, key := range t.Keys(b, table.NumKey(other)) {
			seq := table.Num(key, 1)
			if b == table.Inbox && steps != nil {
				if seq, err = t.Next(); err != nil {
					return err
				}
			}
			if err := rekey(t, b, key, table.NumKey(n, seq)); err != nil {
				return err
			}
		}
	}
	for _, a := range from.Aliases {
		if err := t.PutRaw(table.Addr, table.AddrKey(a), table.NumKey(n)); err != nil {
			return err
		}
		if !slices.Contains(into.Aliases, a) {
			into.Aliases = append(into.Aliases, a)
		}
	}
	past := table.InfoOf(t, other, from)
	past.Current, past.Chat = false, table.ChatID(n)
	if err := t.Put(table.Sessions, []byte(past.Session), &table.SessionRecord{Chat: n, Past: &past}); err != nil {
		return err
	}
	for _, b := range []table.Bucket{table.Steps, table.Suspects, table.Suspended, table.Chats} {
		if err := t.DeleteAll(b, table.NumKey(other)); err != nil {
			return err
		}
	}
	t.OnCommit = append(t.OnCommit, (&arrival{e: e, chat: n, item: &session.Item{}}).signal)
	return nil
}

// loseBegun ends the interrupted turn of a chat that becomes part of another
// one, when a call of it may have taken effect: its ledger does not move along,
// and the call must not run again. Its items are listed as failed at c.
func loseBegun(t *table.Tx, chat uint64, c *table.ChatRecord) error {
	k, _ := t.First(table.Inbox, table.NumKey(chat))
	prefix := table.NumKey(chat, table.Num(k, 1))
	begun := t.AnyBad(table.Steps, prefix)
	t.Each(table.Steps, prefix, func(k, _ []byte) bool {
		rec, err := table.Get[table.StepRecord](t, table.Steps, k)
		begun = begun || err != nil || rec.Step.Kind == session.StepBegun && (rec.Step.Call == nil || !rec.Step.Call.Rerunnable)
		return !begun
	})
	if !begun {
		return nil
	}
	return loseTurn(t, c, prefix, "interrupted, and its chat has moved: it is unknown what took effect")
}

// rekey moves a record to another chat, and what points at it.
func rekey(t *table.Tx, b table.Bucket, from, to []byte) error {
	payload, err := t.Raw(b, from)
	if err != nil {
		return t.SetAside(b, from)
	}
	if err := t.PutRaw(b, to, payload); err != nil {
		return err
	}
	switch b {
	case table.Inbox:
		err = repointItem(t, from, to)
	case table.Outbox:
		err = repointMessage(t, from, to)
	default:
	}
	if err != nil {
		return err
	}
	return t.Delete(b, from)
}

// repointItem makes the id of a waiting item follow it to another chat.
func repointItem(t *table.Tx, from, to []byte) error {
	item, err := table.Get[session.Item](t, table.Inbox, to)
	if err != nil {
		return err
	}
	rec, err := table.Get[table.SeenRecord](t, table.Seen, table.IDKey(item.ID))
	if err != nil || rec.Seq != table.Num(from, 1) {
		return nil //nolint:nilerr // it was pruned
	}
	rec.Chat, rec.Seq = table.Num(to, 0), table.Num(to, 1)
	return t.Put(table.Seen, table.IDKey(item.ID), rec)
}

// repointMessage makes the id of a queued message follow it to another chat.
func repointMessage(t *table.Tx, from, to []byte) error {
	out, err := table.Get[table.OutRecord](t, table.Outbox, to)
	if err != nil {
		return err
	}
	rec, err := table.Get[table.SentRecord](t, table.Sent, table.IDKey(out.Outbound.ID))
	if err != nil || rec.Seq != table.Num(from, 1) {
		return nil //nolint:nilerr // it was pruned
	}
	rec.Chat, rec.Seq = table.Num(to, 0), table.Num(to, 1)
	return t.Put(table.Sent, table.IDKey(out.Outbound.ID), rec)
}
