package sessiontest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"parley/pkg/channels"
	"parley/pkg/session"
)

func sessionTests() []test {
	return []test{
		{"history is read by pages from the tail", testPages},
		{"compaction moves a pointer and deletes nothing", testCompact},
		{"entries have the marks of their commit", testMarks},
		{"a summary that comes late", testLateSummary},
		{"a new session begins empty and the old one stays", testNewSession},
		{"what is not there is not found", func(b *bench) {
			_, err := b.e.Sessions().Lookup(b.Context(), addr("nobody"))
			b.wantErr(err, session.ErrNotFound)
			for _, id := range []string{"", "s", "nonsense", "s1"} {
				_, err = b.e.Sessions().Get(b.Context(), id)
				b.wantErr(err, session.ErrNotFound)
				b.wantErr(b.e.Sessions().Tail(b.Context(), id, 0, func(session.Entry) bool { return true }), session.ErrNotFound)
				b.wantErr(b.e.Sessions().All(b.Context(), id, func(session.Entry) error { return nil }), session.ErrNotFound)
				b.wantErr(b.e.Sessions().Forget(b.Context(), id), session.ErrNotFound)
			}
		}},
		{"sessions are listed by id", testList},
		{"the newest chats are found by the beginning of their names", testNewest},
		{"a chat moves with what waits in it", testMove},
		{"what a chat was called before it moved is known", testFormer},
		{"a chat moves onto one that has begun", testMoveOnto},
		{"a move onto a chat does not run its begun calls again", testMoveOntoBegun},
		{"a chat that moves onto another one keeps its interrupted turn", testMoveBegun},
		{"forget leaves nothing", testForget},
		{"forget of a session that was left behind touches nothing else", testForgetOld},
		{"forget while a turn runs fences it", func(b *bench) {
			b.append(item("a", "1"))
			w := b.turns()
			h := w.next()
			b.must(b.e.Sessions().Forget(b.Context(), h.what.Info().Session))
			b.wantErr(h.what.Record(b.Context(), session.Step{Kind: session.StepBegun, Await: true}), session.ErrFenced)
			h.end <- errors.New("gone")
			b.append(item("a", "2"))
			b.equal([]string{"test/bot/2"}, ids(w.next().what.Info().Items))
		}},
	}
}

// say answers one message with the given texts as history.
func (b *bench) say(chat, id string, c session.Commit) session.TurnInfo {
	b.Helper()
	b.append(item(chat, id))
	w := b.turns()
	h := w.next()
	info := h.what.Info()
	b.answer(h, c)
	b.must(w.stop())
	return info
}

func texts(from, to int) []string {
	var out []string
	for i := from; i <= to; i++ {
		out = append(out, fmt.Sprint(i))
	}
	return out
}

func testPages(b *bench) {
	info := b.say("a", "1", session.Commit{Messages: user(texts(1, 400)...)})
	b.say("b", "2", session.Commit{Messages: user("other")})
	b.equal(texts(391, 400), b.page("a", 0, 10))
	b.equal(texts(381, 390), b.page("a", 391, 10))
	b.equal(texts(1, 3), b.page("a", 4, 10))
	b.equal(texts(1, 400), b.page("a", 1<<60, 1000))
	b.equal(0, len(b.page("a", 1, 10)))
	var all []string
	b.must(b.e.Sessions().All(b.Context(), info.Session, func(e session.Entry) error {
		all = append(all, e.Message.Content)
		return nil
	}))
	b.equal(texts(1, 400), all)
	stop := errors.New("enough")
	b.wantErr(b.e.Sessions().All(b.Context(), info.Session, func(session.Entry) error { return stop }), stop)
}

func testCompact(b *bench) {
	info := b.say("a", "1", session.Commit{Messages: user(texts(1, 10)...)})
	b.say("a", "2", session.Commit{Messages: user(texts(11, 12)...), CompactTo: 8})
	b.equal(texts(8, 12), b.page("a", 0, 100))
	b.say("a", "3", session.Commit{CompactTo: 5})
	b.equal(texts(8, 12), b.page("a", 0, 100))
	got, err := b.e.Sessions().Get(b.Context(), info.Session)
	b.must(err)
	b.equal([]uint64{12, 8}, []uint64{got.Entries, got.CompactedTo})
	n := 0
	b.must(b.e.Sessions().All(b.Context(), info.Session, func(session.Entry) error { n++; return nil }))
	b.equal(12, n)
}

