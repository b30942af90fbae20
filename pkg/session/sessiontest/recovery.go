package sessiontest

import (
	"fmt"
	"time"

	"parley/pkg/channels"
	"parley/pkg/session"
)

// calm is how long the suite looks on where all must stay as it is.
const calm = 150 * time.Millisecond

func recoveryTests() []test {
	return []test{
		{"what was accepted survives a crash", func(b *bench) {
			b.append(items("a", 3)...)
			b.crash()
			b.equal(ids(items("a", 3)), ids(b.turns().next().what.Info().Items))
		}},
		{"recorded steps survive a crash", func(b *bench) {
			b.append(item("a", "1"))
			w := b.turns()
			h := w.next()
			b.must(h.what.Record(b.Context(), session.Step{Kind: session.StepAnswer, Round: 1}))
			b.must(h.what.Record(b.Context(), session.Step{Kind: session.StepBegun, Round: 1, Await: true}))
			id := h.what.Info().ID
			b.crash()
			again := b.turns().next().what.Info()
			b.equal(id, again.ID)
			b.equal(2, len(again.Steps))
			b.equal(1, again.Lost)
		}},
		{"a committed turn does not run again", func(b *bench) {
			b.append(item("a", "1"))
			b.answer(b.turns().next(), session.Commit{Messages: user("x")})
			b.crash()
			b.turns().none(calm)
			b.equal([]string{"x"}, b.page("a", 0, 10))
		}},
		{"an orderly end counts nothing", func(b *bench) {
			b.append(item("a", "1"))
			for range 5 {
				w := b.turns()
				b.equal(0, w.next().what.Info().Lost)
				b.must(w.stop())
				b.reopen()
			}
		}},
		{"the first crash after an orderly end counts too", func(b *bench) {
			b.append(item("a", "1"))
			for want := range 3 {
				b.reopen()
				b.equal(want, b.turns().next().what.Info().Lost)
				b.crash()
			}
		}},
		{"crashes count while the turn may run", testLost},
		{"crashes before the turn begins count as one", func(b *bench) {
			b.append(item("a", "1"))
			b.turns().next()
			for range 20 {
				b.crash()
			}
			w := b.turns()
			h := w.next()
			b.equal(1, h.what.Info().Lost)
			b.answer(h, session.Commit{})
			b.equal(0, b.status().Suspects)
		}},
		{"a suspect that is answered is no suspect", func(b *bench) {
			b.append(item("a", "1"))
			b.crash()
			w := b.turns()
			b.answer(w.next(), session.Commit{})
			b.append(item("a", "2"))
			h := w.next()
			b.equal(0, h.what.Info().Lost)
		}},
		{"one that was lost twice runs with no other suspect beside it", testAlone},
		{"a poison item leaves the others alone", testPoison},
	}
}

func testLost(b *bench) {
	b.append(item("a", "1"))
	b.turns().next()
	for want := 1; want <= 3; want++ {
		b.crash()
		b.equal(want, b.turns().next().what.Info().Lost)
	}
	// The third time it is only handed out to be set aside, as often as it takes.
	b.crash()
	h := b.turns().next()
	if h.what.Info().Lost < 3 {
		b.Fatalf("lost is %d", h.what.Info().Lost)
	}
	b.answer(h, session.Commit{Outcome: session.OutcomeQuarantined, Reason: "three crashes"})
	b.equal(uint64(1), b.status().Quarantined)
}

func testAlone(b *bench) {
	for i := range 3 {
		b.append(item(fmt.Sprint(i), fmt.Sprint(i)))
	}
	begin := func() {
		w := b.turns()
		for range 3 {
			w.next()
		}
	}
	begin()
	b.crash()
	begin()
	b.crash()
	// All three were lost twice now; a chat without suspicion goes its own way.
	b.append(item("fresh", "fresh"))
	w := b.turns()
	seen := map[string]bool{}
	suspects := 0
	var suspect, fresh *handed[session.Turn]
	for range 2 {
		h := w.next()
		if h.what.Info().Lost == 0 {
			fresh = &h
		} else {
			suspect = &h
		}
	}
	if suspect == nil || fresh == nil {
		b.Fatal("a suspect and the fresh chat were to run")
	}
	w.none(calm)
	b.answer(*fresh, session.Commit{})
	for {
		seen[suspect.what.Info().Address.Chat] = true
		suspects++
		b.equal(2, suspect.what.Info().Lost)
		b.answer(*suspect, session.Commit{})
		if suspects == 3 {
			break
		}
		h := w.next()
		suspect = &h
		w.none(calm)
	}
	b.equal(3, len(seen))
}

func testPoison(b *bench) {
	for i := range 5 {
		b.append(item(fmt.Sprint(i), fmt.Sprint(i)))
	}
	b.append(item("poison", "poison"))
	answered := map[string]int{}
	quarantined := 0
	for crashes := 0; ; {
		w := b.turns()
		crashed := false
		for len(answered)+quarantined < 6 {
			h := w.next()
			info := h.what.Info()
			chat := info.Address.Chat
			switch {
			case info.Lost >= 3:
				b.equal("poison", chat)
				b.answer(h, session.Commit{Outcome: session.OutcomeQuarantined})
				quarantined++
				continue
			case chat == "poison":
				crashed = true
			default:
				b.answer(h, session.Commit{Outbox: []channels.Outbound{outbound(chat, info.ID)}})
				answered[chat]++
				continue
			}
			break
		}
		if !crashed {
			break
		}
		if crashes++; crashes > 3 {
			b.Fatalf("the poison item crashed %d times", crashes)
		}
		b.crash()
	}
	b.equal(1, quarantined)
	b.equal(5, len(answered))
	for chat, n := range answered {
		if n != 1 {
			b.Errorf("chat %s was answered %d times", chat, n)
		}
	}
	b.equal(0, b.status().Waiting)
}
