package sessiontest

import (
	"fmt"
	"slices"
	"time"

	"parley/pkg/channels"
	"parley/pkg/session"
)

// from makes an item the message with a platform's id by a sender.
func from(sender, messageID string, it session.Item) session.Item {
	in := *it.Inbound
	in.Sender.ID, in.MessageID = sender, messageID
	it.Inbound = &in
	return it
}

// note is a message of sender u with its own id as the platform's id.
func note(chat, id, text string) session.Item { return from("u", id, textItem(chat, id, text)) }

// edit is a new wording of a note.
func edit(chat, id, of, text string, rule session.EditRule) session.Item {
	it := from("u", of, textItem(chat, id, text))
	it.Inbound.Kind, it.Edit = channels.KindEdit, rule
	return it
}

func wordings(list []session.Item) []string {
	out := make([]string, len(list))
	for i := range list {
		out[i] = list[i].Inbound.Text
	}
	return out
}

func editTests() []test {
	return []test{
		{"an edit replaces the message that waits, in its place", testEditReplaces},
		{"an edit replaces no other message", testEditOfOthers},
		{"an edit comes with its message and with the cursor", testEditWithItsMessage},
		{"an edit of a message that a turn has comes too late", func(b *bench) {
			b.append(note("a", "1", "old"))
			w := b.turns()
			h := w.next()
			b.append(
				note("a", "2", "next"), edit("a", "e1", "1", "late", session.EditDrop),
				edit("a", "e2", "1", "again", session.EditAnswer), edit("a", "e2", "1", "twice", session.EditAnswer),
			)
			b.equal([]string{"old"}, wordings(h.what.Info().Items))
			b.answer(h, session.Commit{})
			b.equal([]string{"next", "again"}, wordings(w.next().what.Info().Items))
		}},
		{"an edit of an answered message comes too late", func(b *bench) {
			b.append(note("a", "1", "old"))
			w := b.turns()
			b.answer(w.next(), session.Commit{})
			b.append(edit("a", "e1", "1", "dropped", session.EditDrop))
			b.equal(0, b.status().Waiting)
			b.append(edit("a", "e1", "1", "seen before", session.EditAnswer))
			b.equal(0, b.status().Waiting)
			b.append(edit("a", "e2", "1", "answered", session.EditAnswer))
			b.equal([]string{"answered"}, wordings(w.next().what.Info().Items))
		}},
		{"an edit that waits is replaced by the next one", func(b *bench) {
			b.append(note("a", "1", "old"))
			w := b.turns()
			h := w.next()
			b.append(edit("a", "e1", "1", "newer", session.EditAnswer), edit("a", "e2", "1", "newest", session.EditDrop))
			b.answer(h, session.Commit{})
			b.equal([]string{"newest"}, wordings(w.next().what.Info().Items))
		}},
		{"an edit counts for the newest wording that waits", func(b *bench) {
			b.append(note("a", "1", "old"))
			b.turns().next()
			b.append(edit("a", "e1", "1", "newer", session.EditAnswer))
			b.crash()
			b.append(edit("a", "e2", "1", "newest", session.EditAnswer))
			b.equal([]string{"old", "newest"}, wordings(b.turns().next().what.Info().Items))
		}},
		{"an edit is seen by whoever looks at what waits, and by a join", testEditJoined},
		{"an edit counts after a turn that recorded nothing, not after one that did", testEditAfterAttempt},
		{"an edit of what never came", func(b *bench) {
			b.append(edit("a", "e1", "", "of nothing", session.EditDrop))
			b.equal(0, b.status().Waiting)
			b.append(edit("a", "e2", "1", "new", session.EditDrop), edit("a", "e3", "1", "newer", session.EditDrop))
			w := b.turns()
			h := w.next()
			b.equal([]string{"newer"}, wordings(h.what.Info().Items))
			b.equal(channels.KindMessage, h.what.Info().Items[0].Inbound.Kind)
			b.append(edit("a", "e4", "1", "too late", session.EditDrop), edit("a", "e5", "2", "joined", session.EditAnswer))
			_, err := h.what.Join(b.Context(), func(session.Item) bool { return true })
			b.must(err)
			b.must(w.stop())
			b.crash()
			w = b.turns()
			b.answer(w.next(), session.Commit{})
			b.must(w.stop())
			b.reopen()
			b.append(edit("a", "e6", "1", "answered", session.EditDrop), edit("a", "e7", "2", "answered", session.EditDrop))
			b.equal(0, b.status().Waiting)
			b.append(edit("b", "e8", "1", "elsewhere", session.EditDrop), edit("a", "e9", "1", "answered", session.EditAnswer))
			b.equal(2, b.status().Waiting)
		}},
		{"edits, turns and crashes in any order", testEditsAndTurns},
		{"edits and turns beside each other: every last wording is read once", testEditRace},
	}
}

