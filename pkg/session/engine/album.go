package engine

import (
	"bytes"
	"time"

	"parley/pkg/channels"
	"parley/pkg/session"
	"parley/pkg/session/engine/lane"
	"parley/pkg/session/engine/table"
)

// The parts of an album are accepted one by one. A part is written into the
// message that the parts before it have made, as an edit is (see edit.go), in the
// transaction that accepts it. No turn takes that message while it may grow.

// isPart says whether an item is the part of an album.
func isPart(item *session.Item) bool { return item.Inbound != nil && item.Inbound.Group != "" }

// appendPart puts a part into the album that waits for it. A part that it returns is to
// be an item of its own; it may be nil.
func (ib *inbox) appendPart(t *table.Tx, part *session.Item) (*session.Item, error) {
	if chat, err := table.ChatAt(t, part.Address); err == nil {
		found := newest(ib.untaken(t, chat, waitingWith(t, chat, "group", part.Inbound.Group, func(item *session.Item) bool {
			return item.Album != nil && item.Inbound.Sender.ID == part.Inbound.Sender.ID && item.Inbound.Group == part.Inbound.Group
		})))
		if found != nil && hasRoom(&found.item, part) {
			return nil, ib.join(t, chat, found, part)
		}
	}
	if part.Inbound.Overheard {
		ib.o.Log.Debug().Str("item", part.ID).Msg("a part of an album is dropped: it does not speak to the bot, and no part waits that does")
		return nil, nil //nolint:nilnil // it is no item, and no failure
	}
	first := *part
	first.Album = &session.Album{Parts: 1, Latest: t.Now}
	return &first, nil
}

// hasRoom says whether an album stays within the limits of one message.
func hasRoom(album, part *session.Item) bool {
	a, p := album.Inbound, part.Inbound
	return album.Album.Parts < session.MaxAlbumParts && len(a.Text)+len(p.Text) < channels.MaxText &&
		len(a.Attachments)+len(p.Attachments) <= channels.MaxAttachments
}

// join writes a part into its album.
func (ib *inbox) join(t *table.Tx, chat uint64, album *waiting, part *session.Item) error {
	item := &album.item
	in, p := item.Inbound, part.Inbound
	if in.Text != "" && p.Text != "" {
		in.Text += "\n"
	}
	in.Text += p.Text
	in.Attachments = append(in.Attachments, p.Attachments...)
	in.Mentioned = in.Mentioned || p.Mentioned
	if in.Quote == "" {
		in.Quote = p.Quote
	}
	in.Solo, item.Solo = in.Solo || p.Solo, item.Solo || part.Solo
	item.Album.Parts++
	item.Album.Latest = t.Now
	if err := t.Put(table.Inbox, table.NumKey(chat, album.seq), item); err != nil {
		return err
	}
	if err := ib.endSuspension(t, part, chat); err != nil {
		return err
	}
	t.Added++
	t.OnCommit = append(t.OnCommit, func() { ib.signalReworded(chat) })
	return t.Put(table.Seen, table.IDKey(part.ID), &table.SeenRecord{Time: t.Now}) // it waits nowhere itself
}

// gathers is how much longer an album is waited for, or 0. An album ends where its chat
// goes on with something else. One from the future ends too: the clock was set back, by
// an unknown time.
func gathers(t *table.Tx, chat uint64, w *waiting) time.Duration {
	if w.item.Album == nil {
		return 0
	}
	age := t.Now.Sub(w.item.Album.Latest)
	if age < 0 || age >= session.AlbumWindow {
		return 0
	}
	if k, _ := t.Cursor(table.Inbox).Seek(table.NumKey(chat, w.seq+1)); bytes.HasPrefix(k, table.NumKey(chat)) {
		return 0
	}
	return session.AlbumWindow - age
}

// lookLater looks for a chat's turn again after a while. A lane that looks then and
// still has to wait comes again.
func (ib *inbox) lookLater(chat uint64, after time.Duration) {
	time.AfterFunc(after, func() {
		ib.lanes.mu.Lock()
		s := ib.lanes.inbox
		ib.lanes.mu.Unlock()
		if s != nil {
			s.Signal(chat, lane.ForPerson, ib.o.Now())
		}
	})
}
