package sessiontest

import (
	"slices"

	"parley/pkg/channels"
	"parley/pkg/session"
)

// taken is the deletion of a note by its sender.
func taken(chat, id, of string) session.Item {
	it := from("u", of, textItem(chat, id, ""))
	it.Inbound.Kind, it.Delete = channels.KindDelete, true
	return told(it)
}

func deleteTests() []test {
	return []test{
		{"a deletion takes its message out of what waits", testDeleteTakesOut},
		{"a deletion takes back no other message", testDeleteOfOthers},
		{"a deletion of a message that a turn has comes too late", testDeleteTooLate},
		{"a deletion that overtakes its message swallows it, and its edits", testDeleteOvertakes},
		{"a deletion comes with its message and with the cursor", testDeleteWithItsMessage},
		{"a deletion of which nobody can tell the original takes back what waits", func(b *bench) {
			untold := taken("a", "d1", "1")
			untold.Original = ""
			b.append(note("a", "1", "one"), untold, note("a", "1", "one"))
			b.crash()
			b.append(note("a", "1", "one"), untold)
			b.equal(0, b.status().Waiting)
			untold.ID, untold.Inbound.MessageID = "test/bot/d2", "2"
			b.append(untold, note("a", "2", "two"))
			b.equal([]string{"two"}, wordings(b.turns().next().what.Info().Items))
		}},
		{"a deletion takes back every wording that waits", func(b *bench) {
			b.append(note("a", "1", "old"))
			b.turns().next()
			b.append(told(edit("a", "e1", "1", "newer", session.EditAnswer)), note("a", "2", "next"))
			b.crash()
			b.append(taken("a", "d1", "1"))
			w := b.turns()
			h := w.next()
			b.equal([]string{"next"}, wordings(h.what.Info().Items))
			b.answer(h, session.Commit{})
			b.equal(0, b.status().Waiting)
		}},
		{"a deletion of the edit that waits leaves the message that a turn has", func(b *bench) {
			b.append(note("a", "1", "old"))
			w := b.turns()
			h := w.next()
			b.append(told(edit("a", "e1", "1", "newer", session.EditAnswer)),
				taken("a", "d1", "1"), told(edit("a", "e2", "1", "newest", session.EditAnswer)))
			b.equal([]string{"old"}, wordings(h.what.Info().Items))
			b.answer(h, session.Commit{})
			b.equal(0, b.status().Waiting)
		}},
		{"a running turn that looks at what waits sees that it is gone", func(b *bench) {
			b.append(note("a", "1", "one"))
			h := b.turns().next()
			b.append(note("a", "2", "two"), note("a", "3", "three"))
			b.arrives(h)
			b.append(taken("a", "d2", "2"))
			b.arrives(h)
			waiting, err := h.what.Waiting(b.Context())
			b.must(err)
			b.equal([]string{"three"}, wordings(waiting))
			joined, err := h.what.Join(b.Context(), func(session.Item) bool { return true })
			b.must(err)
			b.equal([]string{"three"}, wordings(joined))
			b.append(taken("a", "d3", "3"))
			b.answer(h, session.Commit{})
			b.equal(0, b.status().Waiting)
		}},
		{"an album of several parts is taken back by none of them", func(b *bench) {
			w := b.turns()
			b.append(part("b", "h", "9", "alone"), taken("b", "d9", "9"))
			b.append(part("a", "g", "1", "one"), part("a", "g", "2", "two"), taken("a", "d1", "1"), taken("a", "d2", "2"))
			h := w.next()
			b.equal([]string{"1+2"}, files(h.what.Info().Items))
			b.answer(h, session.Commit{})
			b.equal(0, b.status().Waiting)
		}},
		{"a message over which a process died can be taken back", testDeleteOfASuspect},
		{"deletions and turns beside each other: what was read was not taken back", testDeleteRace},
	}
}

func testDeleteWithItsMessage(b *bench) {
	w := b.turns()
	b.append(note("a", "0", "first of the chat"))
	b.answer(w.next(), session.Commit{})
	both := []session.Item{note("a", "1", "gone"), taken("a", "d1", "1"), note("a", "2", "next")}
	b.must(b.e.Inbox().Append(b.Context(), both, &channels.Cursor{Name: "p", To: "1"}))
	h := w.next()
	b.equal([]string{"next"}, wordings(h.what.Info().Items))
	b.append(note("a", "3", "third"))
	err := b.e.Inbox().Append(b.Context(), []session.Item{taken("a", "d3", "3")}, &channels.Cursor{Name: "p", To: "2"})
	b.wantErr(err, session.ErrFenced)
	b.answer(h, session.Commit{})
	b.equal([]string{"third"}, wordings(w.next().what.Info().Items))
}