func testEditReplaces(b *bench) {
	first := note("a", "1", "old")
	first.Inbound.Quote = "quoted"
	b.append(first, note("a", "2", "between"))
	e := edit("a", "e1", "1", "new", session.EditDrop)
	e.Inbound.Attachments = []channels.Attachment{{About: "photo", Ref: "r", Name: "a.png"}}
	b.append(e)
	b.append(note("a", "3", "last"), edit("a", "e2", "2", "", session.EditAnswer))
	b.equal(3, b.status().Waiting)
	b.append(edit("a", "e1", "1", "delivered again", session.EditDrop), note("a", "1", "delivered again"))
	b.crash()
	w := b.turns()
	h := w.next()
	got := h.what.Info().Items
	b.equal([]string{"test/bot/1", "test/bot/2", "test/bot/3"}, ids(got))
	b.equal([]string{"new", "", "last"}, wordings(got))
	b.equal("quoted", got[0].Inbound.Quote)
	b.equal(e.Inbound.Attachments, got[0].Inbound.Attachments)
	b.equal(channels.KindMessage, got[0].Inbound.Kind)
	b.answer(h, session.Commit{})
	b.equal(0, b.status().Waiting)

	// An edit makes a turn of its own of a message, or no longer.
	alone := note("b", "4", "alone")
	alone.Solo = true
	solo := edit("b", "e3", "5", "/command", session.EditDrop)
	solo.Solo = true
	b.append(note("b", "5", "first"), alone, note("b", "6", "third"), solo, edit("b", "e4", "4", "together", session.EditDrop))
	h = w.next()
	b.equal([]string{"/command"}, wordings(h.what.Info().Items))
	b.answer(h, session.Commit{})
	b.equal([]string{"together", "third"}, wordings(w.next().what.Info().Items))
}

func testEditOfOthers(b *bench) {
	button := note("a", "5", "pressed")
	button.Inbound.Kind = channels.KindButton
	nameless := from("u", "", textItem("a", "6", "nameless"))
	b.append(note("a", "1", "one"), note("a", "10", "ten"), note("b", "2", "elsewhere"), button, nameless)
	thread := addr("a")
	thread.Thread = "t"
	moved := addr("c")
	b.must(b.e.Chats().Move(b.Context(), addr("a"), moved))
	inThread := edit("a", "e3", "1", "in a thread", session.EditDrop)
	inThread.Address = thread
	after := edit("a", "e4", "1", "numbered anew", session.EditDrop)
	after.Address = moved
	b.append(
		from("v", "1", edit("a", "e1", "1", "by somebody else", session.EditDrop)),
		edit("a", "e2", "2", "in another chat", session.EditDrop),
		inThread, after,
		edit("a", "e5", "5", "of a button", session.EditDrop),
		edit("a", "e6", "", "of nothing", session.EditDrop),
		edit("a", "e7", "0", "of another one", session.EditDrop),
	)
	w := b.turns()
	for range 3 {
		h := w.next()
		want := []string{"one", "ten", "pressed", "nameless", "in another chat", "numbered anew", "of another one"}
		switch h.what.Info().Address {
		case addr("b"):
			want = []string{"elsewhere"}
		case thread:
			want = []string{"in a thread"}
		}
		b.equal(want, wordings(h.what.Info().Items))
		b.answer(h, session.Commit{})
	}
	b.equal(0, b.status().Waiting)
}

