package sessiontest

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"parley/pkg/channels"
	"parley/pkg/session"
)

func pairTests() []test {
	return []test{
		{"a clock that was set back gives a code no more life", func(b *bench) {
			b.equal(session.PairAsked, b.ask(stranger("a", "one", noon())))
			_, err := b.e.Pairs().ApprovePair(b.Context(), "one", session.PairApproval{Now: noon().Add(-24 * time.Hour), Notice: notice})
			b.wantErr(err, session.ErrExpired)
		}},
		{"a stranger is told a code once, whatever they write and the platform repeats", testAsk},
		{"an approved request is a pair, told once, over a crash", testApprove},
		{"a code that is over or unknown pairs nobody", testRefusedCodes},
		{"a pair is one person on one account", testPairIdentity},
		{"a revoked pair is over at once, and may ask again", testRevoke},
		{"requests are bounded, and those that are over make room", testAskLimit},
		{"requests that are over leave no chat behind", testAskLeavesNothing},
		{"a newcomer takes the place of the oldest code, and strangers of one account none of another", testAskYields},
		{"many at once get one code each", testAskAtOnce},
		{"who wrote again can be reached again", testAskSuspended},
		{"a pair as owner is one over a crash, and until revoked", testPairOwner},
		{"a paired person is sent a note once in a while in each chat", testPairNotes},
		{"notes to paired people are bounded and leave no chat behind", testPairNotesLeaveNothing},
		{"a name that is learnt later is stored, and none is replaced", testNamePerson},
	}
}

const pairLimit = 3

// pairBounds are those of the tests: few codes, each good for ten minutes at least.
func pairBounds() session.PairBounds {
	return session.PairBounds{Open: pairLimit, Grace: 10 * time.Minute}
}

// noon is when the tests of pairing begin.
func noon() time.Time { return time.Unix(1_700_000_000, 0).UTC() }

func stranger(id, code string, at time.Time) session.PairRequest {
	return session.PairRequest{
		Code: code, Address: addr(id), Sender: channels.Sender{ID: id, Name: "Name of " + id}, Asked: at, Expires: at.Add(time.Hour),
	}
}

// ask asks with a message of its own.
func (b *bench) ask(r session.PairRequest) session.PairAnswer {
	b.Helper()
	return b.askBy(r, "ask-"+r.Code)
}

func (b *bench) askBy(r session.PairRequest, outID string) session.PairAnswer {
	b.Helper()
	answer, err := b.e.Pairs().AskPair(b.Context(), r, channels.Outbound{ID: outID, Address: r.Address, Text: "code " + r.Code}, pairBounds())
	b.must(err)
	return answer
}

func notice(r session.PairRequest) channels.Outbound {
	return channels.Outbound{ID: "told-" + r.Code, Address: r.Address, Text: "welcome " + r.Sender.Name}
}

func (b *bench) approve(code string, now time.Time) session.Pair {
	b.Helper()
	p, err := b.e.Pairs().ApprovePair(b.Context(), code, approval(now))
	b.must(err)
	return p
}

func approval(now time.Time) session.PairApproval {
	return session.PairApproval{Now: now, Notice: notice}
}

func (b *bench) paired(id string) bool { return b.pairedAt("test", "bot", id) }

func (b *bench) pairedAt(channel, account, id string) bool {
	in, _ := b.e.Pairs().Paired(channel, account, id)
	return in
}

// pairing lists the paired people and the codes that are stored.
func (b *bench) pairing() string {
	b.Helper()
	pairs, asks, err := b.e.Pairs().PairList(b.Context())
	b.must(err)
	var all []string
	for i := range pairs {
		all = append(all, pairs[i].Sender.ID)
	}
	all = append(all, "|")
	for i := range asks {
		all = append(all, asks[i].Code)
	}
	return strings.Join(all, " ")
}

func testAsk(b *bench) {
	now := noon()
	b.equal(session.PairAsked, b.ask(stranger("a", "A1", now)))
	b.equal(session.PairWaiting, b.ask(stranger("a", "A2", now.Add(time.Hour-1))))
	b.crash()
	b.equal(session.PairWaiting, b.ask(stranger("a", "A3", now.Add(time.Hour-1))))
	b.equal(1, b.status().Sending)
	b.equal(0, b.status().Waiting)
	b.equal("| A1", b.pairing())

	// The same message of the platform again is no news, however late.
	b.equal(session.PairWaiting, b.askBy(stranger("a", "A4", now.Add(2*time.Hour)), "ask-A1"))
	b.equal("| A1", b.pairing())
	b.equal(session.PairAsked, b.ask(stranger("a", "A5", now.Add(2*time.Hour))))
	b.equal("| A5", b.pairing())

	d := b.deliveries()
	for _, want := range []string{"code A1", "code A5"} {
		h := d.next()
		b.equal(want, h.what.Info().Outbound.Text)
		b.settle(h, "m")
	}
	_, asks, err := b.e.Pairs().PairList(b.Context())
	b.must(err)
	b.equal([]session.PairRequest{stranger("a", "A5", now.Add(2*time.Hour))}, asks)
}

