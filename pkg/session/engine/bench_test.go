package engine_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley/pkg/channels"
	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/session/local"
)

// BenchmarkTurn is one append and one commit, both awaited, with the message
// that leaves settled beside them.
func BenchmarkTurn(b *testing.B) {
	for _, writers := range []int{1, 64} {
		b.Run(fmt.Sprintf("writers=%d", writers), func(b *testing.B) {
			ctx, cancel := context.WithCancel(b.Context())
			e, err := local.Open(ctx, local.Options{Dir: b.TempDir(), SnapshotEvery: -1})
			if err != nil {
				b.Fatal(err)
			}
			turns, sent := make(chan error, 1), make(chan error, 1)
			done := make(map[string]chan struct{}, writers)
			for w := range writers {
				done[strconv.Itoa(w)] = make(chan struct{})
			}
			go func() {
				turns <- e.Inbox().Run(ctx, func(ctx context.Context, t session.Turn) error {
					info := t.Info()
					return t.Commit(ctx, session.Commit{
						Outcome: session.OutcomeAnswered,
						Messages: []providers.Message{
							{Role: providers.RoleUser, Content: info.Items[0].Inbound.Text},
							{Role: providers.RoleAssistant, Content: info.Items[0].Inbound.Text},
						},
						Outbox: []channels.Outbound{{ID: info.ID + "/final/0", Address: info.Address, Text: info.Items[0].Inbound.Text}},
						Spent: &session.Spent{
							Day: "2026-03-29", Purpose: session.ForPeople, Usage: session.Usage{Turns: 1, Input: 3000, Output: 200, Money: 12345},
						},
					})
				})
			}()
			go func() {
				sent <- e.Outbox().RunOutbox(ctx, "test", "bot", func(ctx context.Context, d channels.Delivery) error {
					done[d.Info().Outbound.Address.Chat] <- struct{}{}
					return d.Settle(ctx, channels.Outcome{State: channels.Delivered})
				})
			}()
			text := strings.Repeat("x", 400)
			work := make(chan int)
			ended := make(chan error, writers)
			for w := range writers {
				go func() {
					chat := strconv.Itoa(w)
					for i := range work {
						if err := e.Inbox().Append(ctx, []session.Item{message(chat, strconv.Itoa(i), text)}, nil); err != nil {
							ended <- err
							return
						}
						<-done[chat]
					}
					ended <- nil
				}()
			}
			b.ReportAllocs()
			b.ResetTimer()
			for i := range b.N {
				work <- i
			}
			close(work)
			for range writers {
				if err := <-ended; err != nil {
					b.Fatal(err)
				}
			}
			b.StopTimer()
			st, err := e.Status(ctx)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(st.Commits)/float64(b.N), "commits/turn")
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "turns/s")
			cancel()
			if err := <-turns; err != nil {
				b.Error(err)
			}
			if err := <-sent; err != nil {
				b.Error(err)
			}
			if err := e.Close(); err != nil {
				b.Error(err)
			}
		})
	}
}

// fillChats makes a store of idle chats.
func fillChats(tb testing.TB, dir string, chats, entries int) {
	tb.Helper()
	ctx, cancel := context.WithCancel(tb.Context())
	defer cancel()
	e, err := local.Open(ctx, local.Options{Dir: dir, SnapshotEvery: -1})
	if err != nil {
		tb.Fatal(err)
	}
	text := strings.Repeat("x", 400)
	msgs := make([]providers.Message, entries)
	for i := range msgs {
		msgs[i] = providers.Message{Role: providers.RoleUser, Content: text}
	}
	answered := make(chan struct{}, chats)
	ended := make(chan error, 1)
	go func() {
		ended <- e.Inbox().Run(ctx, func(ctx context.Context, turn session.Turn) error {
			err := turn.Commit(ctx, session.Commit{Outcome: session.OutcomeAnswered, Messages: msgs})
			answered <- struct{}{}
			return err
		})
	}()
	for i := 0; i < chats; {
		var items []session.Item
		for ; len(items) < 500 && i < chats; i++ {
			items = append(items, message(strconv.Itoa(i), strconv.Itoa(i), "hello"))
		}
		if err := e.Inbox().Append(ctx, items, nil); err != nil {
			tb.Fatal(err)
		}
	}
	for range chats {
		<-answered
	}
	cancel()
	if err := <-ended; err != nil {
		tb.Fatal(err)
	}
	if err := e.Close(); err != nil {
		tb.Fatal(err)
	}
}

// childRSS opens a store with everything running and prints the memory that it took.
func childRSS(dir, _ string) error {
	ctx := context.Background()
	before, err := rssAnon()
	if err != nil {
		return err
	}
	start := time.Now()
	e, err := local.Open(ctx, local.Options{Dir: dir})
	if err != nil {
		return err
	}
	took := time.Since(start)
	go func() { _ = e.Inbox().Run(ctx, func(context.Context, session.Turn) error { return nil }) }()
	if _, err := e.Status(ctx); err != nil {
		return err
	}
	after, err := rssAnon()
	if err != nil {
		return err
	}
	say("opened", took.Microseconds(), after-before)
	return e.Close()
}

func rssAnon() (int, error) {
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(line, "RssAnon:"); ok {
			return strconv.Atoi(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")))
		}
	}
	return 0, fmt.Errorf("no RssAnon in %q", b)
}

// BenchmarkOpen opens a store of 100,000 idle chats in a process of its own.
func BenchmarkOpen(b *testing.B) {
	dir := b.TempDir()
	fillChats(b, dir, 100_000, 10)
	var micros, kb int
	for b.Loop() {
		cmd, _, out := child(b, "rss", dir, "")
		us, rss := readOpened(b, out)
		micros, kb = micros+us, max(kb, rss)
		if err := cmd.Wait(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(micros)/float64(b.N), "µs/open")
	b.ReportMetric(float64(kb), "RssAnon-kB")
}

func readOpened(tb testing.TB, out *bufio.Scanner) (micros, kb int) {
	tb.Helper()
	if !out.Scan() {
		tb.Fatal("the process said nothing")
	}
	if _, err := fmt.Sscanf(out.Text(), "opened %d %d", &micros, &kb); err != nil {
		tb.Fatalf("%q: %v", out.Text(), err)
	}
	return micros, kb
}

// TestManyChats opens a store with many idle chats and finds one of them.
func TestManyChats(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const chats = 5_000
	fillChats(t, dir, chats, 2)
	e := open(t, dir)
	info, err := e.Sessions().Lookup(t.Context(), channels.Address{Channel: "test", Account: "bot", Chat: strconv.Itoa(chats - 1)})
	if err != nil {
		t.Fatal(err)
	}
	if page, err := tail(t, e, info.Session); err != nil || len(page) != 2 {
		t.Fatalf("%d entries, %v", len(page), err)
	}
	st, err := e.Status(t.Context())
	if err != nil || st.Waiting != 0 || st.Sending != 0 || st.Commits != 0 {
		t.Fatalf("status %+v, %v", st, err)
	}
}
