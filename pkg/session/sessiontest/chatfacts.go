package sessiontest

import (
	"errors"
	"math"
	"sync"
	"time"

	"parley/pkg/session"
)

func factTests() []test {
	return []test{
		{"a chat has its time zone", testZone},
		{"a chat has the model that it chooses", testModel},
		{"what turns use is added up by day and purpose", testSpending},
		{"what a task used counts once, with its result", testTaskSpending},
		{"what turns use is known by person and model", testShares},
		{"shares follow a chat that moves, and go with it", testSharesMove},
		{"the use of each turn is known", testTurnUses},
		{"the turn of an item and its program are known", testTurnOf},
		{"a chat of one request goes with its last turn", testForgetTurn},
		{"what a fenced turn used does not count", func(b *bench) {
			b.append(item("a", "1"))
			w := b.turns()
			h := w.next()
			chat := h.what.Info().Chat
			b.answer(h, spent(session.ForPeople, 1, 1))
			b.wantErr(h.what.Commit(b.Context(), spent(session.ForPeople, 1, 1)), session.ErrFenced)
			b.must(w.stop())
			b.equal(use(1, 1), b.spending(chat)[session.ForPeople])
		}},
		{"nothing makes what was used less", func(b *bench) {
			chat := b.say("a", "1", spent(session.ForPeople, 5, 5)).Chat
			b.say("a", "2", spent(session.ForPeople, -3, math.MinInt64))
			b.say("a", "3", spent(session.ForPeople, math.MaxInt, math.MaxInt64))
			got := b.spending(chat)[session.ForPeople]
			if got.Input < 5 || got.Money < 5 {
				b.Errorf("%+v was used", got)
			}
		}},
		{"zone and spending go with a chat that another one takes in", testFactsMoveOnto},
		{"zone and spending are forgotten with the chat", func(b *bench) {
			info := b.say("a", "1", spent(session.ForPeople, 1, 1))
			b.must(b.e.Chats().SetZone(b.Context(), info.Chat, "Asia/Tokyo"))
			b.must(b.e.Sessions().Forget(b.Context(), info.Session))
			b.crash()
			b.equal("", b.zone(info.Chat))
			b.equal(0, len(b.spending(info.Chat)))
			b.equal("", b.zone(b.say("a", "2", session.Commit{}).Chat))
		}},
		{"the model is forgotten with the chat", func(b *bench) {
			info := b.say("a", "1", choice("local"))
			b.must(b.e.Sessions().Forget(b.Context(), info.Session))
			b.crash()
			b.equal("", b.say("a", "2", session.Commit{}).Model)
		}},
	}
}

const someDay = "2026-03-29"

func use(tokens int, money int64) session.Usage {
	return session.Usage{Turns: 1, Input: tokens, Output: tokens, Money: money}
}

func spent(p session.Purpose, tokens int, money int64) session.Commit {
	return session.Commit{
		Outcome: session.OutcomeAnswered,
		Spent:   &session.Spent{Day: someDay, Purpose: p, Usage: use(tokens, money)},
	}
}

func (b *bench) zone(chat string) string {
	b.Helper()
	zone, err := b.e.Chats().Zone(b.Context(), chat)
	b.must(err)
	return zone
}

func (b *bench) spending(chat string) map[session.Purpose]session.Usage {
	b.Helper()
	got, err := b.e.Chats().Spending(b.Context(), chat, someDay)
	b.must(err)
	return got
}

func testZone(b *bench) {
	info, other := b.say("a", "1", session.Commit{}), b.say("b", "2", session.Commit{})
	b.equal("", b.zone(info.Chat))
	b.must(b.e.Chats().SetZone(b.Context(), info.Chat, "Europe/Berlin"))
	b.must(b.e.Chats().SetZone(b.Context(), info.Chat, "America/Argentina/Ushuaia"))
	b.say("a", "3", session.Commit{NewSession: true})
	b.must(b.e.Chats().Move(b.Context(), addr("a"), addr("a2")))
	b.crash()
	b.equal("America/Argentina/Ushuaia", b.zone(info.Chat))
	b.equal("", b.zone(other.Chat))
	for _, none := range []string{"", "c1", "nonsense"} {
		b.equal("", b.zone(none))
		b.equal(0, len(b.spending(none)))
		b.wantErr(b.e.Chats().SetZone(b.Context(), none, "UTC"), session.ErrNotFound)
	}
}

