package sessiontest

import (
	"errors"
	"fmt"

	"parley/pkg/session"
)

// conversationTests are those of entries that are undone, and of sessions that a chat goes back to.
func conversationTests() []test {
	return []test{
		{"undone entries leave the tail and stay in the store", testUndo},
		{"entries are undone within others, and beside a summary", testUndoWithin},
		{"the first entry of a turn has its start", testStarts},
		{"a chat goes on with a conversation that it left", testResume},
		{"a chat goes on with no conversation of another one", testResumeForeign},
		{"a chat lists the conversations that it left", testLeft},
		{"a chat that moved goes on with the conversation of the other one", testResumeMoved},
		{"a summary that comes late finds its conversation again", testLateSummaryResumed},
	}
}

// marked are the entries of a session in the order of All, one word each: undone ones in brackets.
func (b *bench) marked(id string) []string {
	b.Helper()
	word := func(e *session.Entry) string {
		if e.Undone {
			return "[" + e.Message.Content + "]"
		}
		return e.Message.Content
	}
	var all, back []string
	b.must(b.e.Sessions().All(b.Context(), id, func(e session.Entry) error {
		all = append(all, word(&e))
		return nil
	}))
	b.must(b.e.Sessions().Back(b.Context(), id, 0, func(e session.Entry) bool {
		back = append([]string{word(&e)}, back...)
		return true
	}))
	b.equal(all, back)
	return all
}

func testUndo(b *bench) {
	other := b.say("b", "0", session.Commit{Messages: user("x", "y", "z", "u", "v")})
	info := b.say("a", "1", session.Commit{Messages: user("1", "2", "3")})
	b.say("a", "2", session.Commit{Messages: user("4"), Undo: &session.Span{From: 2, To: 3}})
	for range 2 {
		b.equal([]string{"1", "4"}, b.page("a", 0, 10))
		b.equal([]string{"1"}, b.page("a", 4, 10))
		b.equal([]string{"1"}, b.page("a", 3, 10)) // it begins within
		b.equal([]string{"4"}, b.page("a", 0, 1))
		b.equal(0, len(b.page("a", 1, 10)))
		b.equal([]string{"1", "[2]", "[3]", "4"}, b.marked(info.Session))
		b.equal([]string{"x", "y", "z", "u", "v"}, b.marked(other.Session))
		b.crash()
	}
	b.say("a", "3", session.Commit{Undo: &session.Span{From: 4, To: 99}})
	b.say("a", "4", session.Commit{Messages: user("5"), Undo: &session.Span{From: 7, To: 9}})
	b.equal([]string{"1", "5"}, b.page("a", 0, 10))
	b.equal([]string{"1", "[2]", "[3]", "[4]", "5"}, b.marked(info.Session))
	b.equal(uint64(5), b.info("a").Entries)
	b.say("a", "5", session.Commit{NewSession: true})
	b.say("a", "6", session.Commit{Messages: user("n1", "n2", "n3")})
	b.equal([]string{"n1", "n2", "n3"}, b.page("a", 0, 10))
	b.equal([]string{"1", "5"}, b.pageOf(info.Session, 0, 10))
	b.must(b.e.Sessions().Forget(b.Context(), info.Session))
	b.equal([]string{"n1", "n2", "n3"}, b.page("a", 0, 10))
}

func testUndoWithin(b *bench) {
	info := b.say("a", "1", session.Commit{Messages: user("1", "2")})
	b.say("a", "2", session.Commit{Messages: user("3", "4")})
	b.say("a", "3", session.Commit{Undo: &session.Span{From: 3, To: 3}})
	b.say("a", "4", session.Commit{CompactTo: 2, Summary: &session.Summary{Message: user("S")[0], Outside: true}})
	b.say("a", "5", session.Commit{Messages: user("6")})
	b.equal([]string{"2", "4", "S", "6"}, b.page("a", 0, 10))
	b.say("a", "6", session.Commit{Undo: &session.Span{From: 2, To: 6}})
	for range 2 {
		b.equal([]string{"S"}, b.page("a", 0, 10))
		b.equal([]string{"1", "[2]", "[3]", "[4]", "S", "[6]"}, b.marked(info.Session))
		b.reopen()
	}
	b.say("a", "7", session.Commit{Messages: user("7")})
	b.equal([]string{"S", "7"}, b.page("a", 0, 10))
}

