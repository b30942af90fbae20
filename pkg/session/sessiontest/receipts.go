package sessiontest

import (
	"context"
	"errors"

	"parley/pkg/channels"
	"parley/pkg/session"
)

func receiptTests() []test {
	return []test{
		{"a receipt is waited for, and kept over a crash", testReceipt},
		{"what was not delivered has no receipt", testNoReceipt},
		{"waiting for a receipt ends with its context", func(b *bench) {
			b.send("a", "o1")
			ctx, cancel := context.WithCancel(b.Context())
			got := b.receipt(ctx, "o1")
			cancel()
			b.wantErr((<-got).err, context.Canceled)
		}},
		{"a message that finishes another knows that one's first message", testFinishes},
		{"what was not delivered, or elsewhere, is not finished", testFinishesNothing},
		{"a chat that moved finishes nothing of before", func(b *bench) {
			b.preview("a")
			d := b.deliveries()
			h := d.next()
			b.must(b.e.Chats().Move(b.Context(), addr("a"), addr("moved")))
			b.settle(h, "m1")
			h = d.next()
			b.equal(addr("moved"), h.what.Info().Outbound.Address)
			b.equal("", h.what.Info().Edits)
		}},
		{"a preview in the ledger leaves while its turn runs, and once", testPreviewOfATurn},
	}
}

// answered is the outcome of a wait for a receipt.
type answered struct {
	id  string
	err error
}

// receipt waits for a message's receipt beside the test.
func (b *bench) receipt(ctx context.Context, id string) <-chan answered {
	got := make(chan answered, 1)
	go func() {
		r, err := b.e.Outbox().Receipt(ctx, id)
		got <- answered{r.MessageID, err}
	}()
	return got
}

func (b *bench) wantReceipt(want, id string) {
	b.Helper()
	got := <-b.receipt(b.Context(), id)
	b.must(got.err)
	b.equal(want, got.id)
}

func testReceipt(b *bench) {
	b.send("a", "o1")
	first, second := b.receipt(b.Context(), "o1"), b.receipt(b.Context(), "o1")
	h := b.deliveries().next()
	b.must(h.what.Plan(b.Context(), []string{"x", "y"}))
	b.must(h.what.Advance(b.Context(), 0, channels.Receipt{MessageID: "m0"}))
	b.settle(h, "m1")
	for _, got := range []answered{<-first, <-second} {
		b.must(got.err)
		b.equal("m0", got.id)
	}
	b.crash()
	b.wantReceipt("m0", "o1")
}

func testNoReceipt(b *bench) {
	_, err := b.e.Outbox().Receipt(b.Context(), "unheard of")
	b.wantErr(err, session.ErrNotFound)
	b.send("a", "o1", "o2")
	d := b.deliveries()
	for i, s := range []channels.OutcomeState{channels.Refused, channels.Unsettled} {
		got := b.receipt(b.Context(), []string{"o1", "o2"}[i])
		h := d.next()
		b.must(h.what.Plan(b.Context(), []string{"x", "y"}))
		b.must(h.what.Advance(b.Context(), 0, channels.Receipt{MessageID: "m0"}))
		b.must(h.what.Settle(b.Context(), channels.Outcome{State: s, Reason: "why"}))
		h.end <- nil
		err := (<-got).err
		b.wantErr(err, session.ErrNotFound)
		b.wantErr(err, session.ErrEnded)
	}
}

// finishing is a message that finishes another.
func finishing(chat, id, of string) channels.Outbound {
	o := outbound(chat, id)
	o.Finishes = of
	return o
}

// preview queues a preview in a chat and the message that finishes it.
func (b *bench) preview(chat string) {
	b.Helper()
	open := outbound(chat, chat+"-preview")
	open.Preview = true
	b.queue(chat, open, finishing(chat, chat+"-final", open.ID))
}

// queue queues messages of a chat through a turn.
func (b *bench) queue(chat string, list ...channels.Outbound) {
	b.Helper()
	b.append(item(chat, "for-"+list[0].ID))
	w := b.turns()
	b.answer(w.next(), session.Commit{Outbox: list})
	b.must(w.stop())
}

func testFinishes(b *bench) {
	b.preview("a")
	d := b.deliveries()
	h := d.next()
	b.equal(true, h.what.Info().Outbound.Preview)
	b.equal("", h.what.Info().Edits)
	b.must(h.what.Plan(b.Context(), []string{"x", "y"}))
	b.must(h.what.Advance(b.Context(), 0, channels.Receipt{MessageID: "m0"}))
	b.settle(h, "m1")
	h = d.next()
	b.equal("m0", h.what.Info().Edits)
	b.must(h.what.Plan(b.Context(), []string{"x", "y"}))
	b.crash()
	d = b.deliveries()
	h = d.next()
	info := h.what.Info()
	b.equal([]string{"a-final", "a-preview", "m0"}, []string{info.Outbound.ID, info.Outbound.Finishes, info.Edits})
	b.settle(h, "m0")
	b.wantReceipt("m0", "a-final")
}

func testFinishesNothing(b *bench) {
	d := b.deliveries()
	b.preview("a")
	h := d.next()
	b.must(h.what.Plan(b.Context(), []string{"x", "y"}))
	b.must(h.what.Advance(b.Context(), 0, channels.Receipt{MessageID: "m0"}))
	b.must(h.what.Settle(b.Context(), channels.Outcome{State: channels.Refused, Reason: "why"}))
	h.end <- nil
	h = d.next()
	b.equal([]string{"a-final", ""}, []string{h.what.Info().Outbound.ID, h.what.Info().Edits})
	b.settle(h, "m1")
	b.queue("b", finishing("b", "b-final", "a-final"), finishing("b", "b-none", "never put"))
	for range 2 {
		h := d.next()
		b.equal("", h.what.Info().Edits)
		b.settle(h, "m2")
	}
}

func testPreviewOfATurn(b *bench) {
	b.append(item("a", "1"))
	w, d := b.turns(), b.deliveries()
	open := outbound("a", "preview")
	open.Preview = true
	step := session.Step{Kind: session.StepShown, Outbox: []channels.Outbound{open}, Await: true}
	h := w.next()
	b.must(h.what.Record(b.Context(), step))
	b.settle(d.next(), "m")
	b.wantReceipt("m", "preview")
	h.end <- errors.New("interrupted")
	h = w.next()
	steps := h.what.Info().Steps
	b.equal(1, len(steps))
	b.equal([]channels.Outbound{open}, steps[0].Outbox)
	b.must(h.what.Record(b.Context(), step)) // the id was put before
	b.answer(h, session.Commit{Outbox: []channels.Outbound{finishing("a", "final", "preview")}})
	final := d.next()
	b.equal([]string{"final", "m"}, []string{final.what.Info().Outbound.ID, final.what.Info().Edits})
	b.settle(final, "m")
	b.equal(0, b.status().Sending)
}
