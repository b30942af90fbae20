package engine

import (
	"bytes"
	"context"
	"maps"
	"slices"

	"parley/pkg/session"
	"parley/pkg/session/engine/rules"
	"parley/pkg/session/engine/table"
)

// Shares are the parts of a chat's use, day by day. A damaged record counts as empty.
func (s chats) Shares(ctx context.Context, chat, from, to string, f func(session.Share)) error {
	err := s.e.w.View(func(t *table.Tx) error {
		n := rules.BilledChat(t, table.ChatNum(t, chat))
		c := t.Cursor(table.Spent)
		for k, _ := c.Seek(table.SpentKey(n, from)); bytes.HasPrefix(k, table.NumKey(n)); k, _ = c.Next() {
			on := table.SpentDay(k)
			if on > to {
				break
			}
			if !table.Misplaced(k) {
				shareOut(t, n, on, f)
			}
		}
		return nil
	})
	return s.e.w.OrNone(ctx, err)
}

// shareOut passes the shares of a chat's day on, and then the rest of the day, which is in no
// share.
func shareOut(t *table.Tx, chat uint64, day string, f func(session.Share)) {
	var rest table.SpentRecord
	if rec, err := table.Get[table.SpentRecord](t, table.Spent, table.SpentKey(chat, day)); err == nil {
		rest = *rec
	}
	t.Each(table.Shares, table.DayKey(chat, day), func(k, _ []byte) bool {
		rec, err := table.Get[table.ShareRecord](t, table.Shares, k)
		if err != nil {
			return true
		}
		for i := range rec.Rows {
			r := &rec.Rows[i]
			if all, known := rest[r.Purpose]; known {
				rest[r.Purpose] = all.Less(r.Usage)
			}
			f(session.Share{Day: day, Person: rec.Person, Purpose: r.Purpose, Model: r.Model, Usage: r.Usage})
		}
		return true
	})
	for _, p := range slices.Sorted(maps.Keys(rest)) {
		if left := rest[p]; left != (session.Usage{}) {
			f(session.Share{Day: day, Purpose: p, Usage: left})
		}
	}
}

// TurnUses are the uses of a chat's ended turns, the newest first. A damaged record is
// passed over.
func (s chats) TurnUses(ctx context.Context, chat string, f func(session.TurnUse) bool) error {
	err := s.e.w.View(func(t *table.Tx) error {
		n := table.ChatNum(t, chat)
		c := t.Cursor(table.Uses)
		for k, _ := c.SeekBefore(table.NumKey(n + 1)); bytes.HasPrefix(k, table.NumKey(n)); k, _ = c.Prev() {
			rec, err := table.Get[table.UseRecord](t, table.Uses, k)
			turn, err2 := table.Get[table.TurnRecord](t, table.Turns, k)
			if err != nil || err2 != nil {
				continue
			}
			u := session.TurnUse{
				Turn: table.TurnID(n, table.Num(k, 1)), Ended: turn.Time, Outcome: turn.Outcome, Spent: session.Spent(*rec),
			}
			if !f(u) {
				return nil
			}
		}
		return nil
	})
	return s.e.w.OrNone(ctx, err)
}
