package sessiontest

import (
	"parley/pkg/channels"
	"parley/pkg/session"
)

func readingTests() []test {
	return []test{
		{"messages are new until they were seen", testUnread},
		{"items wait in their order until their turns are over", testQueued},
	}
}

func (b *bench) reading() session.Reading {
	b.Helper()
	r, ok := b.e.Chats().(session.Reading)
	if !ok {
		b.Fatal("the engine does not know how far chats were read")
	}
	return r
}

// testUnread: over a reopen, each chat by itself, until its chat is forgotten; a message that
// took over another one counts with it, and one that no screen has seen does not.
func testUnread(b *bench) {
	info := b.say("a", "1", session.Commit{Outbox: []channels.Outbound{
		outbound("a", "o1"), {ID: "o2", Address: addr("a"), Text: "two", Finishes: "o1"}, outbound("a", "o3"),
	}})
	other := b.say("b", "2", session.Commit{Outbox: []channels.Outbound{outbound("b", "p1")}})
	unread := func(chat string, limit, want int) {
		b.Helper()
		n, err := b.reading().Unread(b.Context(), chat, limit)
		b.must(err)
		b.equal(want, n)
	}
	mark := func(chat string, want bool) {
		b.Helper()
		marked, err := b.reading().MarkRead(b.Context(), chat, "")
		b.must(err)
		b.equal(want, marked)
	}
	d := b.deliveries()
	deliver := func(n int) {
		for range n {
			h := d.next()
			b.must(h.what.Settle(b.Context(), channels.Outcome{
				State: channels.Delivered, Kept: true, Receipt: channels.Receipt{MessageID: "m"},
			}))
			h.end <- nil
		}
	}
	mark(info.Chat, false)
	unread(info.Chat, 9, 0)
	deliver(4)
	unread(info.Chat, 9, 2)
	unread(info.Chat, 1, 1)
	marked, err := b.reading().MarkRead(b.Context(), info.Chat, "o2")
	b.must(err)
	b.equal(true, marked)
	unread(info.Chat, 9, 1)
	var unseen []string
	b.must(b.reading().Shown(b.Context(), info.Session, 0, func(s session.Shown) bool {
		if !s.Seen {
			unseen = append(unseen, s.ID)
		}
		return true
	}))
	b.equal([]string{"o3"}, unseen)
	_, err = b.reading().MarkRead(b.Context(), info.Chat, "p1")
	b.wantErr(err, session.ErrNotFound)
	mark(info.Chat, true)
	mark(info.Chat, false)
	unread(info.Chat, 9, 0)
	unread(other.Chat, 9, 1)
	b.say("a", "3", session.Commit{Outbox: []channels.Outbound{outbound("a", "o4")}})
	deliver(1)
	unread(info.Chat, 9, 1)
	b.reopen()
	unread(info.Chat, 9, 1)
	again := b.say("a", "4", session.Commit{NewSession: true, Outcome: session.OutcomeAnswered})
	unread(info.Chat, 9, 0)
	now, err := b.e.Sessions().Lookup(b.Context(), again.Address)
	b.must(err)
	b.must(b.e.Sessions().Forget(b.Context(), now.Session))
	_, err = b.reading().Unread(b.Context(), info.Chat, 9)
	b.wantErr(err, session.ErrNotFound)
	_, err = b.reading().MarkRead(b.Context(), info.Chat, "")
	b.wantErr(err, session.ErrNotFound)
}

// testQueued: those of the running turn too, and none of another chat.
func testQueued(b *bench) {
	queued := func(limit int, want ...string) {
		b.Helper()
		all, err := b.reading().Queued(b.Context(), addr("a"), limit)
		b.must(err)
		ids := []string{}
		for i := range all {
			ids = append(ids, all[i].ID)
		}
		b.equal(append([]string{}, want...), ids)
	}
	queued(9)
	first, second, third := item("a", "1"), item("a", "2"), item("a", "3")
	first.Solo, second.Solo, third.Solo = true, true, true
	b.append(first, item("b", "x"), second)
	w := b.turns()
	h := w.next()
	if h.what.Info().Address != addr("a") {
		h = w.next()
	}
	b.append(third)
	queued(9, first.ID, second.ID, third.ID)
	queued(2, first.ID, second.ID)
	b.answer(h, session.Commit{Outcome: session.OutcomeAnswered})
	queued(9, second.ID, third.ID)
	b.crash()
	queued(9, second.ID, third.ID)
}
