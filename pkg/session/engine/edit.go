package engine

import (
	"bytes"
	"errors"
	"slices"
	"sync"

	"parley/pkg/channels"
	"parley/pkg/session"
	"parley/pkg/session/engine/table"
)

// An edit rewords its message where it waits. A turn reads its items in one transaction
// and the edit is written in another one, so the two exclude each other: the first of
// them decides whether the turn has the old text, and then the edit comes too late, or
// the new one.

// claims are the items of which a turn that was handed out has a copy.
type claims struct {
	mu   sync.Mutex
	seqs []uint64
}

func (c *claims) add(seqs []uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seqs = append(c.seqs, seqs...)
}

func (c *claims) has(seq uint64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Contains(c.seqs, seq)
}

// take reads items for the turn; those that read leaves in seqs are its own from
// then on.
func (t *turn) take(seqs *[]uint64, read func(*table.Tx) error) error {
	t.ib.editLock.RLock()
	defer t.ib.editLock.RUnlock()
	err := t.ib.w.View(read)
	t.claims.add(*seqs)
	return err
}

// reads says whether the turn has a copy of an item and may still commit it.
func (t *turn) reads(seq uint64) bool {
	return t.claims.has(seq) && !t.over.Load() && t.Failed() == nil
}

// editLock keeps turns from taking items while a transaction may reword them. A turn
// holds it for reading.
type editLock struct {
	sync.RWMutex

	holder *table.Tx // only the writer uses it
}

// hold lets no turn take items until the transaction has ended.
func (l *editLock) hold(t *table.Tx) {
	if l.holder == t {
		return
	}
	l.Lock()
	l.holder = t
	t.OnEnd = append(t.OnEnd, func() {
		l.holder = nil
		l.Unlock()
	})
}

// appendEdit puts an edit in the place of its message, or drops it. A part that it
// returns is to be an item of its own; it may be nil.
func (ib *inbox) appendEdit(t *table.Tx, edit *session.Item) (*session.Item, error) {
	chat, originals := ib.originals(t, edit)
	found := newest(originals)
	accepted := found != nil || wasAccepted(t, edit)
	if err := remember(t, edit.Original); err != nil {
		return nil, err
	}
	switch {
	case edit.Original != "" && t.Has(table.Seen, table.TakenBackKey(edit.Original)):
		ib.o.Log.Debug().Str("item", edit.ID).Msg("an edit is dropped: its message was taken back")
	case found != nil:
		if err := rewordItem(t, chat, found, edit); err != nil {
			return nil, err
		}
		t.OnCommit = append(t.OnCommit, func() { ib.signalReworded(chat) })
	case !accepted:
		message, in := *edit, *edit.Inbound
		in.Kind, in.Original = channels.KindMessage, ""
		message.Inbound = &in
		return &message, nil
	case edit.Edit == session.EditAnswer:
		return edit, nil
	default:
		t.OnCommit = append(t.OnCommit, func() {
			ib.o.Log.Debug().Str("item", edit.ID).Msg("an edit is dropped: its message is answered, or being answered")
		})
	}
	return nil, remember(t, edit.ID)
}

// remember makes an id one that was accepted, of an item that does not wait itself. An
// id that was, and an empty one, are left alone.
func remember(t *table.Tx, id string) error {
	if id == "" || t.Has(table.Seen, table.IDKey(id)) {
		return nil
	}
	t.Added++
	return t.Put(table.Seen, table.IDKey(id), &table.SeenRecord{Time: t.Now})
}

// wasAccepted says whether the message of an edit was accepted before: its id is known,
// it waits, or a turn of the chat has consumed it. In doubt it was.
func wasAccepted(t *table.Tx, edit *session.Item) bool {
	if edit.Inbound == nil || edit.Inbound.MessageID == "" {
		return true
	}
	if edit.Original != "" && t.Has(table.Seen, table.IDKey(edit.Original)) {
		return true
	}
	chat, err := table.ChatAt(t, edit.Address)
	if err != nil {
		return !errors.Is(err, session.ErrNotFound)
	}
	id := edit.Inbound.MessageID
	mark, err := table.Encode(id)
	found := err != nil
	t.Each(table.Inbox, table.NumKey(chat), func(k, v []byte) bool {
		if bytes.Contains(v, mark) {
			item, err := table.Get[session.Item](t, table.Inbox, k)
			found = found || err == nil && item.Address == edit.Address && item.Inbound != nil && item.Inbound.MessageID == id
		}
		return !found
	})
	t.Each(table.Turns, table.NumKey(chat), func(k, v []byte) bool {
		if bytes.Contains(v, []byte(id)) {
			turn, err := table.Get[table.TurnRecord](t, table.Turns, k)
			found = found || err == nil && slices.Contains(turn.Messages, id)
		}
		return !found
	})
	return found
}