// testMarks: a summary stands before the messages of its commit with marks of its own, and
// Back reads the entries that it stands for.
func testMarks(b *bench) {
	other := b.say("b", "0", session.Commit{Messages: user("x", "y", "z"), Outside: true})
	info := b.say("a", "1", session.Commit{Messages: user("1", "2")})
	b.say("a", "2", session.Commit{Messages: user("3"), Outside: true})
	b.say("a", "3", session.Commit{
		Messages: user("5"), CompactTo: 3, Summary: &session.Summary{Message: user("4")[0], Outside: true},
	})
	b.say("a", "4", session.Commit{
		Messages: user("7"), Outside: true, CompactTo: 5, Summary: &session.Summary{Message: user("6")[0]},
	})
	b.say("a", "5", session.Commit{Messages: user("8")})
	shown := func(e *session.Entry) string {
		return fmt.Sprintf("%d %s %v %v", e.Seq, e.Message.Content, e.Outside, e.Summary)
	}
	want := []string{
		"1 1 false false", "2 2 false false", "3 3 true false", "4 4 true true",
		"5 5 false false", "6 6 false true", "7 7 true false", "8 8 false false",
	}
	for range 2 {
		var tail, back, from7, all []string
		take := func(to *[]string) func(session.Entry) bool {
			return func(e session.Entry) bool { *to = append([]string{shown(&e)}, *to...); return true }
		}
		b.must(b.e.Sessions().Tail(b.Context(), info.Session, 0, take(&tail)))
		b.must(b.e.Sessions().Back(b.Context(), info.Session, 0, take(&back)))
		b.must(b.e.Sessions().Back(b.Context(), info.Session, 7, take(&from7)))
		b.must(b.e.Sessions().All(b.Context(), info.Session, func(e session.Entry) error {
			all = append(all, shown(&e))
			return nil
		}))
		b.equal(want[4:], tail)
		b.equal(want, back)
		b.equal(want[:6], from7)
		b.equal(want, all)
		b.reopen()
	}
	b.must(b.e.Sessions().Forget(b.Context(), info.Session))
	for _, read := range []func(context.Context, string, uint64, func(session.Entry) bool) error{b.e.Sessions().Tail, b.e.Sessions().Back} {
		b.wantErr(read(b.Context(), info.Session, 0, func(session.Entry) bool { return true }), session.ErrNotFound)
	}
	var kept []string
	b.must(b.e.Sessions().Back(b.Context(), other.Session, 0, func(e session.Entry) bool {
		kept = append(kept, shown(&e))
		return true
	}))
	b.equal([]string{"3 z true false", "2 y true false", "1 x true false"}, kept)
}

func testNewSession(b *bench) {
	old := b.say("a", "1", session.Commit{Messages: user("old", "last"), NewSession: true})
	fresh := b.say("a", "2", session.Commit{Messages: user("new")})
	if old.Session == fresh.Session || old.Chat != fresh.Chat {
		b.Fatalf("sessions %s and %s of chats %s and %s", old.Session, fresh.Session, old.Chat, fresh.Chat)
	}
	b.reopen()
	b.equal([]string{"old", "last"}, b.pageOf(old.Session, 0, 10))
	b.equal([]string{"new"}, b.page("a", 0, 10))
	info, err := b.e.Sessions().Get(b.Context(), old.Session)
	b.must(err)
	b.equal(false, info.Current)
	b.equal(uint64(2), info.Entries)
	info, err = b.e.Sessions().Get(b.Context(), fresh.Session)
	b.must(err)
	b.equal(true, info.Current)
	b.equal(uint64(1), info.Entries)
}

func testList(b *bench) {
	for i := range 7 {
		b.say(fmt.Sprint(i), fmt.Sprint(i), session.Commit{NewSession: i == 3})
	}
	var got []string
	for after := ""; ; {
		page, err := b.e.Sessions().List(b.Context(), after, 3)
		b.must(err)
		if len(page) == 0 {
			break
		}
		for i := range page {
			got = append(got, page[i].Session)
		}
		after = got[len(got)-1]
	}
	b.equal(8, len(got))
	for i := 1; i < len(got); i++ {
		if got[i-1] >= got[i] {
			b.Fatalf("%s comes before %s", got[i-1], got[i])
		}
	}
}

