package engine

import (
	"errors"
	"slices"

	"parley/pkg/session"
	"parley/pkg/session/engine/table"
)

// Deleting a message removes its queued item, just as an edit rewrites it (see
// edit.go). The deletion is remembered beside the ids that were accepted, so that
// earlier events about the message that come later do not bring it back.

// takeBack removes the queued item that a deletion names, or sees to it that it is not
// accepted when it comes.
func (ib *inbox) takeBack(t *table.Tx, del *session.Item) error {
	chat, found := ib.originals(t, del)
	found = slices.DeleteFunc(found, func(w waiting) bool {
		return w.item.Album != nil && w.item.Album.Parts > 1 // the deletion tells of one of them
	})
	if len(found) == 0 && wasAccepted(t, del) {
		ib.o.Log.Debug().Str("item", del.ID).Msg("a deletion is dropped: its message is answered, or being answered")
		return remember(t, del.ID)
	}
	for i := range found {
		if err := removeWaiting(t, chat, &found[i]); err != nil {
			return err
		}
		t.OnCommit = append(t.OnCommit, func() { ib.signalReworded(chat) })
	}
	if del.Original != "" {
		t.Added++
		if err := t.Put(table.Seen, table.TakenBackKey(del.Original), &table.SeenRecord{Time: t.Now}); err != nil {
			return err
		}
	}
	return errors.Join(remember(t, del.Original), remember(t, del.ID))
}

// removeWaiting takes an item out of its chat's inbox, as if no turn had ever been to
// read it. Its id stays known.
func removeWaiting(t *table.Tx, chat uint64, w *waiting) error {
	if err := t.Delete(table.Inbox, table.NumKey(chat, w.seq)); err != nil {
		return err
	}
	if rec, err := table.Get[table.SuspectRecord](t, table.Suspects, table.NumKey(chat)); err == nil && rec.Head == w.seq {
		if err := t.Delete(table.Suspects, table.NumKey(chat)); err != nil {
			return err
		}
	}
	return t.Put(table.Seen, table.IDKey(w.item.ID), &table.SeenRecord{Time: t.Now})
}