func testApprove(b *bench) {
	now := noon()
	b.ask(stranger("a", "A1", now))
	b.equal(false, b.paired("a"))
	p := b.approve("A1", now.Add(time.Minute))
	b.equal(session.Pair{Address: addr("a"), Sender: channels.Sender{ID: "a", Name: "Name of a"}, Since: now.Add(time.Minute)}, p)
	b.equal(true, b.paired("a"))
	_, err := b.e.Pairs().ApprovePair(b.Context(), "A1", approval(now.Add(time.Minute)))
	b.wantErr(err, session.ErrNotFound)
	b.crash()
	b.equal(true, b.paired("a"))
	b.equal("a |", b.pairing())
	b.equal(session.PairWaiting, b.ask(stranger("a", "A2", now.Add(time.Hour))))
	d := b.deliveries()
	for _, want := range []string{"code A1", "welcome Name of a"} {
		h := d.next()
		b.equal(want, h.what.Info().Outbound.Text)
		b.settle(h, "m")
	}
	b.equal(0, b.status().Sending)
}

func testRefusedCodes(b *bench) {
	now := noon()
	b.ask(stranger("a", "A1", now))
	for _, code := range []string{"A2", "", "a1", "A"} {
		_, err := b.e.Pairs().ApprovePair(b.Context(), code, approval(now))
		b.wantErr(err, session.ErrNotFound)
	}
	_, err := b.e.Pairs().ApprovePair(b.Context(), "A1", approval(now.Add(time.Hour)))
	b.wantErr(err, session.ErrExpired)
	b.equal(false, b.paired("a"))
	b.equal(1, b.status().Sending)
	b.approve("A1", now.Add(time.Hour-1))
	b.equal(true, b.paired("a"))

	// A code is one stranger's.
	b.ask(stranger("b", "B1", now))
	_, err = b.e.Pairs().AskPair(b.Context(), stranger("c", "B1", now), outbound("c", "o"), pairBounds())
	if err == nil {
		b.Fatal("a code was given to two")
	}
	b.equal("a | B1", b.pairing())
}

func testPairIdentity(b *bench) {
	now := noon()
	b.ask(stranger("a", "A1", now))
	b.approve("A1", now)
	for _, who := range [][3]string{
		{"test", "bot", "b"},
		{"test", "other", "a"},
		{"test", "", "a"},
		{"tes", "tbot", "a"},
		{"test", "bot", ""},
		{"", "", ""},
	} {
		b.equal(false, b.pairedAt(who[0], who[1], who[2]))
	}
	other := stranger("a", "A2", now)
	other.Address.Account = "other"
	b.equal(session.PairAsked, b.ask(other))
	b.approve("A2", now)
	b.equal(true, b.pairedAt("test", "other", "a"))
	ended, err := b.e.Pairs().RevokePairs(b.Context(), "test", "other", "a")
	b.must(err)
	b.equal("other", ended[0].Address.Account)
	b.equal([]bool{true, false}, []bool{b.paired("a"), b.pairedAt("test", "other", "a")})
}

func testRevoke(b *bench) {
	now := noon()
	_, err := b.e.Pairs().RevokePairs(b.Context(), "test", "bot", "a")
	b.wantErr(err, session.ErrNotFound)
	for _, account := range []string{"bot", "other"} {
		r := stranger("a", "A-"+account, now)
		r.Address.Account = account
		b.ask(r)
		b.approve(r.Code, now)
	}
	b.ask(stranger("b", "B1", now))
	b.approve("B1", now)
	ended, err := b.e.Pairs().RevokePairs(b.Context(), "test", "", "a")
	b.must(err)
	b.equal(2, len(ended))
	b.equal([]bool{false, true}, []bool{b.paired("a"), b.paired("b")})
	b.crash()
	b.equal([]bool{false, true}, []bool{b.paired("a"), b.paired("b")})
	b.equal("b |", b.pairing())
	b.equal(session.PairAsked, b.ask(stranger("a", "A2", now)))
}

