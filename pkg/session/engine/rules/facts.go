package rules

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"parley/pkg/session"
	"parley/pkg/session/engine/table"
)

// A fact lies with the chat where it was told, and goes with it, also one of a person, which is listed by
// the person too.

// FactsOf are the facts of a scope, the oldest first.
func FactsOf(t *table.Tx, s session.FactScope) []session.Fact {
	var all []session.Fact
	take := func(key []byte, person string) {
		if f, err := table.Get[session.Fact](t, table.Facts, key); err == nil && f.Person == person {
			all = append(all, *f)
		}
	}
	for _, key := range t.Keys(table.Facts, table.NumKey(table.ChatNum(t, s.Chat))) {
		take(key, "")
	}
	if s.Person != "" {
		head := table.FactOwner(s.Person)
		for _, key := range t.Keys(table.FactsOf, head) {
			take(key[len(head):], s.Person)
		}
	}
	slices.SortFunc(all, func(x, y session.Fact) int {
		return cmp.Or(x.Time.Compare(y.Time), cmp.Compare(x.Number, y.Number))
	})
	return all
}

// Remember stores a fact, see [session.Facts].
func Remember(t *table.Tx, f session.Fact, instead string) (session.Fact, error) {
	n := table.ChatNum(t, f.Chat)
	if !t.Has(table.Chats, table.NumKey(n)) {
		return f, fmt.Errorf("chat %s: %w", f.Chat, session.ErrNotFound)
	}
	scope := session.FactScope{Chat: f.Chat, Person: f.Person}
	number, size := 0, 0
	var same *session.Fact
	all := FactsOf(t, scope)
	for i := range all {
		other := &all[i]
		switch {
		case other.Person != f.Person, other.ID == instead:
			continue
		case other.Text == f.Text, other.Call == f.Call && f.Call != "":
			same = other
		}
		number++
		size += len(other.Text)
	}
	if instead != "" {
		err := ForgetFact(t, scope, instead)
		if err != nil && (same == nil || !errors.Is(err, session.ErrNotFound)) { // a call that runs again has removed it
			return f, err
		}
	}
	if same != nil {
		return *same, nil
	}
	if number >= session.MaxFacts || size+len(f.Text) > session.MaxFactBytes {
		return f, fmt.Errorf("there are %d facts with %d bytes: %w", number, size, session.ErrFull)
	}
	seq, err := t.Next()
	if err != nil {
		return f, err
	}
	f.ID, f.Number, f.Time = table.FactID(seq), seq, t.Now
	err = putFact(t, &f)
	return f, err
}

func putFact(t *table.Tx, f *session.Fact) error {
	if err := t.Put(table.Facts, table.FactKey(f), f); err != nil || f.Person == "" {
		return err
	}
	return t.PutIndex(table.FactsOf, table.FactOfKey(f))
}

// ForgetFact removes a fact.
func ForgetFact(t *table.Tx, s session.FactScope, id string) error {
	all := FactsOf(t, s)
	for i := range all {
		if all[i].ID == id {
			return dropFact(t, &all[i])
		}
	}
	return fmt.Errorf("fact %q: %w", id, session.ErrNotFound)
}

func dropFact(t *table.Tx, f *session.Fact) error {
	if err := t.Delete(table.Facts, table.FactKey(f)); err != nil || f.Person == "" {
		return err
	}
	return t.Delete(table.FactsOf, table.FactOfKey(f))
}

// forgetFacts removes the facts that were told in a chat, and the damaged ones.
func forgetFacts(t *table.Tx, n uint64) error {
	err := eachFact(t, n, func(f *session.Fact) error { return dropFact(t, f) })
	return errors.Join(err, removeBad(t, table.Facts, table.NumKey(n)))
}

// takeOverTold makes the facts that were told in another chat those of a chat. Its damaged ones are removed: a
// later forget of the chat would not find them.
func takeOverTold(t *table.Tx, n, other uint64) error {
	err := eachFact(t, other, func(f *session.Fact) error {
		if err := dropFact(t, f); err != nil {
			return err
		}
		f.Chat = table.ChatID(n)
		return putFact(t, f)
	})
	return errors.Join(err, removeBad(t, table.Facts, table.NumKey(other)))
}

// eachFact does something with each fact that was told in a chat. A damaged one is set aside.
func eachFact(t *table.Tx, n uint64, do func(*session.Fact) error) error {
	for _, key := range t.Keys(table.Facts, table.NumKey(n)) {
		f, err := table.Get[session.Fact](t, table.Facts, key)
		if errors.Is(err, session.ErrCorrupt) {
			err = t.SetAside(table.Facts, key)
		} else if err == nil {
			err = do(f)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
