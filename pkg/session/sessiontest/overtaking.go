package sessiontest

import (
	"parley/pkg/channels"
	"parley/pkg/session"
)

// told says which item an edit or a deletion is about.
func told(it session.Item) session.Item {
	in := *it.Inbound
	in.Original = in.MessageID
	it.Inbound, it.Original = &in, "test/bot/"+in.MessageID
	return it
}

func overtakingTests() []test {
	return []test{
		{"an edit that overtakes its message is the message, and swallows it", testEditOvertakes},
		{"an edit that comes in one step with its message, before it", func(b *bench) {
			b.append(told(edit("a", "e1", "1", "new", session.EditAnswer)), note("a", "1", "old"), note("a", "2", "next"))
			b.equal([]string{"new", "next"}, wordings(b.turns().next().what.Info().Items))
		}},
		{"a message that was overtaken stays swallowed over crashes", func(b *bench) {
			b.append(told(edit("a", "e1", "1", "new", session.EditDrop)))
			b.crash()
			b.append(note("a", "1", "old"))
			w := b.turns()
			h := w.next()
			b.equal([]string{"new"}, wordings(h.what.Info().Items))
			b.answer(h, session.Commit{})
			b.must(w.stop())
			b.reopen()
			b.append(note("a", "1", "old"))
			b.equal(0, b.status().Waiting)
		}},
		{"an overtaken message that a fenced cursor carried is not remembered", func(b *bench) {
			late := []session.Item{told(edit("a", "e1", "1", "new", session.EditDrop)), taken("a", "d1", "2")}
			b.wantErr(b.e.Inbox().Append(b.Context(), late, &channels.Cursor{Name: "p", From: "1", To: "2"}), session.ErrFenced)
			b.append(note("a", "1", "one"), note("a", "2", "two"))
			b.equal([]string{"one", "two"}, wordings(b.turns().next().what.Info().Items))
		}},
		{"an edit whose original is known comes too late wherever that went", testEditOfAKnownOriginal},
		{"an edit of one message swallows no other", func(b *bench) {
			b.append(told(edit("a", "e1", "1", "new", session.EditDrop)), edit("a", "e2", "3", "of no known one", session.EditDrop))
			b.append(note("a", "2", "two"), note("a", "3", "three"))
			b.equal([]string{"new", "of no known one", "two", "three"}, wordings(b.turns().next().what.Info().Items))
		}},
	}
}

func testEditOvertakes(b *bench) {
	b.append(note("a", "0", "before"))
	b.append(told(edit("a", "e1", "1", "new", session.EditDrop)), note("a", "2", "next"))
	b.append(note("a", "1", "old"), told(edit("a", "e2", "1", "newest", session.EditDrop)))
	b.equal(3, b.status().Waiting)
	w := b.turns()
	h := w.next()
	got := h.what.Info().Items
	b.equal([]string{"before", "newest", "next"}, wordings(got))
	b.equal("test/bot/e1", got[1].ID)
	b.equal(channels.KindMessage, got[1].Inbound.Kind)
	b.equal("", got[1].Inbound.Original)
	b.append(note("a", "1", "old"), told(edit("a", "e3", "1", "too late", session.EditDrop)))
	b.answer(h, session.Commit{})
	b.append(note("a", "1", "old"), told(edit("a", "e1", "1", "delivered again", session.EditAnswer)))
	b.equal(0, b.status().Waiting)
	b.append(told(edit("a", "e4", "1", "answered", session.EditAnswer)))
	b.equal([]string{"answered"}, wordings(w.next().what.Info().Items))
}

// testEditOfAKnownOriginal: an edit that names its message knows that this came, also
// where the chat is gone, and does not bring the chat back.
func testEditOfAKnownOriginal(b *bench) {
	b.append(note("a", "1", "old"))
	w := b.turns()
	b.answer(w.next(), session.Commit{})
	info, err := b.e.Sessions().Lookup(b.Context(), addr("a"))
	b.must(err)
	b.must(b.e.Sessions().Forget(b.Context(), info.Session))
	b.append(told(edit("a", "e1", "1", "dropped", session.EditDrop)), taken("a", "d1", "1"))
	b.equal(0, b.status().Waiting)
	_, err = b.e.Sessions().Lookup(b.Context(), addr("a"))
	b.wantErr(err, session.ErrNotFound)
	b.append(edit("a", "e2", "1", "of nobody knows what", session.EditDrop))
	b.equal([]string{"of nobody knows what"}, wordings(w.next().what.Info().Items))
}