func testDeleteTakesOut(b *bench) {
	b.append(note("a", "1", "one"), note("a", "2", "two"), note("b", "4", "only"))
	b.append(taken("a", "d1", "1"), taken("b", "d4", "4"), note("a", "3", "three"))
	b.equal(2, b.status().Waiting)
	// A second delivery has no effect, nor have earlier events about it.
	again := []session.Item{
		note("a", "1", "one"), taken("a", "d1", "1"), told(edit("a", "e1", "1", "new", session.EditDrop)),
		told(edit("a", "e2", "1", "new", session.EditAnswer)), note("b", "4", "only"),
	}
	b.append(again...)
	b.crash()
	b.append(again...)
	w := b.turns()
	h := w.next()
	b.equal([]string{"two", "three"}, wordings(h.what.Info().Items))
	b.answer(h, session.Commit{})
	b.must(w.stop())
	b.reopen()
	b.append(again...)
	b.equal(0, b.status().Waiting)
	b.append(note("b", "5", "goes on"))
	b.equal([]string{"goes on"}, wordings(b.turns().next().what.Info().Items))
}

func testDeleteOfOthers(b *bench) {
	button := note("a", "5", "pressed")
	button.Inbound.Kind = channels.KindButton
	nameless := from("u", "", textItem("a", "6", "nameless"))
	b.append(note("a", "1", "one"), note("a", "10", "ten"), button, nameless)
	thread := taken("a", "d1", "1")
	thread.Address.Thread = "t"
	nothing := taken("a", "d2", "")
	nothing.Original = ""
	b.append(thread, nothing, from("v", "1", taken("a", "d3", "1")), taken("a", "d4", "5"), taken("b", "d5", "1"), taken("a", "d6", "0"))
	b.append(told(edit("a", "e1", "1", "one, better", session.EditDrop)))
	w := b.turns()
	h := w.next()
	b.equal([]string{"one, better", "ten", "pressed", "nameless"}, wordings(h.what.Info().Items))
	b.answer(h, session.Commit{})
	b.equal(0, b.status().Waiting)
	_, err := b.e.Sessions().Lookup(b.Context(), addr("b"))
	b.wantErr(err, session.ErrNotFound)
}

func testDeleteTooLate(b *bench) {
	b.append(note("a", "1", "one"))
	w := b.turns()
	h := w.next()
	b.append(taken("a", "d1", "1"))
	b.must(h.what.Record(b.Context(), session.Step{Kind: session.StepAnswer, Round: 1, Await: true}))
	b.append(note("a", "2", "two"))
	b.crash()
	b.must(w.stop())
	b.append(taken("a", "d2", "1"))
	w = b.turns()
	h = w.next()
	b.equal([]string{"one"}, wordings(h.what.Info().Items))
	b.answer(h, session.Commit{})
	h = w.next()
	b.equal([]string{"two"}, wordings(h.what.Info().Items))
	b.answer(h, session.Commit{})
	b.append(taken("a", "d3", "1"), taken("a", "d4", "2"))
	b.equal(0, b.status().Waiting)
	// It was answered, and an edit of it is one of an answered message.
	b.append(told(edit("a", "e1", "2", "again", session.EditAnswer)))
	b.equal([]string{"again"}, wordings(w.next().what.Info().Items))
}

func testDeleteOvertakes(b *bench) {
	b.append(taken("a", "d1", "1"), taken("b", "d2", "2"))
	_, err := b.e.Sessions().Lookup(b.Context(), addr("a"))
	b.wantErr(err, session.ErrNotFound)
	b.append(note("a", "1", "one"))
	for range 2 {
		b.append(
			told(edit("a", "e1", "1", "edited", session.EditDrop)), told(edit("a", "e2", "1", "edited", session.EditAnswer)),
			note("b", "2", "two"), taken("a", "d1", "1"),
		)
		b.equal(0, b.status().Waiting)
		b.crash()
	}
	// One that overtook the edit and its message.
	b.append(told(edit("a", "e3", "3", "edited", session.EditDrop)), taken("a", "d3", "3"), note("a", "3", "three"))
	b.equal(0, b.status().Waiting)
	b.append(note("a", "4", "four"))
	b.equal([]string{"four"}, wordings(b.turns().next().what.Info().Items))
}

func testDeleteOfASuspect(b *bench) {
	b.append(note("a", "1", "deadly"))
	for range 2 {
		w := b.turns()
		w.next()
		b.crash()
		_ = w.stop() // of the engine that is gone
	}
	b.equal(1, b.status().Suspects)
	b.append(taken("a", "d1", "1"))
	b.equal(0, b.status().Suspects)
	b.append(note("a", "2", "harmless"))
	info := b.turns().next().what.Info()
	b.equal([]string{"harmless"}, wordings(info.Items))
	b.equal(0, info.Lost)
}

// testDeleteRace lets writers take back messages while turns take them. An edit of
// each follows that is answered where the message was and else swallowed, so that a
// message is read with its edit or not at all.
func testDeleteRace(b *bench) {
	read := b.race(40, func(chat, id string) []session.Item {
		return []session.Item{
			note(chat, id, "said"), taken(chat, id+"-d", id), told(edit(chat, id+"-e", id, "edited", session.EditAnswer)),
		}
	})
	for id, got := range read {
		if !slices.Equal(got, []string{"said", "edited"}) {
			b.Errorf("message %s was read as %v", id, got)
		}
	}
	b.equal(0, b.status().Waiting)
}