func testStarts(b *bench) {
	info := b.say("a", "1", session.Commit{Messages: user("1", "2")})
	b.say("a", "2", session.Commit{Messages: user("3", "4"), Start: session.StartSchedule, Outside: true})
	b.say("a", "3", session.Commit{Messages: user("5", "6"), Start: session.StartSequel})
	for range 2 {
		var got []string
		b.must(b.e.Sessions().Back(b.Context(), info.Session, 0, func(e session.Entry) bool {
			got = append([]string{fmt.Sprint(e.Message.Content, e.Start, e.Outside)}, got...)
			return true
		}))
		b.equal([]string{"1false", "2false", "3scheduletrue", "4true", "5sequelfalse", "6false"}, got)
		b.reopen()
	}
}

func testResume(b *bench) {
	first := b.say("a", "1", session.Commit{Messages: user("1", "2", "3"), Outside: true, CompactTo: 2})
	b.say("a", "2", session.Commit{Outcome: session.OutcomeFailed, Reason: "no model"})
	b.say("a", "3", session.Commit{NewSession: true})
	second := b.say("a", "4", session.Commit{Messages: user("other"), Undo: &session.Span{From: 9, To: 9}})
	before := b.info("a")
	b.say("a", "5", session.Commit{Messages: user("last of the second"), Resume: first.Session})
	b.crash()
	now := b.info("a")
	b.equal([]any{first.Session, first.Chat, uint64(3), uint64(2), true, 1},
		[]any{now.Session, now.Chat, now.Entries, now.CompactedTo, now.Current, len(now.Failed)})
	b.equal(true, now.Created.Before(before.Created))
	b.equal([]string{"2", "3"}, b.page("a", 0, 10))
	b.equal([]string{"other", "last of the second"}, b.pageOf(second.Session, 0, 10))
	left, err := b.e.Sessions().Get(b.Context(), second.Session)
	b.must(err)
	b.equal([]any{false, uint64(2)}, []any{left.Current, left.Entries})
	info := b.say("a", "6", session.Commit{Messages: user("4")})
	b.equal(first.Session, info.Session)
	entries := b.entries(first.Session, 0, 10)
	b.equal([]any{3, true, false}, []any{len(entries), entries[1].Outside, entries[2].Outside})
	b.say("a", "7", session.Commit{Resume: second.Session}) // and back again
	b.equal([]string{"other", "last of the second"}, b.page("a", 0, 10))
	b.must(b.e.Sessions().Forget(b.Context(), first.Session))
	b.equal([]string{"other", "last of the second"}, b.page("a", 0, 10))
}

// testResumeForeign: the commit fails, nothing of it is stored, and its turn is handed out again.
func testResumeForeign(b *bench) {
	own := b.say("a", "1", session.Commit{Messages: user("mine"), NewSession: true})
	b.say("a", "2", session.Commit{Messages: user("now")})
	foreign := b.say("b", "3", session.Commit{Messages: user("theirs"), NewSession: true})
	present := b.say("b", "4", session.Commit{Messages: user("their present")})
	gone := b.say("c", "5", session.Commit{Messages: user("forgotten"), NewSession: true})
	b.say("c", "6", session.Commit{Messages: user("x")})
	b.must(b.e.Sessions().Forget(b.Context(), gone.Session))
	b.append(item("a", "7"))
	w := b.turns()
	h := w.next()
	for _, id := range []string{foreign.Session, present.Session, gone.Session, b.info("a").Session, "s1", "nonsense"} {
		c := session.Commit{Outcome: session.OutcomeAnswered, Messages: user("no"), Resume: id}
		b.wantErr(h.what.Commit(b.Context(), c), session.ErrNotFound)
		h.end <- errors.New("again")
		h = w.next()
		b.equal([]string{"test/bot/7"}, ids(h.what.Info().Items))
	}
	b.answer(h, session.Commit{Resume: own.Session})
	b.must(w.stop())
	b.equal([]string{"mine"}, b.page("a", 0, 10))
	b.equal([]string{"their present"}, b.page("b", 0, 10))
	b.equal([]string{"theirs"}, b.pageOf(foreign.Session, 0, 10))

	// The same address, after its chat was forgotten, is another chat.
	info := b.say("a", "8", session.Commit{Messages: user("more"), NewSession: true})
	b.say("a", "9", session.Commit{})
	b.must(b.e.Sessions().Forget(b.Context(), b.info("a").Session))
	b.append(item("a", "10"))
	w = b.turns()
	h = w.next()
	left, err := b.e.Sessions().Left(b.Context(), h.what.Info().Chat, 10)
	b.must(err)
	b.equal(0, len(left))
	b.wantErr(h.what.Commit(b.Context(), session.Commit{Outcome: session.OutcomeAnswered, Resume: info.Session}), session.ErrNotFound)
}

