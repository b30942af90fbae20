package sessiontest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"parley/pkg/channels"
	"parley/pkg/session"
)

func outboxTests() []test {
	return []test{
		{"messages of a chat leave in order, one after the other", testOutboxOrder},
		{"an id is queued once, also after it was sent and after a reopen", testPutOnce},
		{"parts and receipts are stored", testParts},
		{"a message that leaves at once is stored as being sent", testMarkedAtOnce},
		{"a crash makes a marked message unknown, and counts it", testUnknown},
		{"an orderly end leaves no doubt", testNoDoubt},
		{"a delivery that was not settled comes again", func(b *bench) {
			b.send("a", "o1")
			d := b.deliveries()
			h := d.next()
			h.end <- errors.New("not now")
			again := d.next()
			b.equal("o1", again.what.Info().Outbound.ID)
			b.equal(false, again.what.Info().Unknown)
			b.wantErr(h.what.Settle(b.Context(), channels.Outcome{State: channels.Delivered}), session.ErrFenced)
			b.settle(again, "m")
			b.wantErr(again.what.Settle(b.Context(), channels.Outcome{State: channels.Delivered}), session.ErrFenced)
		}},
		{"refused and unsettled are counted", func(b *bench) {
			b.send("a", "o1", "o2")
			d := b.deliveries()
			for _, s := range []channels.OutcomeState{channels.Refused, channels.Unsettled} {
				h := d.next()
				b.must(h.what.Settle(b.Context(), channels.Outcome{State: s, Reason: "why"}))
				h.end <- nil
			}
			b.reopen()
			st := b.status()
			b.equal([]uint64{1, 1}, []uint64{st.Refused, st.Unsettled})
			b.equal(0, st.Sending)
		}},
		{"a message of a channel without a memory is kept with its chat", testKept},
		{"a text that needs no way out is delivered when it is stored", testAtOnce},
		{"a suspended chat waits until it writes", testSuspend},
		{"each account has its own outbox", func(b *bench) {
			b.append(session.Item{ID: "x", Kind: session.ItemTask, Address: channels.Address{Channel: "other", Chat: "1"}})
			h := b.turns().next()
			d := b.deliveries()
			b.answer(h, session.Commit{Outbox: []channels.Outbound{{ID: "o", Address: channels.Address{Channel: "other", Chat: "1"}}}})
			d.none(calm)
			other := work(b, func(ctx context.Context, h func(context.Context, channels.Delivery) error) error {
				return b.e.Outbox().RunOutbox(ctx, "other", "", h)
			})
			b.equal("o", other.next().what.Info().Outbound.ID)
		}},
	}
}

// send queues messages of a chat through a turn.
func (b *bench) send(chat string, list ...string) {
	b.Helper()
	b.append(item(chat, "for-"+list[0]))
	w := b.turns()
	h := w.next()
	var c session.Commit
	for _, id := range list {
		c.Outbox = append(c.Outbox, outbound(chat, id))
	}
	b.answer(h, c)
	b.must(w.stop())
}

func testOutboxOrder(b *bench) {
	for _, chat := range []string{"a", "b"} {
		b.send(chat, chat+"0", chat+"1", chat+"2")
	}
	d := b.deliveries()
	next := map[string]int{}
	open := []handed[channels.Delivery]{d.next(), d.next()}
	if open[0].what.Info().Outbound.Address == open[1].what.Info().Outbound.Address {
		b.Fatal("two deliveries of one chat at once")
	}
	for done := range 6 {
		h := open[0]
		chat := h.what.Info().Outbound.Address.Chat
		b.equal(fmt.Sprint(chat, next[chat]), h.what.Info().Outbound.ID)
		next[chat]++
		b.settle(h, "m")
		open = open[1:]
		if done < 4 {
			open = append(open, d.next())
		}
	}
	b.equal(0, b.status().Sending)
}

func testPutOnce(b *bench) {
	b.send("a", "o1")
	b.send("a", "o2", "o1")
	b.equal(2, b.status().Sending)
	d := b.deliveries()
	b.settle(d.next(), "m1")
	b.settle(d.next(), "m2")
	b.must(d.stop())
	b.reopen()
	b.send("a", "o3", "o1", "o2")
	b.equal(1, b.status().Sending)
	b.equal("o3", b.deliveries().next().what.Info().Outbound.ID)
}

func testParts(b *bench) {
	b.send("a", "o1")
	d := b.deliveries()
	h := d.next()
	b.equal(false, h.what.Info().Marked)
	b.must(h.what.Plan(b.Context(), []string{"x", "y", "z"}))
	b.must(h.what.Advance(b.Context(), 0, channels.Receipt{MessageID: "m0"}))
	if err := h.what.Advance(b.Context(), 0, channels.Receipt{MessageID: "again"}); err == nil {
		b.Fatal("a part was advanced twice")
	}
	b.must(h.what.Advance(b.Context(), 1, channels.Receipt{MessageID: "m1"}))
	b.crash()
	h = b.deliveries().next()
	info := h.what.Info()
	b.equal([]string{"x", "y", "z"}, info.Parts)
	b.equal(2, len(info.Receipts))
	b.equal("m1", info.Receipts[1].MessageID)
	b.equal([]bool{true, true}, []bool{info.Marked, info.Unknown})
	b.settle(h, "m2")
	b.equal(0, b.status().Sending)
}