// messageIDs are the platform's ids of the messages among items.
func messageIDs(items []session.Item) []string {
	var ids []string
	for i := range items {
		if in := items[i].Inbound; in != nil && in.MessageID != "" {
			ids = append(ids, in.MessageID)
		}
	}
	return ids
}

// messages are the platform's ids of the turn's messages; the lock is held.
func (t *turn) messages() []string {
	ids := messageIDs(t.info.Items)
	for i := range t.info.Steps {
		ids = append(ids, messageIDs(t.info.Steps[i].Items)...)
	}
	return append(ids, t.joined...)
}

// originals are the items that an edit may reword and that no turn has, in the order in
// which they wait. An unreadable item is no original.
func (ib *inbox) originals(t *table.Tx, edit *session.Item) (chat uint64, found []waiting) {
	if edit.Inbound == nil || edit.Inbound.MessageID == "" {
		return 0, nil
	}
	chat, err := table.ChatAt(t, edit.Address)
	if err != nil {
		return 0, nil
	}
	return chat, ib.untaken(t, chat, waitingWith(t, chat, "message_id", edit.Inbound.MessageID, func(item *session.Item) bool {
		return rewords(edit, item)
	}))
}

// untaken are those of some items that wait in a chat which no turn has. Until the
// transaction has ended no turn takes them.
func (ib *inbox) untaken(t *table.Tx, chat uint64, candidates []waiting) []waiting {
	if len(candidates) == 0 {
		return nil
	}
	ib.editLock.hold(t)
	ib.lanes.mu.Lock()
	open := ib.lanes.turns[chat]
	ib.lanes.mu.Unlock()
	return slices.DeleteFunc(candidates, func(w waiting) bool {
		return open != nil && open.reads(w.seq) || isRecorded(t, chat, w.seq)
	})
}

// newest is the last of the waiting items, or nil.
func newest(all []waiting) *waiting {
	if len(all) == 0 {
		return nil
	}
	return &all[len(all)-1]
}

// waitingWith are the items in a chat's inbox that have a value in a field and pass is.
// Most items are told apart without decoding them.
func waitingWith(t *table.Tx, chat uint64, field, value string, is func(*session.Item) bool) []waiting {
	id, err := table.Encode(value)
	if err != nil {
		return nil
	}
	mark := append([]byte(`"`+field+`":`), id...)
	var out []waiting
	t.Each(table.Inbox, table.NumKey(chat), func(k, v []byte) bool {
		if !bytes.Contains(v, mark) {
			return true
		}
		if item, err := table.Get[session.Item](t, table.Inbox, k); err == nil && is(item) {
			out = append(out, waiting{seq: table.Num(k, 1), item: *item})
		}
		return true
	})
	return out
}

// rewords says whether an edit is one of this item. After a chat has moved its
// messages may be numbered anew, so the address counts too.
func rewords(edit, item *session.Item) bool {
	old := item.Inbound
	return old != nil && old.Kind != channels.KindButton && old.MessageID == edit.Inbound.MessageID &&
		old.Sender.ID == edit.Inbound.Sender.ID && item.Address == edit.Address
}

// isRecorded says whether an item belongs to the interrupted turn of its chat.
func isRecorded(t *table.Tx, chat, seq uint64) bool {
	head, _ := t.First(table.Inbox, table.NumKey(chat))
	recorded := t.AnyBad(table.Steps, head)
	t.Each(table.Steps, head, func(k, _ []byte) bool {
		rec, err := table.Get[table.StepRecord](t, table.Steps, k)
		// A damaged step may have taken it.
		recorded = recorded || err != nil || slices.Contains(rec.Start, seq) || slices.Contains(rec.Taken, seq)
		return !recorded
	})
	return recorded
}

// rewordItem gives an item the words of an edit.
func rewordItem(t *table.Tx, chat uint64, w *waiting, edit *session.Item) error {
	item := &w.item
	item.Solo = edit.Solo
	item.Inbound.Solo = edit.Inbound.Solo
	item.Inbound.Text, item.Inbound.Attachments, item.Inbound.Raw = edit.Inbound.Text, edit.Inbound.Attachments, edit.Inbound.Raw
	for _, s := range t.Speculative {
		if a, ok := s.(*arrival); ok && a.chat == chat && a.seq == w.seq {
			a.item = item // its turn may begin early, with a copy of it
		}
	}
	return t.Put(table.Inbox, table.NumKey(chat, w.seq), item)
}

// signalReworded lets a running turn look again at the items behind it.
func (ib *inbox) signalReworded(chat uint64) {
	ib.lanes.mu.Lock()
	open := ib.lanes.turns[chat]
	ib.lanes.mu.Unlock()
	if open != nil {
		open.signal()
	}
}
