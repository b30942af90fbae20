package rules

import (
	"errors"
	"slices"

	"parley/pkg/channels"
	"parley/pkg/session"
	"parley/pkg/session/engine/table"
)

// PutMove remembers the former address of the chat at to. A thread is no chat.
func PutMove(t *table.Tx, from, to channels.Address) error {
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

// MoveLink lets the page that shows the chat at from show it at to: the person has read the
// conversation that goes on there. A link to a chat that began at to meanwhile ends.
func MoveLink(t *table.Tx, from, to channels.Address) error {
	key := table.AddrKey(from)
	if from == to || !t.Has(table.Links, key) {
		return nil
	}
	link, err := table.Get[session.Link](t, table.Links, key)
	if err != nil {
		return t.SetAside(table.Links, key)
	}
	link.Address = to
	return errors.Join(t.Put(table.Links, table.AddrKey(to), link), t.Delete(table.Links, key))
}

// LoseBegun ends the interrupted turn of a chat that becomes part of another
// one, when a call of it may have taken effect: its ledger does not move along,
// and the call must not run again. Its items are listed as failed at c.
func LoseBegun(t *table.Tx, chat uint64, c *table.ChatRecord) error {
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
	return LoseTurn(t, c, prefix, "interrupted, and its chat has moved: it is unknown what took effect")
}

// Rekey moves a record to another chat, with the entries that point at it.
func Rekey(t *table.Tx, b table.Bucket, from, to []byte) error {
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