func testLeft(b *bench) {
	names := func(limit int) (all []string) {
		b.Helper()
		left, err := b.e.Sessions().Left(b.Context(), b.info("a").Chat, limit)
		b.must(err)
		for i := range left {
			b.equal(false, left[i].Current)
			all = append(all, b.pageOf(left[i].Session, 0, 1)...)
		}
		return all
	}
	b.say("b", "0", session.Commit{Messages: user("another chat"), NewSession: true})
	var first session.TurnInfo
	for i := range 5 {
		info := b.say("a", fmt.Sprint("a", i), session.Commit{Messages: user(fmt.Sprint(i)), NewSession: true})
		if i == 0 {
			first = info
		}
		b.say("a", fmt.Sprint("empty", i), session.Commit{NewSession: true})
	}
	b.equal([]string{"4", "3", "2", "1", "0"}, names(10))
	b.equal([]string{"4", "3"}, names(2))
	b.say("a", "present", session.Commit{Messages: user("present")})
	b.say("a", "back", session.Commit{Resume: first.Session})
	b.reopen()
	b.equal([]string{"present", "4", "3", "2", "1"}, names(10))
	left, err := b.e.Sessions().Left(b.Context(), "c1", 10)
	b.must(err)
	b.equal(0, len(left))
	_, err = b.e.Sessions().Left(b.Context(), "nonsense", 10)
	b.wantErr(err, session.ErrNotFound)
}

func testResumeMoved(b *bench) {
	b.say("old", "1", session.Commit{Messages: user("long story")})
	there := b.say("new", "2", session.Commit{Messages: user("short story")})
	b.must(b.e.Chats().Move(b.Context(), addr("old"), addr("new")))
	b.say("new", "3", session.Commit{Resume: there.Session})
	b.equal([]string{"short story"}, b.page("new", 0, 10))
	b.equal(addr("new"), b.info("new").Address)
	b.reopen()
	b.equal(addr("new"), b.say("old", "4", session.Commit{}).Address)
}

func testLateSummaryResumed(b *bench) {
	info := b.say("a", "1", session.Commit{Messages: user("1", "2", "3")})
	late := func() bool {
		b.Helper()
		stored, err := b.e.Sessions().Summarise(b.Context(), session.LateSummary{
			Chat: info.Chat, Session: info.Session, Turn: info.ID, To: 3, Summary: &session.Summary{Message: user("S")[0]},
		})
		b.must(err)
		return stored
	}
	b.say("a", "2", session.Commit{NewSession: true})
	b.equal(false, late())
	b.say("a", "3", session.Commit{Messages: user("other")})
	b.say("a", "4", session.Commit{Resume: info.Session})
	b.equal(true, late())
	b.equal([]string{"3", "S"}, b.page("a", 0, 10))
	b.equal(1, len(b.pageOf(b.left("a")[0], 0, 10)))
}

// left are the ids of the conversations that a chat left behind.
func (b *bench) left(chat string) (all []string) {
	b.Helper()
	left, err := b.e.Sessions().Left(b.Context(), b.info(chat).Chat, 10)
	b.must(err)
	for i := range left {
		all = append(all, left[i].Session)
	}
	return all
}
