package rules

import (
	"errors"
	"slices"

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
	n := BilledChat(t, chat)
	if n == 0 {
		return nil
	}
	return addSpent(t, table.SpentKey(n, s.Day), table.SpentRecord{s.Purpose: s.Usage})
}

// addSpent adds to the use on a day.
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

// plus adds a model's claim of its use: a sum does not shrink.
func plus[N int | int64](sum, more N) N {
	return max(sum, sum+max(more, 0)) // one that is too large to count wraps around
}

// takeOverFacts adds to a chat the facts of another one that becomes part of it.
func takeOverFacts(t *table.Tx, n, other uint64) error {
	for _, b := range []table.Bucket{table.Zones, table.Models} {
		if fact, err := t.Raw(b, table.NumKey(other)); err == nil && !t.Has(b, table.NumKey(n)) {
			if err := t.PutRaw(b, table.NumKey(n), slices.Clone(fact)); err != nil {
				return err
			}
		}
		if err := t.DeleteAll(b, table.NumKey(other)); err != nil {
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
	return t.DeleteAll(table.Spent, table.NumKey(other))
}
