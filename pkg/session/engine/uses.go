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
		day := dayOfShares{f: f}
		c := t.Cursor(table.Spent)
		for k, _ := c.Seek(table.SpentKey(n, from)); bytes.HasPrefix(k, table.NumKey(n)); k, _ = c.Next() {
			on, share := table.SpentDay(k)
			if on > to {
				break
			}
			day.begin(on)
			if !share {
				day.all(t, k)
			} else if rec, err := table.Get[table.ShareRecord](t, table.Spent, k); err == nil {
				day.share(rec)
			}
		}
		day.begin("")
		return nil
	})
	return s.e.w.OrNone(ctx, err)
}

// dayOfShares passes the shares of a day on, and then the rest of the day, which is in no
// share.
type dayOfShares struct {
	f    func(session.Share)
	day  string
	rest map[session.Purpose]session.Usage
}

// begin ends the present day where another one begins.
func (d *dayOfShares) begin(day string) {
	if day == d.day {
		return
	}
	for _, p := range slices.Sorted(maps.Keys(d.rest)) {
		if rest := d.rest[p]; rest != (session.Usage{}) {
			d.f(session.Share{Day: d.day, Purpose: p, Usage: rest})
		}
	}
	d.day, d.rest = day, nil
}

func (d *dayOfShares) all(t *table.Tx, k []byte) {
	if rec, err := table.Get[table.SpentRecord](t, table.Spent, k); err == nil {
		d.rest = maps.Clone(*rec)
	}
}

func (d *dayOfShares) share(rec *table.ShareRecord) {
	for i := range rec.Rows {
		r := &rec.Rows[i]
		if all, known := d.rest[r.Purpose]; known {
			d.rest[r.Purpose] = all.Less(r.Usage)
		}
		d.f(session.Share{Day: d.day, Person: rec.Person, Purpose: r.Purpose, Model: r.Model, Usage: r.Usage})
	}
}

// TurnUses are the uses of a chat's ended turns, the newest first. A damaged record is
// passed over.
func (s chats) TurnUses(ctx context.Context, chat string, f func(session.TurnUse) bool) error {
	err := s.e.w.View(func(t *table.Tx) error {
		n := table.ChatNum(t, chat)
		c := t.Cursor(table.Turns)
		for k, _ := c.SeekBefore(table.NumKey(n + 1)); bytes.HasPrefix(k, table.NumKey(n)); k, _ = c.Prev() {
			rec, err := table.Get[table.TurnRecord](t, table.Turns, k)
			if err != nil || rec.Spent == nil {
				continue
			}
			u := session.TurnUse{
				Turn: table.TurnID(n, table.Num(k, 1)), Ended: rec.Time, Outcome: rec.Outcome, Spent: *rec.Spent,
			}
			if !f(u) {
				return nil
			}
		}
		return nil
	})
	return s.e.w.OrNone(ctx, err)
}
