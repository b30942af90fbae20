package pairing

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"parley/pkg/channels"
	"parley/pkg/session"
	"parley/pkg/session/engine/table"
)

// NotePair queues a message to a paired person, once in a while.
func (p *Pairs) NotePair(ctx context.Context, n session.PairNote) (bool, error) {
	if err := table.Storable(n.Out.ID, n.Out.Address); err != nil {
		return false, fmt.Errorf("note to a paired person: %w", err)
	}
	out, err := p.out.Prepare([]channels.Outbound{n.Out})
	if err != nil {
		return false, err
	}
	var due bool
	// Most of what is said in groups changes nothing, and then does not wait for the writer.
	err = p.w.View(func(t *table.Tx) error {
		_, _, due, err = weighNote(t, &n)
		return err
	})
	if err != nil || !due {
		return false, err
	}
	err = p.w.Do(ctx, func(t *table.Tx) error {
		rec, old, still, err := weighNote(t, &n)
		if due = still; err != nil || !due {
			return err
		}
		if err := dropNotes(t, old); err != nil {
			return err
		}
		made, err := p.putMaking(t, n.Out.Address, out)
		if err != nil {
			return err
		}
		rec.Notes = append(rec.Notes, table.PairNote{Address: n.Out.Address, Time: n.Out.Time, Made: made})
		return t.Put(table.Pairs, table.PersonKey(n.Out.Address.Channel, n.Out.Address.Account, n.Person), rec)
	})
	return due && err == nil, err
}

// weighNote says whether a note is due. Old notes are taken from the record.
func weighNote(t *table.Tx, n *session.PairNote) (rec *table.PairRecord, old []table.PairNote, due bool, err error) {
	at := n.Out.Address
	rec, err = table.Get[table.PairRecord](t, table.Pairs, table.PersonKey(at.Channel, at.Account, n.Person))
	if err != nil {
		return nil, nil, false, fmt.Errorf("pair of %s %s: %w", at.Channel, n.Person, err)
	}
	rec.Notes = slices.DeleteFunc(rec.Notes, func(sent table.PairNote) bool {
		if n.Out.Time.Sub(sent.Time).Abs() < n.Every {
			return false
		}
		old = append(old, sent)
		return true
	})
	here := func(sent table.PairNote) bool { return sent.Address.Chat == at.Chat }
	return rec, old, len(rec.Notes) < session.PairNotes && !slices.ContainsFunc(rec.Notes, here), nil
}

// dropNotes deletes the chats that were made for notes alone.
func dropNotes(t *table.Tx, notes []table.PairNote) error {
	var errs []error
	for i := range notes {
		errs = append(errs, dropMade(t, notes[i].Address, notes[i].Made))
	}
	return errors.Join(errs...)
}

// NamePerson stores the name of a person without a stored one.
func (p *Pairs) NamePerson(ctx context.Context, channel, account, id, name string) error {
	return p.w.Do(ctx, func(t *table.Tx) error {
		who := table.PersonKey(channel, account, id)
		if p, err := table.Get[table.PairRecord](t, table.Pairs, who); err == nil && p.Sender.Name == "" {
			p.Sender.Name = name
			if err := t.Put(table.Pairs, who, p); err != nil {
				return err
			}
		}
		var asks []table.AskRecord
		_ = table.Collect(t, table.Asks, func(r *table.AskRecord) { // a damaged one is set aside when it is listed
			if bytes.Equal(r.Person(), who) && r.Sender.Name == "" {
				asks = append(asks, *r)
			}
		})
		for i := range asks {
			asks[i].Sender.Name = name
			if err := t.Put(table.Asks, []byte(asks[i].Code), asks[i]); err != nil {
				return err
			}
		}
		return nil
	})
}