// testNewest has names of one length and of many, the one that is the beginning of another, and
// names that are too long for a key.
func testNewest(b *bench) {
	long := strings.Repeat("n", 240)
	for i, chat := range []string{
		"ada.x", "ad.y", "ada.long-name", "adb.x", "ada.", "bo.ada.x", "ada.once-1", "ada.x2", "zoe." + long, "ada.long-name",
		"zoe." + long + "2", "zoe.s",
	} {
		b.say(chat, fmt.Sprint(i), session.Commit{})
	}
	for _, other := range []channels.Address{
		{Channel: "test", Chat: "ada.other"},
		{Channel: "tes", Account: "bot", Chat: "ada.other"},
		{Channel: "test", Account: "bot", Chat: "ada.other", Thread: "1"},
		{Channel: "test", Account: "bot", Chat: "zoe." + long, Thread: "1"},
	} {
		it := item("ada.other", "other "+other.Channel+other.Account+other.Thread+other.Chat[:3])
		it.Address, it.Inbound.Address = other, other
		b.append(it)
	}
	for chat, want := range map[string][]string{
		"ada.": {"ada.long-name", "ada.x2", "ada.", "ada.x"}, "adb.": {"adb.x"}, "none": nil, "zoe." + long: {"zoe." + long + "2", "zoe." + long},
	} {
		for limit := range 6 {
			all, err := b.reading().Newest(b.Context(), addr(chat), limit)
			b.must(err)
			var got []string
			for i := range all {
				got = append(got, all[i].Address.Chat)
				b.equal(addr(all[i].Address.Chat), all[i].Address)
			}
			b.equal(append([]string(nil), want[:min(limit, len(want))]...), got)
		}
	}
	b.must(b.e.Chats().Move(b.Context(), addr("ada.x"), addr("ada.moved")))
	info, err := b.e.Sessions().Lookup(b.Context(), addr("ada.x2"))
	b.must(err)
	b.must(b.e.Sessions().Forget(b.Context(), info.Session))
	all, err := b.reading().Newest(b.Context(), addr(""), 100)
	b.must(err)
	var got []string
	for i := range all {
		got = append(got, all[i].Address.Chat)
	}
	slices.Sort(got)
	b.equal([]string{"ad.y", "ada.", "ada.long-name", "ada.moved", "adb.x", "bo.ada.x", "zoe.s"}, got)
}

func testMove(b *bench) {
	before := b.say("old", "1", session.Commit{Messages: user("hi"), Outbox: []channels.Outbound{outbound("old", "o1")}})
	b.append(item("old", "2"))
	b.must(b.e.Chats().Move(b.Context(), addr("old"), addr("new")))
	b.must(b.e.Chats().Move(b.Context(), addr("new"), addr("new")))
	b.append(item("new", "3"), item("old", "4"))
	b.reopen()
	info, err := b.e.Sessions().Lookup(b.Context(), addr("new"))
	b.must(err)
	b.equal(before.Session, info.Session)
	b.equal(addr("new"), info.Address)
	b.equal(addr("new"), b.deliveries().next().what.Info().Outbound.Address)
	turn := b.turns().next().what.Info()
	b.equal(addr("new"), turn.Address)
	b.equal([]string{"test/bot/2", "test/bot/3", "test/bot/4"}, ids(turn.Items))
}

func testFormer(b *bench) {
	info := b.say("old", "1", session.Commit{})
	former := func(chat string) []string { return b.e.Chats().Former("test", "bot", chat) }
	b.must(b.e.Chats().Move(b.Context(), addr("old"), addr("new")))
	b.must(b.e.Chats().Move(b.Context(), addr("new"), addr("new")))
	b.must(b.e.Chats().Move(b.Context(), addr("silent"), addr("silent2")))
	_, err := b.e.Sessions().Lookup(b.Context(), addr("silent2"))
	b.wantErr(err, session.ErrNotFound)
	thread := addr("silent2")
	thread.Thread = "7"
	b.must(b.e.Chats().Move(b.Context(), thread, addr("thread")))
	b.must(b.e.Sessions().Forget(b.Context(), info.Session))
	for range 2 {
		b.equal([]string{"old"}, former("new"))
		b.equal([]string{"silent"}, former("silent2"))
		b.equal(0, len(former("old"))+len(former("thread"))+len(b.e.Chats().Former("test", "other", "new")))
		b.reopen()
	}
	b.must(b.e.Chats().Move(b.Context(), addr("new"), addr("newer")))
	b.must(b.e.Chats().Move(b.Context(), addr("old"), addr("newer")))
	b.equal([]string{"old", "new"}, former("newer"))
}

func testMoveOnto(b *bench) {
	here := b.say("old", "1", session.Commit{Messages: user("long story")})
	there := b.say("new", "2", session.Commit{Messages: user("short story"), Outbox: []channels.Outbound{outbound("new", "o1")}})
	b.append(item("new", "3"), item("old", "4"))
	b.must(b.e.Chats().Move(b.Context(), addr("old"), addr("new")))
	b.append(item("new", "5"), item("new", "3"))
	turn := b.turns().next().what.Info()
	b.equal(here.Session, turn.Session)
	b.equal([]string{"test/bot/3", "test/bot/4", "test/bot/5"}, ids(turn.Items))
	b.equal("o1", b.deliveries().next().what.Info().Outbound.ID)
	b.equal([]string{"short story"}, b.pageOf(there.Session, 0, 10))
}