func testAskLimit(b *bench) {
	now := noon()
	for i := range pairLimit {
		b.equal(session.PairAsked, b.ask(stranger(fmt.Sprint("s", i), fmt.Sprint("C", i), now.Add(time.Duration(i)*time.Minute))))
	}
	b.equal(session.PairFull, b.ask(stranger("late", "L1", now.Add(10*time.Minute-1))))
	b.equal(session.PairWaiting, b.ask(stranger("s1", "C9", now.Add(time.Hour-1))))
	b.equal("| C0 C1 C2", b.pairing())
	b.equal(pairLimit, b.status().Sending)

	b.equal(session.PairAsked, b.ask(stranger("late", "L2", now.Add(time.Hour))))
	b.equal("| C1 C2 L2", b.pairing())
	_, err := b.e.Pairs().ApprovePair(b.Context(), "C0", approval(now))
	b.wantErr(err, session.ErrNotFound)

	// Where there is room, one that is over stays known as such.
	b.approve("C2", now.Add(time.Hour))
	b.equal(session.PairAsked, b.ask(stranger("later", "L3", now.Add(time.Hour+time.Minute))))
	_, err = b.e.Pairs().ApprovePair(b.Context(), "C1", approval(now.Add(2*time.Hour)))
	b.wantErr(err, session.ErrExpired)
	b.equal("s2 | C1 L2 L3", b.pairing())
}

func testAskYields(b *bench) {
	now := noon()
	for i := range pairLimit {
		b.ask(stranger(fmt.Sprint("s", i), fmt.Sprint("C", i), now.Add(time.Duration(i)*time.Minute)))
	}
	other := stranger("s9", "O1", now)
	other.Address.Account = "other"
	b.equal(session.PairAsked, b.ask(other))

	later := now.Add(10 * time.Minute)
	b.equal(session.PairFull, b.ask(stranger("new", "N1", later.Add(-1))))
	b.equal(session.PairAsked, b.ask(stranger("new", "N1", later)))
	_, err := b.e.Pairs().ApprovePair(b.Context(), "C0", approval(later))
	b.wantErr(err, session.ErrExpired)
	b.crash()
	// A person with a code that yielded does not push out others, and gets a code when
	// one is free.
	b.equal(session.PairFull, b.ask(stranger("s0", "C4", later.Add(5*time.Minute))))
	b.equal(session.PairWaiting, b.ask(stranger("new", "N2", later.Add(5*time.Minute))))
	b.approve("N1", later.Add(9*time.Minute)) // good for its time, for every asker
	b.equal(session.PairAsked, b.ask(stranger("s0", "C5", later.Add(9*time.Minute))))
	b.equal("new | O1 C1 C2 C5", b.pairing())
	b.equal(session.PairAsked, b.ask(stranger("newer", "N3", later.Add(10*time.Minute))))
	b.equal("new | O1 C1 C2 C5 N3", b.pairing())
	b.approve("C2", later.Add(10*time.Minute))
}

func testAskLeavesNothing(b *bench) {
	now := noon()
	known := b.say("known", "1", session.Commit{}) // was allowed once
	chats := func() (all []string) {
		b.Helper()
		list, err := b.e.Sessions().List(b.Context(), "", 100)
		b.must(err)
		for i := range list {
			all = append(all, list[i].Address.Chat)
		}
		return all
	}
	d := b.deliveries()
	ids := []string{"known", "s1", "s2"}
	for _, id := range ids {
		b.ask(stranger(id, "C-"+id, now))
		b.settle(d.next(), "m")
	}
	b.equal(ids, chats())
	b.must(d.stop())
	b.equal(session.PairAsked, b.ask(stranger("late", "L", now.Add(time.Hour))))
	b.equal([]string{"known", "late"}, chats())
	info, err := b.e.Sessions().Lookup(b.Context(), addr("known"))
	b.must(err)
	b.equal(known.Session, info.Session)

	// A person who was let in keeps the chat.
	b.approve("L", now.Add(time.Hour))
	for i := range pairLimit + 1 {
		b.ask(stranger(fmt.Sprint("t", i), fmt.Sprint("T", i), now.Add(time.Duration(3+2*i)*time.Hour)))
	}
	_, err = b.e.Sessions().Lookup(b.Context(), addr("late"))
	b.must(err)
}

func testAskAtOnce(b *bench) {
	now := noon()
	var mu sync.Mutex
	answers := map[session.PairAnswer]int{}
	var wg sync.WaitGroup
	for i := range 40 {
		wg.Go(func() {
			r := stranger(fmt.Sprint("s", i%2), fmt.Sprint("C", i), now)
			answer, err := b.e.Pairs().AskPair(context.WithoutCancel(b.Context()), r, outbound(r.Sender.ID, fmt.Sprint("o", i)), pairBounds())
			if err != nil {
				b.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			answers[answer]++
		})
	}
	wg.Wait()
	b.equal(map[session.PairAnswer]int{session.PairAsked: 2, session.PairWaiting: 38}, answers)
	b.equal(2, b.status().Sending)
}

func testAskSuspended(b *bench) {
	b.send("a", "o1")
	d := b.deliveries()
	h := d.next()
	b.must(h.what.Settle(b.Context(), channels.Outcome{State: channels.Refused, Reason: "blocked", Suspend: true}))
	h.end <- nil
	b.equal(session.PairAsked, b.ask(stranger("a", "A1", noon())))
	h = d.next()
	b.equal("code A1", h.what.Info().Outbound.Text)
	b.settle(h, "m")
}