// choice is the commit of a turn in which the chat chooses a model.
func choice(model string) session.Commit {
	return session.Commit{Outcome: session.OutcomeAnswered, Model: &model}
}

// testModel chooses, keeps over a new conversation, a move and a crash, and takes back. A
// turn that was handed out before keeps the model with which it began.
func testModel(b *bench) {
	b.equal("", b.say("a", "1", session.Commit{}).Model)
	b.say("a", "2", choice("local"))
	b.say("a", "3", session.Commit{NewSession: true})
	b.must(b.e.Chats().Move(b.Context(), addr("a"), addr("a2")))
	b.crash()
	b.append(item("a2", "4"), item("b", "5"))
	got := map[string]string{}
	w := b.turns()
	for range 2 {
		h := w.next()
		got[h.what.Info().Address.Chat] = h.what.Info().Model
		b.answer(h, choice(""))
	}
	b.must(w.stop())
	b.equal(map[string]string{"a2": "local", "b": ""}, got)
	b.crash()
	b.equal("", b.say("a2", "6", session.Commit{}).Model)
}

func testSpending(b *bench) {
	info := b.say("a", "1", spent(session.ForPeople, 10, 100))
	b.equal(0, len(b.spending(b.say("b", "2", session.Commit{}).Chat)))
	b.say("a", "3", spent(session.ForPeople, 5, 7))
	b.say("a", "4", spent(session.ForJobs, 1, 0))
	next := spent(session.ForPeople, 1, 1)
	next.Spent.Day = "2026-03-30"
	b.say("a", "5", next)
	b.crash()
	b.equal(map[session.Purpose]session.Usage{
		session.ForPeople: {Turns: 2, Input: 15, Output: 15, Money: 107},
		session.ForJobs:   use(1, 0),
	}, b.spending(info.Chat))
	got, err := b.e.Chats().Spending(b.Context(), info.Chat, "2026-03-30")
	b.must(err)
	b.equal(map[session.Purpose]session.Usage{session.ForPeople: use(1, 1)}, got)
}

func testTaskSpending(b *bench) {
	info := b.startTask("t1", time.Unix(1, 0))
	b.must(b.e.Chats().Move(b.Context(), addr("a"), addr("a2")))
	it := session.Item{ID: "task/t1", Kind: session.ItemTask, Address: addr("a"), Text: "done", TaskID: "t1"}
	c := session.Completion{
		State: session.TaskDone, Result: "forty-two", Item: &it, Spent: spent(session.ForBackground, 3, 4).Spent,
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if _, err := b.e.Tasks().Complete(b.Context(), "t1", c); err != nil {
				b.Error(err)
			}
		})
	}
	wg.Wait()
	b.crash()
	_, err := b.e.Tasks().Complete(b.Context(), "t1", c)
	b.must(err)
	b.equal(map[session.Purpose]session.Usage{session.ForBackground: use(3, 4)}, b.spending(info.Chat))
	task, err := b.e.Tasks().Task(b.Context(), "t1")
	b.must(err)
	b.equal([]any{"forty-two", addr("a2")}, []any{task.Result, task.Address})
	turn := b.turns().next().what.Info()
	b.equal([]any{info.Chat, addr("a2")}, []any{turn.Chat, turn.Items[0].Address})
}

func testFactsMoveOnto(b *bench) {
	here := b.say("old", "1", spent(session.ForPeople, 1, 1))
	there := b.say("new", "2", spent(session.ForPeople, 2, 2))
	b.say("new", "3", spent(session.ForJobs, 3, 3))
	b.must(b.e.Chats().SetZone(b.Context(), there.Chat, "Asia/Tokyo"))
	b.say("new", "5", choice("local"))
	b.append(item("new", "4"))
	w := b.turns()
	h := w.next()
	b.must(b.e.Chats().Move(b.Context(), addr("old"), addr("new")))
	h.end <- errors.New("its chat is part of another one")
	b.must(w.stop())
	b.crash()
	b.equal("Asia/Tokyo", b.zone(here.Chat))
	b.equal("", b.zone(there.Chat))
	moved, err := b.e.Sessions().Get(b.Context(), here.Session)
	b.must(err)
	b.equal("local", moved.Model)
	b.equal(map[session.Purpose]session.Usage{
		session.ForPeople: {Turns: 2, Input: 3, Output: 3, Money: 3}, session.ForJobs: use(3, 3),
	}, b.spending(here.Chat))
	b.equal(0, len(b.spending(there.Chat)))
}
