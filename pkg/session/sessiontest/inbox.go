package sessiontest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/channels"
	"parley/pkg/session"
)

func inboxTests() []test {
	return []test{
		{"append is handed out in order", func(b *bench) {
			b.append(items("a", 5)...)
			h := b.turns().next()
			b.equal(ids(items("a", 5)), ids(h.what.Info().Items))
			b.answer(h, session.Commit{})
		}},
		{"an id is accepted once", testDedupe},
		{"an id is accepted once over a reopen", func(b *bench) {
			b.append(item("a", "1"))
			b.reopen()
			b.append(item("a", "1"), item("a", "2"))
			b.equal([]string{"test/bot/1", "test/bot/2"}, ids(b.turns().next().what.Info().Items))
		}},
		{"an id is accepted once after it was answered", func(b *bench) {
			w := b.turns()
			b.append(item("a", "1"))
			b.answer(w.next(), session.Commit{})
			b.append(item("a", "1"), item("b", "1"), item("a", "2"))
			b.equal([]string{"test/bot/2"}, ids(w.next().what.Info().Items))
		}},
		{"an id that was accepted takes no other message", testOtherMessage},
		{"an item that would not be found again is refused, and its neighbours with it", func(b *bench) {
			for _, bad := range []*session.Item{{Address: addr("a")}, {ID: "\xff", Address: addr("a")}, {ID: "x", Address: addr("\xff")}} {
				if err := b.e.Inbox().Append(b.Context(), []session.Item{item("a", "1"), *bad}, nil); err == nil {
					b.Errorf("accepted %+v", bad)
				}
			}
			b.equal(0, b.status().Waiting)
		}},
		{"strange ids and addresses keep apart", testStrange},
		{"a cursor moves with its items", testCursor},
		{"a batch has its limits", testBatch},
		{"a solo item is a turn of its own", testSolo},
		{"an oversized item comes alone", func(b *bench) {
			b.append(textItem("a", "1", strings.Repeat("x", 2*session.MaxTurnBytes)), item("a", "2"))
			w := b.turns()
			h := w.next()
			b.equal([]string{"test/bot/1"}, ids(h.what.Info().Items))
			b.answer(h, session.Commit{})
			b.equal([]string{"test/bot/2"}, ids(w.next().what.Info().Items))
		}},
		{"a closed engine accepts nothing", func(b *bench) {
			b.must(b.e.Close())
			b.wantErr(b.e.Inbox().Append(b.Context(), items("a", 1), nil), session.ErrStore)
			b.must(b.e.Close())
		}},
		{"an append that is not wanted any more is not acknowledged", func(b *bench) {
			ctx, cancel := context.WithCancel(b.Context())
			cancel()
			// Both ends are allowed, but a nil must mean that it is stored.
			if err := b.e.Inbox().Append(ctx, items("a", 1), nil); err == nil {
				b.equal(1, b.status().Waiting)
			}
		}},
		{"many writers: each chat keeps its order, each item one turn", testManyWriters},
		{"chats run beside each other", testParallel},
		{"only one Run at a time", func(b *bench) {
			b.append(item("a", "1"))
			b.turns().next()
			ctx, cancel := context.WithCancel(b.Context())
			defer cancel()
			if err := b.e.Inbox().Run(ctx, func(context.Context, session.Turn) error { return nil }); err == nil {
				b.Fatal("two runs were accepted")
			}
		}},
	}
}

func (b *bench) equal(want, got any) {
	b.Helper()
	if d := cmp.Diff(want, got); d != "" {
		b.Fatalf("(-want +got)\n%s", d)
	}
}

// testOtherMessage: the sums of wishes tell messages of one id apart, also over a reopen and
// once the first one was answered.
func testOtherMessage(b *bench) {
	summed := func(sum string) session.Item {
		it := item("a", "1")
		it.Inbound.Wish = &channels.Wish{Sum: sum}
		return it
	}
	holds := func(when string) {
		for sum, want := range map[string]error{"one": nil, "": nil, "two": session.ErrTaken} {
			if err := b.e.Inbox().Append(b.Context(), []session.Item{summed(sum)}, nil); !errors.Is(err, want) {
				b.Errorf("%s, the sum %q: %v", when, sum, err)
			}
		}
	}
	b.append(summed("one"))
	holds("while it waits")
	b.reopen()
	b.answer(b.turns().next(), session.Commit{})
	holds("once it is answered")
	b.equal(0, b.status().Waiting)
}

func testDedupe(b *bench) {
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if err := b.e.Inbox().Append(b.Context(), items("a", 3), nil); err != nil {
				b.Error(err)
			}
		})
	}
	wg.Wait()
	h := b.turns().next()
	b.equal(ids(items("a", 3)), ids(h.what.Info().Items))
	b.answer(h, session.Commit{})
	b.equal(0, b.status().Waiting)
}

