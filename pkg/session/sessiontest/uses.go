package sessiontest

import (
	"slices"
	"strconv"

	"parley/pkg/session"
)

// answer is the use of one answer.
func answer(tokens int) session.Usage {
	return session.Usage{Answers: 1, Input: 10 * tokens, Cached: 8 * tokens, Output: tokens, Reasoning: tokens / 2, Money: int64(tokens)}
}

// by is the use of a turn for a person, with one answer of each model.
func by(person string, tokens int, models ...string) session.Commit {
	s := session.Spent{Day: someDay, Purpose: session.ForPeople, Person: person, Usage: session.Usage{Turns: 1}}
	for _, m := range models {
		s.Add(m, answer(tokens))
	}
	return session.Commit{Outcome: session.OutcomeAnswered, Spent: &s}
}

func (b *bench) shares(chat, from, to string) (all []session.Share) {
	b.Helper()
	b.must(b.e.Chats().Shares(b.Context(), chat, from, to, func(s session.Share) { all = append(all, s) }))
	return all
}

func (b *bench) turnUses(chat string, most int) (all []session.TurnUse) {
	b.Helper()
	b.must(b.e.Chats().TurnUses(b.Context(), chat, func(u session.TurnUse) bool {
		all = append(all, u)
		return len(all) < most
	}))
	return all
}

func testShares(b *bench) {
	info := b.say("a", "1", by("ada", 2, "main", "cheap"))
	b.equal(0, len(b.shares(b.say("b", "2", session.Commit{}).Chat, someDay, someDay)))
	b.say("a", "3", by("ada", 4, "main"))
	b.say("a", "4", by("bob", 6, "main"))
	b.say("a", "5", spent(session.ForJobs, 3, 7)) // of an unknown model, for nobody
	next := by("ada", 2)
	next.Spent.Day = "2026-03-30"
	b.say("a", "6", next) // asked, and got no answer
	b.crash()
	twice := answer(2)
	twice.Add(answer(4))
	share := func(person, model string, u session.Usage) session.Share {
		return session.Share{Day: someDay, Person: person, Purpose: session.ForPeople, Model: model, Usage: u}
	}
	want := []session.Share{
		{Day: someDay, Purpose: session.ForJobs, Usage: use(3, 7)},
		share("ada", "", session.Usage{Turns: 2}), share("ada", "main", twice), share("ada", "cheap", answer(2)),
		share("bob", "", session.Usage{Turns: 1}), share("bob", "main", answer(6)),
	}
	b.equal(want, b.shares(info.Chat, someDay, someDay))
	after := session.Share{Day: "2026-03-30", Person: "ada", Purpose: session.ForPeople, Usage: session.Usage{Turns: 1}}
	b.equal(append(want, after), b.shares(info.Chat, "2026-01-01", "2026-12-31"))
	b.equal(0, len(b.shares(info.Chat, "2026-01-01", "2026-01-02")))
	for _, none := range []string{"", "c1", "nonsense"} {
		b.equal(0, len(b.shares(none, "", "9")))
		b.equal(0, len(b.turnUses(none, 9)))
	}
}

func testSharesMove(b *bench) {
	b.say("a", "1", by("ada", 2, "main"))
	b.say("b", "2", by("ada", 4, "main"))
	b.say("b", "3", by("bob", 6, "cheap"))
	b.must(b.e.Chats().Move(b.Context(), addr("b"), addr("a")))
	b.crash()
	info := b.say("a", "4", session.Commit{})
	got := map[string]session.Usage{}
	for _, s := range b.shares(info.Chat, someDay, someDay) {
		sum := got[s.Person+" "+s.Model]
		sum.Add(s.Usage)
		got[s.Person+" "+s.Model] = sum
	}
	both := answer(2)
	both.Add(answer(4))
	b.equal(map[string]session.Usage{
		"ada ": {Turns: 2}, "ada main": both, "bob ": {Turns: 1}, "bob cheap": answer(6),
	}, got)
	b.must(b.e.Sessions().Forget(b.Context(), info.Session))
	again := b.say("a", "5", session.Commit{})
	b.equal(0, len(b.shares(info.Chat, "", "9"))+len(b.shares(again.Chat, "", "9")))
}

func testTurnUses(b *bench) {
	var want []session.Spent
	chat := ""
	commits := []session.Commit{by("ada", 2, "main", "cheap"), by("bob", 4), by("ada", 6, "main")}
	for i := range commits {
		c := &commits[i]
		info := b.say("a", strconv.Itoa(i), *c)
		b.say("a", "command "+strconv.Itoa(i), session.Commit{Outcome: session.OutcomeAnswered})
		want, chat = append(want, *c.Spent), info.Chat
	}
	counted := by("ada", 8, "main")
	counted.Outcome, counted.Counted = session.OutcomeFailed, true
	last := b.say("a", "4", counted)
	want = append(want, *counted.Spent)
	slices.Reverse(want)
	b.crash()
	var got []session.Spent
	all := b.turnUses(chat, 9)
	for i := range all {
		got = append(got, all[i].Spent)
		b.equal(false, all[i].Ended.IsZero())
	}
	b.equal(want, got)
	b.equal([]any{last.ID, session.OutcomeFailed, session.OutcomeAnswered}, []any{all[0].Turn, all[0].Outcome, all[1].Outcome})
	b.equal(1, len(b.turnUses(chat, 1)))
	b.equal(3, b.spending(chat)[session.ForPeople].Turns) // the last one counts elsewhere
}