func testEditWithItsMessage(b *bench) {
	w := b.turns()
	b.append(note("a", "0", "first of the chat"))
	b.answer(w.next(), session.Commit{})
	both := []session.Item{note("a", "1", "old"), edit("a", "e1", "1", "new", session.EditAnswer)}
	b.must(b.e.Inbox().Append(b.Context(), both, &channels.Cursor{Name: "p", To: "1"}))
	h := w.next()
	b.equal([]string{"new"}, wordings(h.what.Info().Items))
	b.append(note("a", "2", "second"))
	late := []session.Item{edit("a", "e2", "2", "fenced", session.EditDrop), edit("a", "e3", "1", "fenced", session.EditAnswer)}
	b.wantErr(b.e.Inbox().Append(b.Context(), late, &channels.Cursor{Name: "p", To: "2"}), session.ErrFenced)
	b.answer(h, session.Commit{})
	h = w.next()
	b.equal([]string{"second"}, wordings(h.what.Info().Items))
	// A fenced item was not accepted: the same edits may come again.
	b.must(b.e.Inbox().Append(b.Context(), late[1:], &channels.Cursor{Name: "p", From: "1", To: "2"}))
	b.answer(h, session.Commit{})
	b.equal([]string{"fenced"}, wordings(w.next().what.Info().Items))
}

// arrives waits until a turn is told of items behind it.
func (b *bench) arrives(h handed[session.Turn]) {
	b.Helper()
	select {
	case <-h.what.Info().Arrivals:
	case <-time.After(patience):
		b.Fatal("the turn was not told")
	}
}

func testEditJoined(b *bench) {
	b.append(note("a", "1", "one"))
	h := b.turns().next()
	b.append(note("a", "2", "two"), note("a", "3", "three"))
	b.arrives(h)
	b.append(edit("a", "e1", "3", "three, better", session.EditDrop))
	b.arrives(h)
	waiting, err := h.what.Waiting(b.Context())
	b.must(err)
	b.equal([]string{"two", "three, better"}, wordings(waiting))
	join := func(want ...string) {
		b.Helper()
		left := 1
		joined, err := h.what.Join(b.Context(), func(session.Item) bool { left--; return left >= 0 })
		b.must(err)
		b.equal(want, wordings(joined))
	}
	join("two")
	b.append(edit("a", "e2", "2", "too late", session.EditDrop), edit("a", "e3", "3", "three, best", session.EditDrop))
	join("three, best")
	b.answer(h, session.Commit{})
	b.equal(0, b.status().Waiting)
}

func testEditAfterAttempt(b *bench) {
	b.append(note("a", "1", "old"))
	b.equal([]string{"old"}, wordings(b.turns().next().what.Info().Items))
	b.crash()
	b.append(edit("a", "e1", "1", "new", session.EditDrop))
	h := b.turns().next()
	b.equal([]string{"new"}, wordings(h.what.Info().Items))
	b.append(note("a", "2", "joined"), note("a", "3", "behind"))
	taken := 0
	_, err := h.what.Join(b.Context(), func(session.Item) bool { taken++; return taken == 1 })
	b.must(err)
	b.must(h.what.Record(b.Context(), session.Step{Kind: session.StepAnswer, Round: 1, Await: true}))
	b.crash()
	for i, of := range []string{"1", "2", "3"} {
		b.append(edit("a", fmt.Sprint("f", i), of, "after the crash", session.EditDrop))
	}
	w := b.turns()
	h = w.next()
	info := h.what.Info()
	b.equal([]string{"new"}, wordings(info.Items))
	b.equal([]string{"joined"}, wordings(info.Steps[0].Items))
	b.answer(h, session.Commit{})
	b.equal([]string{"after the crash"}, wordings(w.next().what.Info().Items))
}

// testEditRace lets writers edit messages while turns take them. No rule drops an edit
// here, so that the last wording of each message is read by exactly one turn, and an
// earlier one is not read after it.
func testEditRace(b *bench) {
	const each, versions = 30, 4
	read := b.race(each, func(chat, id string) []session.Item {
		all := []session.Item{note(chat, id, "0")}
		for v := 1; v < versions; v++ {
			all = append(all, edit(chat, fmt.Sprint(id, "-", v), id, fmt.Sprint(v), session.EditAnswer))
		}
		return all
	})
	b.equal(raceChats*each, len(read))
	for id, got := range read {
		if last := fmt.Sprint(versions - 1); got[len(got)-1] != last {
			b.Errorf("message %s: the last wording read is %s, want %s", id, got[len(got)-1], last)
		}
		if rising := slices.Compact(slices.Sorted(slices.Values(got))); !slices.Equal(got, rising) {
			b.Errorf("message %s was read as %v", id, got)
		}
	}
}