// interrupted begins a turn of a chat, records a call as begun, and stops.
func (b *bench) interrupted(chat string, rerunnable bool) session.TurnInfo {
	b.Helper()
	w := b.turns()
	h := w.next()
	for h.what.Info().Address != addr(chat) {
		h = w.next()
	}
	call := session.CallRecord{ID: "c", Tool: "t", Rerunnable: rerunnable}
	b.must(h.what.Record(b.Context(), session.Step{Kind: session.StepBegun, Round: 1, Call: &call, Await: true}))
	b.must(w.stop())
	return h.what.Info()
}

func testMoveOntoBegun(b *bench) {
	b.say("old", "1", session.Commit{})
	for _, rerunnable := range []bool{true, false} {
		to := fmt.Sprint("new", rerunnable)
		b.append(item(to, to))
		b.interrupted(to, rerunnable)
		b.append(item("old", "after "+to))
		b.must(b.e.Chats().Move(b.Context(), addr("old"), addr(to)))
		want := []string{"test/bot/" + to, "test/bot/after " + to}
		var failed []string
		if !rerunnable {
			want, failed = want[1:], want[:1]
		}
		w := b.turns()
		h := w.next()
		b.equal(want, ids(h.what.Info().Items))
		b.answer(h, session.Commit{})
		b.must(w.stop())
		info, err := b.e.Sessions().Lookup(b.Context(), addr("old"))
		b.must(err)
		var got []string
		for i := range info.Failed {
			got = append(got, info.Failed[i].ID)
		}
		b.equal(failed, got)
	}
}

func testMoveBegun(b *bench) {
	b.append(item("new", "1"), item("old", "2"), item("new", "3"))
	before := b.interrupted("old", false)
	b.must(b.e.Chats().Move(b.Context(), addr("old"), addr("new")))
	b.append(item("new", "1"))
	w := b.turns()
	h := w.next()
	again := h.what.Info()
	b.equal(before.ID, again.ID)
	b.equal(ids(before.Items), ids(again.Items))
	b.equal(1, len(again.Steps))
	b.answer(h, session.Commit{})
	b.equal([]string{"test/bot/1", "test/bot/3"}, ids(w.next().what.Info().Items))
}

func testForget(b *bench) {
	info := b.say("a", "1", session.Commit{Messages: user("secret"), Outbox: []channels.Outbound{outbound("a", "o1")}})
	other := b.say("b", "2", session.Commit{Messages: user("mine"), Outbox: []channels.Outbound{outbound("b", "o2")}})
	b.must(b.e.Chats().Move(b.Context(), addr("a"), addr("a2")))
	b.append(item("a", "3"))
	b.must(b.e.Jobs().PutJob(b.Context(), session.Job{ID: "j1", Chat: info.Chat}))
	b.must(b.e.Jobs().PutJob(b.Context(), session.Job{ID: "j2", Chat: other.Chat}))
	b.must(b.e.Sessions().Forget(b.Context(), info.Session))
	for _, chat := range []string{"a", "a2"} {
		_, err := b.e.Sessions().Lookup(b.Context(), addr(chat))
		b.wantErr(err, session.ErrNotFound)
	}
	_, err := b.e.Sessions().Get(b.Context(), info.Session)
	b.wantErr(err, session.ErrNotFound)
	jobs, err := b.e.Jobs().JobList(b.Context(), "")
	b.must(err)
	b.equal(1, len(jobs))
	st := b.status()
	b.equal([]int{0, 1}, []int{st.Waiting, st.Sending})
	b.equal([]string{"mine"}, b.page("b", 0, 10))
	// A late redelivery does not bring the chat back; a new item does.
	b.append(item("a", "3"))
	b.equal(0, b.status().Waiting)
	fresh := b.say("a", "4", session.Commit{Outbox: []channels.Outbound{outbound("a", "o1"), outbound("a", "o3")}})
	if fresh.Chat == info.Chat || fresh.Session == info.Session {
		b.Fatal("the new chat has the old one's ids")
	}
	b.equal(2, b.status().Sending)
}

func testForgetOld(b *bench) {
	old := b.say("a", "1", session.Commit{Messages: user("old"), NewSession: true})
	b.say("a", "2", session.Commit{Messages: user("new")})
	b.append(item("a", "3"))
	b.must(b.e.Sessions().Forget(b.Context(), old.Session))
	_, err := b.e.Sessions().Get(b.Context(), old.Session)
	b.wantErr(err, session.ErrNotFound)
	b.equal([]string{"new"}, b.page("a", 0, 10))
	b.equal(1, b.status().Waiting)
}
