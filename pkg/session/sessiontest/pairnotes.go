package sessiontest

import (
	"fmt"
	"time"

	"parley/pkg/channels"
	"parley/pkg/session"
)

func testPairOwner(b *bench) {
	now := noon()
	b.ask(stranger("a", "A1", now))
	b.ask(stranger("b", "B1", now))
	as := approval(now)
	as.Owner = true
	p, err := b.e.Pairs().ApprovePair(b.Context(), "A1", as)
	b.must(err)
	b.equal(true, p.Owner)
	b.approve("B1", now)
	rights := func(id string) string {
		in, owner := b.e.Pairs().Paired("test", "bot", id)
		return fmt.Sprint(in, owner)
	}
	b.equal("true true", rights("a"))
	b.crash()
	b.equal([]string{"true true", "true false"}, []string{rights("a"), rights("b")})
	pairs, _, err := b.e.Pairs().PairList(b.Context())
	b.must(err)
	b.equal([]bool{true, false}, []bool{pairs[0].Owner, pairs[1].Owner})
	ended, err := b.e.Pairs().RevokePairs(b.Context(), "test", "bot", "a")
	b.must(err)
	b.equal(true, ended[0].Owner)
	b.equal("false false", rights("a"))
	b.ask(stranger("a", "A2", now))
	b.approve("A2", now)
	b.equal("true false", rights("a"))
}

// note is a note to somebody in a chat; each has an id of its own.
func (b *bench) note(person, chat string, at time.Time) bool {
	b.Helper()
	b.notes++
	sent, err := b.e.Pairs().NotePair(b.Context(), session.PairNote{Person: person, Every: time.Hour, Out: channels.Outbound{
		ID: fmt.Sprint("note-", b.notes), Address: channels.Address{Channel: "test", Account: "bot", Chat: chat, Thread: fmt.Sprint(b.notes)},
		Text: "note", Time: at,
	}})
	b.must(err)
	return sent
}

func testPairNotes(b *bench) {
	now := noon()
	for _, id := range []string{"a", "b"} {
		b.ask(stranger(id, id, now))
		b.approve(id, now)
	}
	_, err := b.e.Pairs().NotePair(b.Context(), session.PairNote{Person: "c", Every: time.Hour, Out: outbound("g", "n")})
	b.wantErr(err, session.ErrNotFound)
	before := b.status().Sending
	b.equal([]bool{true, false, true, true},
		[]bool{b.note("a", "g", now), b.note("a", "g", now), b.note("a", "h", now), b.note("b", "g", now)})
	b.crash()
	b.equal([]bool{false, true}, []bool{b.note("a", "g", now.Add(time.Hour-1)), b.note("a", "g", now.Add(time.Hour))})
	b.equal(false, b.note("a", "g", now.Add(time.Minute))) // the clock was set back
	b.equal(4, b.status().Sending-before)
	b.equal([]bool{true, true}, []bool{b.paired("a"), b.paired("b")})
}

func testPairNotesLeaveNothing(b *bench) {
	now := noon()
	b.ask(stranger("a", "A", now))
	b.approve("A", now)
	d := b.deliveries()
	for range 2 { // the code and the welcome
		b.settle(d.next(), "m")
	}
	chats := func() int {
		b.Helper()
		list, err := b.e.Sessions().List(b.Context(), "", 1000)
		b.must(err)
		return len(list)
	}
	for i := range session.PairNotes {
		b.equal(true, b.note("a", fmt.Sprint("g", i), now))
		b.settle(d.next(), "m")
	}
	b.equal(false, b.note("a", "one more", now))
	b.equal(1+session.PairNotes, chats())
	b.equal(true, b.note("a", "one more", now.Add(time.Hour)))
	b.settle(d.next(), "m")
	b.equal(2, chats())
	_, err := b.e.Pairs().RevokePairs(b.Context(), "test", "", "a")
	b.must(err)
	b.equal(1, chats())
}

func testNamePerson(b *bench) {
	now := noon()
	for _, id := range []string{"a", "b"} {
		r := stranger(id, id, now)
		r.Sender.Name = ""
		b.equal(session.PairAsked, b.ask(r))
	}
	b.ask(stranger("c", "c", now))
	b.approve("b", now)
	for _, id := range []string{"a", "b", "c", "nobody"} {
		b.must(b.e.Pairs().NamePerson(b.Context(), "test", "bot", id, "New "+id))
	}
	b.must(b.e.Pairs().NamePerson(b.Context(), "test", "other", "a", "Another"))
	b.crash()
	pairs, asks, err := b.e.Pairs().PairList(b.Context())
	b.must(err)
	b.equal([]string{"New a", "Name of c", "New b"}, []string{asks[0].Sender.Name, asks[1].Sender.Name, pairs[0].Sender.Name})
	b.equal(true, b.paired("b"))
}
