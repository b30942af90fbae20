package engine_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"parley/pkg/channels"
	"parley/pkg/session"
	"parley/pkg/session/local"
)

// TestNewcomersHaveLanes: with more chats at work than there are lanes, a part of them
// goes to the chat that came last, and the others go in order. A chat that had a lane
// and has more to do is no newcomer.
func TestNewcomersHaveLanes(t *testing.T) {
	t.Parallel()
	e, err := local.Open(t.Context(), local.Options{Dir: t.TempDir(), Log: zerolog.Nop(), SnapshotEvery: -1, Lanes: 9})
	if err != nil {
		t.Fatal(err)
	}
	said := func(chat, id string) session.Item {
		it := message(chat, chat+"/"+id, "hello")
		it.Solo, it.Time = true, time.Now()
		return it
	}
	const chats = 40
	var items []session.Item
	release := map[string]chan struct{}{"new": make(chan struct{}), "newer": make(chan struct{})}
	for n := range chats {
		chat := fmt.Sprint("c", n+1)
		release[chat] = make(chan struct{})
		items = append(items, said(chat, "1"))
	}
	if err := e.Inbox().Append(t.Context(), []session.Item{said("first", "1")}, nil); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	began, ended := make(chan string, chats), make(chan error, 1)
	go func() {
		ended <- e.Inbox().Run(ctx, func(ctx context.Context, turn session.Turn) error {
			chat := turn.Info().Address.Chat
			began <- chat
			select {
			case <-release[chat]:
			case <-ctx.Done():
				return ctx.Err()
			}
			return turn.Commit(ctx, session.Commit{Outcome: session.OutcomeAnswered})
		})
	}()
	<-began // of first, which keeps its lane: all that is appended from now on is known when Append returns
	if err := e.Inbox().Append(t.Context(), items, nil); err != nil {
		t.Fatal(err)
	}
	for range 8 {
		<-began
	}
	if err := e.Inbox().Append(t.Context(), []session.Item{said("c7", "2")}, nil); err != nil {
		t.Fatal(err)
	}
	next := func(end, want string) {
		t.Helper()
		release[end] <- struct{}{}
		if got := <-began; got != want {
			t.Errorf("after %s came %s, want %s", end, got, want)
		}
	}
	next("c1", "c9")
	next("c8", "c40") // a lane for the chat that came last
	for _, chat := range []string{"new", "newer"} {
		if err := e.Inbox().Append(t.Context(), []session.Item{said(chat, "1")}, nil); err != nil {
			t.Fatal(err)
		}
	}
	next("c2", "c10")
	next("c7", "newer") // c7 has more to do, and waits in order
	next("newer", "new")
	next("new", "c39")
	next("c9", "c11")
	cancel()
	<-ended
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}

// TestAnswersToNewcomersHaveLanes: with more answers to send than there are lanes, a
// part of the lanes goes to the answer to the newest sender, also when answers to
// others were made since, and the delivery says so. The others leave in order.
func TestAnswersToNewcomersHaveLanes(t *testing.T) {
	t.Parallel()
	e, err := local.Open(t.Context(), local.Options{Dir: t.TempDir(), Log: zerolog.Nop(), SnapshotEvery: -1, Lanes: 8})
	if err != nil {
		t.Fatal(err)
	}
	const chats = 40
	began, goOn := make(chan string), make(chan struct{})
	answers := func(asked time.Time, names ...string) {
		t.Helper()
		put(t, e, message("home", names[0], "hello"))
		queueAll(t, e, func(session.TurnInfo) (out []channels.Outbound) {
			for _, name := range names {
				out = append(out, channels.Outbound{ID: name, Address: inCrowd(name), Text: name, Asked: asked})
			}
			return out
		})
	}
	var crowd []string
	for n := range chats {
		crowd = append(crowd, fmt.Sprint("c", n+1))
	}
	wrote := time.Now()
	answers(wrote, crowd...) // before the lanes: an outbox that begins within a transaction shares its chats out in two parts
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = e.Outbox().RunOutbox(ctx, "test", "bot", func(ctx context.Context, d channels.Delivery) error {
			name := d.Info().Outbound.ID
			if d.Info().Newest {
				name += " as the newest"
			}
			select {
			case began <- name:
			case <-ctx.Done():
				return ctx.Err()
			}
			select {
			case <-goOn:
			case <-ctx.Done():
				return ctx.Err()
			}
			return d.Settle(ctx, channels.Outcome{State: channels.Delivered})
		})
	}()
	t.Cleanup(func() { cancel(); <-ended; _ = e.Close() })
	for range 8 {
		<-began
	}
	answers(wrote.Add(time.Minute), "newcomer")
	const slow = 12 // of the crowd, with answers that take longer
	for n := range slow {
		answers(wrote, fmt.Sprint("later", n))
	}
	var left []string
	for range chats + 1 + slow - 8 {
		goOn <- struct{}{}
		left = append(left, <-began)
	}
	at := slices.Index(left, "newcomer as the newest")
	if at < 0 || at > 8 {
		t.Errorf("the newcomer's answer came behind %d others: %q", at, left)
	}
	if at, later := slices.Index(left, "c10"), slices.Index(left, "c20"); at < 0 || at > later {
		t.Errorf("the others left as %q", left)
	}
}