// sending is deliveries once they are taken: later messages leave at once.
func (b *bench) sending() *worker[channels.Delivery] {
	b.Helper()
	d := b.deliveries()
	b.send("first", "o0")
	b.settle(d.next(), "m0")
	return d
}

func testMarkedAtOnce(b *bench) {
	d := b.sending()
	b.send("a", "o1", "o2")
	h := d.next()
	info := h.what.Info()
	b.equal([]bool{true, false}, []bool{info.Marked, info.Unknown})
	b.settle(h, "m")
	h = d.next()
	b.equal(false, h.what.Info().Marked)
	b.settle(h, "m")
	b.equal(uint64(0), b.status().Ambiguous)
}

func testUnknown(b *bench) {
	d := b.sending()
	b.send("a", "o1", "o2")
	d.next()
	b.crash()
	d = b.deliveries()
	h := d.next()
	info := h.what.Info()
	b.equal("o1", info.Outbound.ID)
	b.equal([]bool{true, true}, []bool{info.Marked, info.Unknown})
	b.equal(1, info.Ambiguities)
	b.equal(uint64(1), b.status().Ambiguous)
	b.must(h.what.Ambiguous(b.Context(), 0))
	b.equal(uint64(2), b.status().Ambiguous)
	b.settle(h, "m")
	h = d.next()
	b.equal(false, h.what.Info().Unknown)
	b.equal(0, h.what.Info().Ambiguities)
}

func testNoDoubt(b *bench) {
	// The handler said that the platform surely does not have it.
	d := b.deliveries()
	b.send("a", "o1")
	h := d.next()
	h.end <- &channels.SendError{Class: channels.SendTransient, Err: errors.New("connection refused")}
	b.must(d.stop())
	b.reopen()
	h = b.deliveries().next()
	b.equal([]bool{false, false}, []bool{h.what.Info().Marked, h.what.Info().Unknown})
	b.settle(h, "m")
	b.equal(uint64(0), b.status().Ambiguous)
}

func testSuspend(b *bench) {
	b.send("a", "o1", "o2")
	d := b.deliveries()
	h := d.next()
	b.must(h.what.Settle(b.Context(), channels.Outcome{State: channels.Refused, Reason: "blocked", Suspend: true}))
	h.end <- nil
	d.none(calm)
	info, err := b.e.Sessions().Lookup(b.Context(), addr("a"))
	b.must(err)
	b.equal(true, info.Suspended)
	b.must(d.stop())
	b.reopen()
	d = b.deliveries()
	d.none(calm)
	b.append(item("a", "back"))
	h = d.next()
	b.equal("o2", h.what.Info().Outbound.ID)
	info, err = b.e.Sessions().Lookup(b.Context(), addr("a"))
	b.must(err)
	b.equal(false, info.Suspended)
}

// testKept: it is kept with its place, over a reopen, until its chat is forgotten.
func testKept(b *bench) {
	info := b.say("a", "1", session.Commit{Messages: user("1", "2"), Outbox: []channels.Outbound{
		outbound("a", "o1"),
		{ID: "o2", Address: addr("a"), Text: "two", Finishes: "o1", File: &channels.File{Name: "f.txt"}},
		outbound("a", "o3"),
	}})
	other := b.say("b", "2", session.Commit{Outbox: []channels.Outbound{outbound("b", "p1")}})
	d := b.deliveries()
	at := time.Now().UTC().Truncate(time.Second)
	for range 4 {
		h := d.next()
		kept := h.what.Info().Outbound.ID != "o3"
		end := channels.Outcome{State: channels.Delivered, Kept: kept, Receipt: channels.Receipt{MessageID: "m", Time: at}}
		b.must(h.what.Settle(b.Context(), end))
		h.end <- nil
	}
	shown := func(id string, from uint64) (all []session.Shown) {
		b.must(b.reading().Shown(b.Context(), id, from, func(s session.Shown) bool {
			all = append(all, s)
			return true
		}))
		return all
	}
	b.reopen()
	b.equal([]session.Shown{
		{ID: "o2", After: 2, Text: "two", File: "f.txt", Finishes: "o1", Time: at},
		{ID: "o1", After: 2, Text: "text of o1", Time: at},
	}, shown(info.Session, 2))
	b.equal(0, len(shown(info.Session, 3)))
	b.must(b.e.Sessions().Forget(b.Context(), info.Session))
	b.equal(0, len(shown(info.Session, 0)))
	b.equal("p1", shown(other.Session, 0)[0].ID)
}
