package engine_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"testing"

	"parley/pkg/channels"
	"parley/pkg/session"
	"parley/pkg/session/local"
)

// childAppend appends from many goroutines and prints each id that was
// acknowledged, and answers turns at the same time, printing each commit.
func childAppend(dir, round string) error {
	return appendFrom(dir, round, func(w, _ int, id string) session.Item { return message(strconv.Itoa(w), id, id) })
}

// childParts does the same with albums of four parts.
func childParts(dir, round string) error {
	return appendFrom(dir, round, func(w, i int, id string) session.Item {
		return albumPart(strconv.Itoa(w), fmt.Sprint(round, "/", i/4), id)
	})
}

// albumPart is a part with one file of the same name.
func albumPart(chat, album, id string) session.Item {
	it := message(chat, id, id)
	it.Inbound.Group = album
	it.Inbound.Attachments = []channels.Attachment{{Ref: id, Name: id}}
	return it
}

// accepted are the ids under which an item was accepted.
func accepted(item *session.Item) []string {
	if item.Album == nil {
		return []string{item.ID}
	}
	var parts []string
	for _, a := range item.Inbound.Attachments {
		parts = append(parts, a.Ref)
	}
	return parts
}

func appendFrom(dir, round string, make func(w, i int, id string) session.Item) error {
	ctx := context.Background()
	e, err := local.Open(ctx, local.Options{Dir: dir, SnapshotEvery: -1})
	if err != nil {
		return err
	}
	go func() {
		_ = e.Inbox().Run(ctx, func(ctx context.Context, t session.Turn) error {
			info := t.Info()
			if info.Lost > 2 {
				say("lost", info.ID)
			}
			c := session.Commit{Outcome: session.OutcomeAnswered, Outbox: []channels.Outbound{{ID: info.ID + "/final/0", Address: info.Address}}}
			if err := t.Commit(ctx, c); err != nil {
				return err
			}
			for i := range info.Items {
				for _, id := range accepted(&info.Items[i]) {
					say("consumed", id)
				}
			}
			return nil
		})
	}()
	for w := range 8 {
		go func() {
			for i := 0; ; i++ {
				id := fmt.Sprintf("%s/%d/%d", round, w, i)
				if err := e.Inbox().Append(ctx, []session.Item{make(w, i, id)}, nil); err != nil {
					say("error", err)
					return
				}
				say("stored", id)
			}
		}()
	}
	select {}
}

// TestKill kills the process in the middle of its writes, again and again: acknowledged
// items are complete, and each is consumed once.
func TestKill(t *testing.T) {
	t.Parallel()
	t.Run("messages", func(t *testing.T) {
		t.Parallel()
		killWriters(t, "append", func(id string) session.Item { return message("late", id, id) })
	})
	t.Run("albums", func(t *testing.T) {
		t.Parallel()
		killWriters(t, "parts", func(id string) session.Item { return albumPart("late", id, id) })
	})
}

func killWriters(t *testing.T, role string, again func(id string) session.Item) {
	t.Helper()
	dir := t.TempDir()
	stored, consumed := map[string]bool{}, map[string]int{}
	for round := range 5 {
		cmd, _, out := child(t, role, dir, strconv.Itoa(round))
		kill := 50 + rand.IntN(300)
		for n := 0; out.Scan(); n++ {
			word, id, _ := strings.Cut(out.Text(), " ")
			switch word {
			case "stored":
				stored[id] = true
			case "consumed":
				consumed[id]++
			default:
				t.Errorf("the process said: %s", out.Text())
			}
			if n == kill {
				_ = cmd.Process.Kill()
			}
		}
		_ = cmd.Wait()
	}
	if len(stored) == 0 || len(consumed) == 0 {
		t.Fatalf("%d stored and %d consumed: nothing was tested", len(stored), len(consumed))
	}
	for id, n := range consumed {
		if n != 1 {
			t.Errorf("%s was consumed %d times", id, n)
		}
	}

	e := open(t, dir)
	waiting := map[string]bool{}
	rest := drain(t, e)
	for i := range rest {
		for _, id := range accepted(&rest[i]) {
			if consumed[id] > 0 || waiting[id] {
				t.Errorf("%s was consumed, or waits already, and waits", id)
			}
			waiting[id] = true
		}
	}
	// One that was consumed and not yet said so is known as accepted: it is swallowed.
	for id := range stored {
		if consumed[id] > 0 || waiting[id] {
			continue
		}
		if err := e.Inbox().Append(t.Context(), []session.Item{again(id)}, nil); err != nil {
			t.Fatal(err)
		}
	}
	if late := drain(t, e); len(late) > 0 {
		t.Errorf("%d acknowledged items were lost, the first: %s", len(late), late[0].ID)
	}
}

// drain answers everything that waits and returns it.
func drain(tb testing.TB, e *local.Engine) []session.Item {
	tb.Helper()
	ctx, cancel := context.WithCancel(tb.Context())
	defer cancel()
	st, err := e.Status(ctx)
	if err != nil {
		tb.Fatal(err)
	}
	if st.Waiting == 0 {
		return nil
	}
	var mu sync.Mutex
	var got []session.Item
	err = e.Inbox().Run(ctx, func(hctx context.Context, turn session.Turn) error {
		if err := turn.Commit(hctx, session.Commit{Outcome: session.OutcomeAnswered}); err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		if got = append(got, turn.Info().Items...); len(got) == st.Waiting {
			cancel()
		}
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
	return got
}
