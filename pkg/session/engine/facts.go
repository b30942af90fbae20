package engine

import (
	"context"
	"fmt"

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
