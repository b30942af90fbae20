package bolt_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"parley/pkg/session"
	"parley/pkg/session/bolt"
)

// TestNewcomersHaveLanes: with more chats at work than there are lanes, a part of them
// goes to the chat that came last, and the others go in order. A chat that had a lane
// and has more to do is no newcomer.
func TestNewcomersHaveLanes(t *testing.T) {
	t.Parallel()
	e, err := bolt.Open(t.Context(), bolt.Options{Dir: t.TempDir(), Log: zerolog.Nop(), SnapshotEvery: -1, Lanes: 8})
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
	if err := e.Append(t.Context(), append(items, said("c7", "2")), nil); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	began, ended := make(chan string, chats), make(chan error, 1)
	go func() {
		ended <- e.Run(ctx, func(ctx context.Context, turn session.Turn) error {
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
	for range 8 {
		<-began
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
		if err := e.Append(t.Context(), []session.Item{said(chat, "1")}, nil); err != nil {
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