func testStrange(b *bench) {
	long := strings.Repeat("k", 5000)
	var list []session.Item
	for i, a := range []channels.Address{
		{Channel: "x", Account: "yz"},
		{Channel: "xy", Account: "z"},
		{Channel: "x", Chat: "yz"},
		{Channel: "x", Chat: "y", Thread: "z"},
		{Channel: long, Chat: "1"},
		{Channel: long, Chat: "2"},
		{Channel: "\x00", Chat: "\u202e"},
		{},
	} {
		list = append(list,
			session.Item{ID: fmt.Sprint(i), Kind: session.ItemTask, Address: a, Text: fmt.Sprint(i)},
			session.Item{ID: fmt.Sprint(i, long), Kind: session.ItemTask, Address: a, Text: fmt.Sprint(i)})
	}
	b.must(b.e.Inbox().Append(b.Context(), list, nil))
	w := b.turns()
	chats := map[string]bool{}
	for range len(list) / 2 {
		h := w.next()
		info := h.what.Info()
		if chats[info.Chat] {
			b.Fatalf("chat %s came twice", info.Chat)
		}
		chats[info.Chat] = true
		if len(info.Items) != 2 || info.Items[0].Text != info.Items[1].Text {
			b.Fatalf("chats were mixed: %+v", info.Items)
		}
		b.answer(h, session.Commit{})
	}
}

func testCursor(b *bench) {
	move := func(from, to string, list ...session.Item) error {
		return b.e.Inbox().Append(b.Context(), list, &channels.Cursor{Name: "poller", From: from, To: to})
	}
	at := func(want string) {
		b.Helper()
		got, err := b.e.Inbox().Position(b.Context(), "poller")
		b.must(err)
		b.equal(want, got)
	}
	at("")
	b.must(move("", "10", item("a", "1")))
	at("10")
	b.wantErr(move("", "11", item("a", "2")), session.ErrFenced)
	b.wantErr(move("9", "11", item("a", "2")), channels.ErrFenced)
	at("10")
	b.equal(1, b.status().Waiting)
	b.must(move("10", "12"))
	b.must(move("12", "12"))
	b.reopen()
	at("12")

	// Of many pollers that believe in the same position, one wins.
	var won atomic.Int32
	var wg sync.WaitGroup
	for i := range 10 {
		wg.Go(func() {
			err := move("12", "13", item("a", fmt.Sprint("race-", i)))
			switch {
			case err == nil:
				won.Add(1)
			case !errors.Is(err, session.ErrFenced):
				b.Error(err)
			}
		})
	}
	wg.Wait()
	b.equal(int32(1), won.Load())
	b.equal(2, b.status().Waiting)
}

func testBatch(b *bench) {
	b.append(items("a", 25)...)
	b.append(textItem("b", "b1", strings.Repeat("x", 30<<10)), textItem("b", "b2", strings.Repeat("x", 3<<10)))
	w := b.turns()
	sizes := map[string][]int{}
	for range 4 {
		h := w.next()
		chat := h.what.Info().Address.Chat
		sizes[chat] = append(sizes[chat], len(h.what.Info().Items))
		b.answer(h, session.Commit{})
	}
	b.equal(map[string][]int{"a": {20, 5}, "b": {1, 1}}, sizes)
}

func testSolo(b *bench) {
	list := items("a", 5)
	list[2].Solo = true
	b.append(list...)
	w := b.turns()
	for _, want := range [][]session.Item{list[:2], list[2:3], list[3:]} {
		h := w.next()
		b.equal(ids(want), ids(h.what.Info().Items))
		joined, err := h.what.Join(b.Context(), func(session.Item) bool { return true })
		b.must(err)
		b.equal(0, len(joined))
		b.answer(h, session.Commit{})
	}
}

func testManyWriters(b *bench) {
	const chats, each = 16, 40
	var open [chats]atomic.Int32
	var mu sync.Mutex
	got := map[string][]string{}
	left := make(chan struct{}, chats*each)
	stop := b.running(func(ctx context.Context, t session.Turn) error {
		info := t.Info()
		var n int
		if _, err := fmt.Sscan(info.Address.Chat, &n); err != nil {
			return err
		}
		if open[n].Add(1) != 1 {
			b.Errorf("chat %d has two turns at once", n)
		}
		err := t.Commit(ctx, session.Commit{Outcome: session.OutcomeAnswered})
		open[n].Add(-1)
		if err != nil {
			return err
		}
		mu.Lock()
		got[info.Address.Chat] = append(got[info.Address.Chat], ids(info.Items)...)
		mu.Unlock()
		for range info.Items {
			left <- struct{}{}
		}
		return nil
	})
	want := map[string][]string{}
	var wg sync.WaitGroup
	for c := range chats {
		list := items(fmt.Sprint(c), each)
		want[fmt.Sprint(c)] = ids(list)
		wg.Go(func() {
			for i := range list {
				if err := b.e.Inbox().Append(b.Context(), list[i:i+1], nil); err != nil {
					b.Error(err)
				}
			}
		})
	}
	wg.Wait()
	for range chats * each {
		<-left
	}
	stop()
	b.equal(want, got)
}

func testParallel(b *bench) {
	for i := range 10 {
		b.append(item(fmt.Sprint(i), fmt.Sprint(i)))
	}
	w := b.turns()
	var open []handed[session.Turn]
	for range 10 {
		open = append(open, w.next())
	}
	for _, h := range open {
		b.answer(h, session.Commit{})
	}
}
