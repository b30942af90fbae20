package sessiontest

import (
	"fmt"

	"parley/pkg/session"
)

func (b *bench) info(chat string) session.Info {
	b.Helper()
	info, err := b.e.Sessions().Lookup(b.Context(), addr(chat))
	b.must(err)
	return info
}

// testLateSummary: it is stored as long as its conversation waits for it, and its use counts
// for the turn that asked in any case.
func testLateSummary(b *bench) {
	b.say("a", "1", session.Commit{Messages: user("1", "2", "3")})
	asked := by("ada", 2, "main")
	asked.Messages = user("4")
	info := b.say("a", "2", asked)
	b.say("a", "3", session.Commit{Messages: user("5")})
	chat := b.info("a")
	late := func(to uint64, text string) (bool, error) {
		use := session.Spent{Day: someDay, Purpose: session.ForPeople, Person: "ada"}
		use.Add("cheap", answer(2))
		return b.e.Sessions().Summarise(b.Context(), session.LateSummary{
			Chat: chat.Chat, Session: chat.Session, Turn: info.ID, To: to, Spent: &use,
			Summary: &session.Summary{Message: user(text)[0], Outside: true},
		})
	}
	stored := func(want bool, to uint64, text string) {
		b.Helper()
		got, err := late(to, text)
		b.must(err)
		b.equal(want, got)
	}
	stored(true, 3, "the summary of 1 and 2")
	stored(false, 3, "a second one")
	stored(false, 2, "one of 1")
	for range 2 {
		var tail []string
		b.must(b.e.Sessions().Tail(b.Context(), chat.Session, 0, func(e session.Entry) bool {
			tail = append([]string{fmt.Sprintf("%d %s %v %v %s", e.Seq, e.Message.Content, e.Outside, e.Summary, e.Turn)}, tail...)
			return true
		}))
		b.equal(4, len(tail))
		b.equal("6 the summary of 1 and 2 true true "+info.ID, tail[3])
		b.equal([]int{1, 80}, []int{b.spending(chat.Chat)[session.ForPeople].Turns, b.spending(chat.Chat)[session.ForPeople].Input})
		b.reopen()
	}
	uses := b.turnUses(chat.Chat, 9)
	b.equal(1, len(uses))
	b.equal([]int{1, 4, 80}, []int{uses[0].Spent.Usage.Turns, uses[0].Spent.Usage.Answers, uses[0].Spent.Usage.Input})
	b.equal(2, len(uses[0].Spent.Models))

	b.say("a", "4", session.Commit{NewSession: true})
	stored(false, 5, "one of a conversation that is left")
	b.equal(uint64(0), b.info("a").Entries)
	b.equal(100, b.spending(chat.Chat)[session.ForPeople].Input)
	b.must(b.e.Sessions().Forget(b.Context(), b.info("a").Session))
	_, err := late(5, "one of a chat that is gone")
	b.wantErr(err, session.ErrNotFound)
	b.equal(0, b.spending(chat.Chat)[session.ForPeople].Input)
	_, err = b.e.Sessions().Summarise(b.Context(), session.LateSummary{Chat: "nonsense"})
	b.wantErr(err, session.ErrNotFound)
}
