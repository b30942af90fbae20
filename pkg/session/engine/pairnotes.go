package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"parley/pkg/channels"
	"parley/pkg/session"
)

// pairNote is that a paired person was sent a note in a chat.
type pairNote struct {
	// Address is where it was sent; another thread of the chat counts as the same chat.
	Address channels.Address `json:"address"`
	Time    time.Time        `json:"time"`
	// Made is the session of a chat that was made only for the note, else 0.
	Made uint64 `json:"made,omitempty"`
}

// NotePair queues a message to a paired person, once in a while.
func (s pairs) NotePair(ctx context.Context, n session.PairNote) (bool, error) {
	if err := storable(n.Out.ID, n.Out.Address); err != nil {
		return false, fmt.Errorf("note to a paired person: %w", err)
	}
	encoded, err := encodeOutbox([]channels.Outbound{n.Out})
	if err != nil {
		return false, err
	}
	var due bool
	// Most of what is said in groups changes nothing, and then does not wait for the writer.
	err = s.e.view(func(t *tx) error {
		_, _, due, err = t.weighNote(&n)
		return err
	})
	if err != nil || !due {
		return false, err
	}
	err = s.e.write(ctx, func(t *tx) error {
		rec, old, still, err := t.weighNote(&n)
		if due = still; err != nil || !due {
			return err
		}
		if err := t.dropNotes(old); err != nil {
			return err
		}
		made, err := s.e.putMaking(t, &n.Out, encoded[0])
		if err != nil {
			return err
		}
		rec.Notes = append(rec.Notes, pairNote{Address: n.Out.Address, Time: n.Out.Time, Made: made})
		return t.put(bkPairs, personKey(n.Out.Address.Channel, n.Out.Address.Account, n.Person), rec)
	})
	return due && err == nil, err
}

// weighNote says whether a note is due. Notes whose time is over are taken from the
// record and are old.
func (t *tx) weighNote(n *session.PairNote) (rec *pairRec, old []pairNote, due bool, err error) {
	at := n.Out.Address
	rec, err = get[pairRec](t, bkPairs, personKey(at.Channel, at.Account, n.Person))
	if err != nil {
		return nil, nil, false, fmt.Errorf("pair of %s %s: %w", at.Channel, n.Person, err)
	}
	rec.Notes = slices.DeleteFunc(rec.Notes, func(sent pairNote) bool {
		if n.Out.Time.Sub(sent.Time).Abs() < n.Every {
			return false
		}
		old = append(old, sent)
		return true
	})
	here := func(sent pairNote) bool { return sent.Address.Chat == at.Chat }
	return rec, old, len(rec.Notes) < session.PairNotes && !slices.ContainsFunc(rec.Notes, here), nil
}

// dropNotes deletes the chats that were made for notes and never used.
func (t *tx) dropNotes(notes []pairNote) error {
	var errs []error
	for i := range notes {
		errs = append(errs, t.dropMade(notes[i].Address, notes[i].Made))
	}
	return errors.Join(errs...)
}

// NamePerson stores the name of a person where none is stored.
func (s pairs) NamePerson(ctx context.Context, channel, account, id, name string) error {
	return s.e.write(ctx, func(t *tx) error {
		who := personKey(channel, account, id)
		if p, err := get[pairRec](t, bkPairs, who); err == nil && p.Sender.Name == "" {
			p.Sender.Name = name
			if err := t.put(bkPairs, who, p); err != nil {
				return err
			}
		}
		var asks []askRec
		_ = collect(t, bkAsks, func(r *askRec) { // a damaged one is set aside when it is listed
			if bytes.Equal(r.who(), who) && r.Sender.Name == "" {
				asks = append(asks, *r)
			}
		})
		for i := range asks {
			asks[i].Sender.Name = name
			if err := t.put(bkAsks, []byte(asks[i].Code), asks[i]); err != nil {
				return err
			}
		}
		return nil
	})
}
