package engine

import (
	"errors"
	"slices"

	"parley/pkg/session"
)

// Who takes a message back takes it out of what waits, as an edit rewords it there
// (see edit.go). What was taken back is remembered beside the ids that were
// accepted, so that nothing that was said of it earlier and comes later brings it back.

// takenBackKey is the key under which it is remembered that an item was taken back.
// No item has such an id: none holds a NUL.
func takenBackKey(id string) []byte { return idKey("taken back\x00" + id) }

// takeBack takes out of what waits what a deletion is about, or sees to it that it is
// not accepted when it comes.
func (e *Engine) takeBack(t *tx, del *session.Item) error {
	chat, found := e.originals(t, del)
	found = slices.DeleteFunc(found, func(w waiting) bool {
		return w.item.Album != nil && w.item.Album.Parts > 1 // the deletion tells of one of them
	})
	if len(found) == 0 && t.accepted(del) {
		e.o.Log.Debug().Str("item", del.ID).Msg("a deletion is dropped: its message is answered, or being answered")
		return t.remember(del.ID)
	}
	for i := range found {
		if err := t.removeWaiting(chat, &found[i]); err != nil {
			return err
		}
		t.after = append(t.after, func() { e.signalReworded(chat) })
	}
	if del.Original != "" {
		t.added++
		if err := t.put(bkSeen, takenBackKey(del.Original), &seenRec{Time: t.now}); err != nil {
			return err
		}
	}
	return errors.Join(t.remember(del.Original), t.remember(del.ID))
}

// removeWaiting takes an item out of its chat's inbox, as if no turn had ever been to
// read it. Its id stays known.
func (t *tx) removeWaiting(chat uint64, w *waiting) error {
	if err := t.del(bkInbox, numKey(chat, w.seq)); err != nil {
		return err
	}
	if rec, err := get[suspectRec](t, bkSuspects, numKey(chat)); err == nil && rec.Head == w.seq {
		if err := t.del(bkSuspects, numKey(chat)); err != nil {
			return err
		}
	}
	return t.put(bkSeen, idKey(w.item.ID), &seenRec{Time: t.now})
}
