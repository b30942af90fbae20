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
	"parley/pkg/session/engine/rules"
	"parley/pkg/session/engine/table"
)

// moveBook has in memory the former addresses of the chats. It is read anew after each
// change, also one that failed: a failed commit may have reached the disk.
type moveBook struct {
	mu     sync.Mutex // held over a change and the reading that follows
	former atomic.Pointer[map[string][]string]
}

// read takes the moves into memory. A damaged one is left out.
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
	return errors.Join(s.e.tokens.Along(ctx, func(t *table.Tx) error {
		return errors.Join(rules.PutMove(t, from, to), rules.MoveLink(t, from, to), s.moveChat(t, from, to))
	}), s.e.w.View(s.e.moves.read))
}

// moveChat gives the chat at from another address; without a chat there it has no
// effect.
func (s chats) moveChat(t *table.Tx, from, to channels.Address) error {
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
		if err := errors.Join(rules.TakeOver(t, n, other), s.mergeChat(t, n, c, other)); err != nil {
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
	t.OnCommit = append(t.OnCommit, func() { s.e.out.Signal(to, n, lane.ForPerson, time.Time{}) })
	if err := t.Put(table.Chats, table.NumKey(n), c); err != nil {
		return err
	}
	return rules.Readdress(t, n, c)
}

// mergeChat takes over a chat that already began at the address that another one moves
// to: its items are answered in the chat that moved, and its conversations stay
// readable as sessions that were left behind.
func (s chats) mergeChat(t *table.Tx, n uint64, into *table.ChatRecord, other uint64) error {
	from, err := table.ReadChat(t, other)
	if err != nil {
		return err
	}
	if err := rules.LoseBegun(t, other, into); err != nil {
		return err
	}
	// An interrupted turn is found by the head of the inbox, and keeps that place.
	steps, _ := t.First(table.Steps, table.NumKey(n))
	for _, b := range []table.Bucket{table.Inbox, table.Outbox, table.Turns, table.Uses, table.Programs} {
		for _, key := range t.Keys(b, table.NumKey(other)) {
			seq := table.Num(key, 1)
			if b == table.Inbox && steps != nil {
				if seq, err = t.Next(); err != nil {
					return err
				}
			}
			if err := rules.Rekey(t, b, key, table.NumKey(n, seq)); err != nil {
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
	t.OnCommit = append(t.OnCommit, (&arrival{ib: s.e.in, chat: n, item: &session.Item{}}).signal)
	return nil
}
