package rules

import (
	"errors"
	"slices"
	"strings"

	"parley/pkg/session"
	"parley/pkg/session/engine/table"
)

// FactOf is a fact of a chat with its record at hand: its time zone from [table.Zones], or
// its model from [table.Models]. The conversation of a background agent has those of the
// chat where its task was started. A damaged fact counts as unset.
func FactOf(t *table.Tx, b table.Bucket, n uint64, c *table.ChatRecord) string {
	if c.Address.Channel == session.AgentChannel {
		n = BilledChat(t, n)
	}
	payload, err := t.Raw(b, table.NumKey(n))
	if err != nil {
		return ""
	}
	return string(payload)
}

// SetModel keeps the name of the model that a chat has chosen; "" takes the choice back,
// and nil leaves it.
func SetModel(t *table.Tx, n uint64, name *string) error {
	switch {
	case name == nil:
		return nil
	case *name == "":
		return t.DeleteAll(table.Models, table.NumKey(n))
	default:
		return t.PutRaw(table.Models, table.NumKey(n), []byte(*name))
	}
}

// Spend counts a use in a chat.
func Spend(t *table.Tx, chat uint64, s *session.Spent) error {
	if s == nil {
		return nil
	}
	n, err := payer(t, chat)
	if err != nil || n == 0 {
		return err
	}
	if err := addSpent(t, table.SpentKey(n, s.Day), table.SpentRecord{s.Purpose: s.Usage}); err != nil {
		return err
	}
	rows := []table.ShareRow{{Purpose: s.Purpose, Usage: s.Rest()}}
	for i := range s.Models {
		rows = append(rows, table.ShareRow{Purpose: s.Purpose, Model: s.Models[i].Model, Usage: s.Models[i].Usage})
	}
	return addShare(t, table.ShareKey(n, s.Day, s.Person), &table.ShareRecord{Person: s.Person, Rows: rows})
}

// SpendEarly counts a use in a chat, and keeps it for the turn that it belongs to, which is
// another chat's and has yet to end.
func SpendEarly(t *table.Tx, chat uint64, turn string, s *session.Spent) error {
	if s == nil {
		return nil
	}
	of, _, _ := strings.Cut(turn, "-")
	if key, ok := table.TurnKey(table.ChatNum(t, of), turn); ok {
		t.Added++
		if err := t.Put(table.Uses, key, (*table.UseRecord)(s)); err != nil {
			return err
		}
	}
	return Spend(t, chat, s)
}

// SpendLate counts a use in a chat, and in the record of the ended turn that it belongs to,
// where there is one.
func SpendLate(t *table.Tx, chat uint64, turn string, s *session.Spent) error {
	if s == nil {
		return nil
	}
	if err := addToTurn(t, chat, turn, s); err != nil {
		return err
	}
	return Spend(t, chat, s)
}

// addToTurn adds a use to the record of a turn's use. One that is damaged or gone stays so.
func addToTurn(t *table.Tx, chat uint64, turn string, s *session.Spent) error {
	key, ok := table.TurnKey(chat, turn)
	if !ok {
		return nil
	}
	rec, err := table.Get[table.UseRecord](t, table.Uses, key)
	if errors.Is(err, session.ErrNotFound) || errors.Is(err, session.ErrCorrupt) {
		return nil
	}
	if err != nil {
		return err
	}
	(*session.Spent)(rec).Include(s)
	return t.Put(table.Uses, key, rec)
}

// addShare adds to a person's share of a day.
func addShare(t *table.Tx, key []byte, more *table.ShareRecord) error {
	rec, err := ofDay[table.ShareRecord](t, table.Shares, key)
	if err != nil {
		return err
	}
	rec.Person = more.Person
	for i := range more.Rows {
		rec.Add(more.Rows[i])
	}
	return t.Put(table.Shares, key, rec)
}

// addSpent adds to the use on a day.
func addSpent(t *table.Tx, key []byte, more table.SpentRecord) error {
	rec, err := ofDay[table.SpentRecord](t, table.Spent, key)
	if err != nil {
		return err
	}
	if *rec == nil {
		*rec = table.SpentRecord{}
	}
	for p, u := range more {
		sum := (*rec)[p]
		sum.Add(u)
		(*rec)[p] = sum
	}
	return t.Put(table.Spent, key, rec)
}

// ofDay is a record of a day's use, an empty one where there is none. A damaged one is set
// aside.
func ofDay[T any](t *table.Tx, b table.Bucket, key []byte) (*T, error) {
	rec, err := table.Get[T](t, b, key)
	switch {
	case errors.Is(err, session.ErrNotFound):
		t.Added++
		return new(T), nil
	case errors.Is(err, session.ErrCorrupt):
		return new(T), t.SetAside(b, key)
	default:
		return rec, err
	}
}

// takeOverFacts adds to a chat the facts of another one that becomes part of it.
func takeOverFacts(t *table.Tx, n, other uint64) error {
	for _, b := range []table.Bucket{table.Zones, table.Models, table.Reads} {
		if fact, err := t.Raw(b, table.NumKey(other)); err == nil && !t.Has(b, table.NumKey(n)) {
			if err := t.PutRaw(b, table.NumKey(n), slices.Clone(fact)); err != nil {
				return err
			}
		}
		if err := t.DeleteAll(b, table.NumKey(other)); err != nil {
			return err
		}
	}
	return errors.Join(
		takeOverDays(t, table.Spent, n, other, func(to []byte, rec *table.SpentRecord) error { return addSpent(t, to, *rec) }),
		takeOverDays(t, table.Shares, n, other, func(to []byte, rec *table.ShareRecord) error { return addShare(t, to, rec) }),
	)
}

// takeOverDays adds each record of a chat's use to that of another one, by add. A damaged one
// goes with its chat.
func takeOverDays[T any](t *table.Tx, b table.Bucket, n, other uint64, add func(to []byte, rec *T) error) error {
	for _, key := range t.Keys(b, table.NumKey(other)) {
		if rec, err := table.Get[T](t, b, key); err == nil {
			if err := add(append(table.NumKey(n), key[table.ChatKeyLen:]...), rec); err != nil {
				return err
			}
		}
	}
	return t.DeleteAll(b, table.NumKey(other))
}
