package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"parley/pkg/session"
	"parley/pkg/session/engine/table"
)

// Zone is the time zone of a chat. A damaged one is as good as none.
func (s chats) Zone(ctx context.Context, chat string) (string, error) {
	zone := ""
	err := s.e.view(func(t *table.Tx) error {
		payload, err := t.Raw(table.Zones, table.NumKey(billedChat(t, table.ChatNum(t, chat))))
		zone = string(payload)
		return err
	})
	return zone, s.e.orNone(ctx, err)
}

// zoneOf is the time zone of a chat whose record is at hand.
func zoneOf(t *table.Tx, n uint64, c *table.ChatRecord) string {
	if c.Address.Channel == session.AgentChannel {
		n = billedChat(t, n)
	}
	payload, err := t.Raw(table.Zones, table.NumKey(n))
	if err != nil {
		return "" // a damaged one is as good as none
	}
	return string(payload)
}

// SetZone keeps it.
func (s chats) SetZone(ctx context.Context, chat, zone string) error {
	return s.e.write(ctx, func(t *table.Tx) error {
		n := billedChat(t, table.ChatNum(t, chat))
		if n == 0 {
			return fmt.Errorf("chat %s: %w", chat, session.ErrNotFound)
		}
		return t.PutRaw(table.Zones, table.NumKey(n), []byte(zone))
	})
}

// orNone makes nothing of an error that says that there is no record, or that it
// is damaged, and sets that one aside.
func (e *Engine) orNone(ctx context.Context, err error) error {
	e.setAsideIf(ctx, err)
	if errors.Is(err, session.ErrNotFound) || errors.Is(err, session.ErrCorrupt) {
		return nil
	}
	return err
}

// Spending is what a chat used on a day. Of a damaged record nothing is known.
func (s chats) Spending(ctx context.Context, chat, day string) (map[session.Purpose]session.Usage, error) {
	rec := &table.SpentRecord{}
	err := s.e.view(func(t *table.Tx) error {
		found, err := table.Get[table.SpentRecord](t, table.Spent, table.SpentKey(billedChat(t, table.ChatNum(t, chat)), day))
		if err == nil {
			rec = found
		}
		return err
	})
	return *rec, s.e.orNone(ctx, err)
}

// spend counts what was used in a chat.
func spend(t *table.Tx, chat uint64, s *session.Spent) error {
	if s == nil {
		return nil
	}
	n := billedChat(t, chat)
	if n == 0 {
		return nil
	}
	return addSpent(t, table.SpentKey(n, s.Day), table.SpentRecord{s.Purpose: s.Usage})
}

// addSpent adds to what was used on a day.
func addSpent(t *table.Tx, key []byte, more table.SpentRecord) error {
	rec, err := table.Get[table.SpentRecord](t, table.Spent, key)
	switch {
	case errors.Is(err, session.ErrNotFound):
		rec = &table.SpentRecord{}
		t.Added++
	case errors.Is(err, session.ErrCorrupt):
		rec = &table.SpentRecord{}
		if err := t.SetAside(table.Spent, key); err != nil {
			return err
		}
	case err != nil:
		return err
	}
	for p, u := range more {
		sum := (*rec)[p]
		sum.Turns, sum.Input, sum.Output = plus(sum.Turns, u.Turns), plus(sum.Input, u.Input), plus(sum.Output, u.Output)
		sum.Money = plus(sum.Money, u.Money)
		(*rec)[p] = sum
	}
	return t.Put(table.Spent, key, rec)
}

// plus adds what a model claims to have used: nothing makes a sum smaller.
func plus[N int | int64](sum, more N) N {
	return max(sum, sum+max(more, 0)) // one that is too large to count wraps around
}

// takeOverFacts adds to a chat what is kept of another one that becomes part of it.
func takeOverFacts(t *table.Tx, n, other uint64) error {
	if zone, err := t.Raw(table.Zones, table.NumKey(other)); err == nil && !t.Has(table.Zones, table.NumKey(n)) {
		if err := t.PutRaw(table.Zones, table.NumKey(n), slices.Clone(zone)); err != nil {
			return err
		}
	}
	for _, key := range t.Keys(table.Spent, table.NumKey(other)) {
		rec, err := table.Get[table.SpentRecord](t, table.Spent, key)
		if err != nil {
			continue // it goes with the chat
		}
		if err := addSpent(t, table.SpentKey(n, string(key[table.ChatKeyLen:])), *rec); err != nil {
			return err
		}
	}
	return errors.Join(t.DeleteAll(table.Zones, table.NumKey(other)), t.DeleteAll(table.Spent, table.NumKey(other)))
}
