package engine

import (
	"context"
	"errors"
	"fmt"

	"parley/pkg/channels"
	"parley/pkg/session"
	"parley/pkg/session/engine/rules"
	"parley/pkg/session/engine/table"
)

// Zone is the time zone of a chat. A damaged one counts as unset.
func (s chats) Zone(ctx context.Context, chat string) (string, error) {
	zone := ""
	err := s.e.w.View(func(t *table.Tx) error {
		payload, err := t.Raw(table.Zones, table.NumKey(rules.BilledChat(t, table.ChatNum(t, chat))))
		zone = string(payload)
		return err
	})
	return zone, s.e.w.OrNone(ctx, err)
}

// SetZone keeps it.
func (s chats) SetZone(ctx context.Context, chat, zone string) error {
	return s.e.w.Do(ctx, func(t *table.Tx) error {
		n := rules.BilledChat(t, table.ChatNum(t, chat))
		if n == 0 {
			return fmt.Errorf("chat %s: %w", chat, session.ErrNotFound)
		}
		return t.PutRaw(table.Zones, table.NumKey(n), []byte(zone))
	})
}

// Spending is the use of a chat on a day. A damaged record counts as empty.
func (s chats) Spending(ctx context.Context, chat, day string) (map[session.Purpose]session.Usage, error) {
	rec := &table.SpentRecord{}
	err := s.e.w.View(func(t *table.Tx) error {
		found, err := table.Get[table.SpentRecord](t, table.Spent, table.SpentKey(rules.BilledChat(t, table.ChatNum(t, chat)), day))
		if err == nil {
			rec = found
		}
		return err
	})
	return *rec, s.e.w.OrNone(ctx, err)
}

// MarkRead notes that the messages of a chat were seen.
func (s chats) MarkRead(ctx context.Context, chat, to string) (marked bool, err error) {
	newest := uint64(0)
	err = s.e.w.View(func(t *table.Tx) error {
		newest, err = rules.NewestUnseen(t, table.ChatNum(t, chat), to)
		return err
	})
	if err != nil || newest == 0 { // no write for what is known
		return false, err
	}
	err = s.e.w.Do(ctx, func(t *table.Tx) error {
		marked, err = rules.MarkRead(t, table.ChatNum(t, chat), to)
		return err
	})
	return marked && err == nil, err
}

// Unread counts the messages since.
func (s chats) Unread(_ context.Context, chat string, limit int) (n int, err error) {
	err = s.e.w.View(func(t *table.Tx) error {
		n, err = rules.Unread(t, table.ChatNum(t, chat), limit)
		return err
	})
	return n, err
}

// Newest returns the chats that were active last.
func (s chats) Newest(_ context.Context, of channels.Address, limit int) (out []session.Info, err error) {
	err = s.e.w.View(func(t *table.Tx) error {
		out = rules.Newest(t, of, limit)
		return nil
	})
	return out, err
}

// Queued are the items that wait in a chat.
func (s chats) Queued(_ context.Context, a channels.Address, limit int) (all []session.Item, err error) {
	err = s.e.w.View(func(t *table.Tx) error {
		n, err := table.ChatAt(t, a)
		if err != nil {
			return err
		}
		waitingFrom(t, n, 0, func(w waiting) bool { // a damaged one is set aside by its turn
			all = append(all, w.item)
			return len(all) < limit
		})
		return nil
	})
	if errors.Is(err, session.ErrNotFound) {
		err = nil
	}
	return all, err
}
