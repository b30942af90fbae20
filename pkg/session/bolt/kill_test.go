package bolt_test

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
	"parley/pkg/session/bolt"
)

// childAppend appends from many goroutines and prints each id that was
// acknowledged, and answers turns at the same time, printing each commit.
func childAppend(dir, round string) error {
	ctx := context.Background()
	e, err := bolt.Open(ctx, bolt.Options{Dir: dir, SnapshotEvery: -1})
	if err != nil {
		return err
	}
	go func() {
		_ = e.Run(ctx, func(ctx context.Context, t session.Turn) error {
			info := t.Info()
			if info.Lost > 2 {
				say("lost", info.ID)
			}
			c := session.Commit{Outcome: session.OutcomeAnswered, Outbox: []channels.Outbound{{ID: info.ID + "/final/0", Address: info.Address}}}
			if err := t.Commit(ctx, c); err != nil {
				return err
			}
			for i := range info.Items {
				say("consumed", info.Items[i].ID)
			}
			return nil
		})
	}()
	for w := range 8 {
		go func() {
			for i := 0; ; i++ {
				id := fmt.Sprintf("%s/%d/%d", round, w, i)
				if err := e.Append(ctx, []session.Item{message(strconv.Itoa(w), id, id)}, nil); err != nil {
					say("error", err)
					return
				}
				say("stored", id)
			}
		}()
	}
	select {}
}

// TestKill kills the process in the middle of its writes, again and again:
// nothing that was acknowledged is lost, and nothing is consumed twice.
func TestKill(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	stored, consumed := map[string]bool{}, map[string]int{}
	for round := range 5 {
		cmd, _, out := child(t, "append", dir, strconv.Itoa(round))
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
	for _, item := range drain(t, e) {
		if consumed[item.ID] > 0 {
			t.Errorf("%s was consumed and waits", item.ID)
		}
		waiting[item.ID] = true
	}
	// One that was consumed and not yet said so is known as accepted: it is swallowed.
	for id := range stored {
		if consumed[id] > 0 || waiting[id] {
			continue
		}
		if err := e.Append(t.Context(), []session.Item{message("late", id, id)}, nil); err != nil {
			t.Fatal(err)
		}
	}
	if late := drain(t, e); len(late) > 0 {
		t.Errorf("%d acknowledged items were lost, the first: %s", len(late), late[0].ID)
	}
}

// drain answers everything that waits and returns it.
func drain(tb testing.TB, e *bolt.Engine) []session.Item {
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
	err = e.Run(ctx, func(hctx context.Context, turn session.Turn) error {
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
