package engine_test

import (
	"context"
	"errors"
	"path/filepath"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/channels"
	"parley/pkg/session"
	"parley/pkg/session/engine"
	"parley/pkg/session/local"
)

// inTime runs f on fake time with an engine that is closed and checked at the end.
func inTime(t *testing.T, change func(*local.Options), f func(t *testing.T, e *local.Engine, o local.Options)) {
	t.Helper()
	o := options(t, t.TempDir())
	if change != nil {
		change(&o)
	}
	synctest.Test(t, func(t *testing.T) {
		e, err := local.Open(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		f(t, e, o)
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	checkStore(t, o.Dir)
}

// pass lets time go by until everything has come to rest again.
func pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

// wantPauses are the pauses after one failure, after two, and so on.
func wantPauses() []time.Duration {
	var all []time.Duration
	for d := 100 * time.Millisecond; d < 30*time.Second; d *= 2 {
		all = append(all, d)
	}
	return append(all, 30*time.Second, 30*time.Second)
}

// TestBackOff: a failed turn comes again after a pause that grows up to a limit, and a
// success makes the pauses short again.
func TestBackOff(t *testing.T) {
	t.Parallel()
	inTime(t, nil, func(t *testing.T, e *local.Engine, _ local.Options) {
		t.Helper()
		put(t, e, message("a", "1", ""))
		want := wantPauses()
		var pauses []time.Duration
		last := time.Now()
		step := func(end func() error) error {
			if now := time.Now(); !now.Equal(last) {
				pauses, last = append(pauses, now.Sub(last)), now
			}
			if len(pauses) < len(want) {
				return errors.New("not now")
			}
			return end()
		}
		run(t, e, func(ctx context.Context, turn session.Turn) (bool, error) {
			again := turn.Info().Items[0].ID == "2"
			err := step(func() error {
				c := session.Commit{Outcome: session.OutcomeAnswered}
				if again {
					c.Outbox = []channels.Outbound{{ID: "o", Address: turn.Info().Address, Text: "x"}}
					return turn.Commit(ctx, c)
				}
				if d := cmp.Diff(want, pauses); d != "" {
					t.Errorf("pauses of a turn (-want +got)\n%s", d)
				}
				pauses, want = nil, want[:2]
				return errors.Join(e.Inbox().Append(ctx, []session.Item{message("a", "2", "")}, nil), turn.Commit(ctx, c))
			})
			return again && err == nil, err
		})
		if d := cmp.Diff(want, pauses); d != "" {
			t.Errorf("pauses after a success (-want +got)\n%s", d)
		}
		pauses, want, last = nil, wantPauses(), time.Now()
		send(t, e, func(ctx context.Context, d channels.Delivery) (bool, error) {
			err := step(func() error { return d.Settle(ctx, channels.Outcome{State: channels.Delivered}) })
			return err == nil, err
		})
		if d := cmp.Diff(want, pauses); d != "" {
			t.Errorf("pauses of a delivery (-want +got)\n%s", d)
		}
	})
}

// TestSnapshotTimer: there is a snapshot for each hour in which something was
// written, and the newest three are kept.
func TestSnapshotTimer(t *testing.T) {
	t.Parallel()
	hourly := func(o *local.Options) { o.SnapshotEvery = time.Hour }
	inTime(t, hourly, func(t *testing.T, e *local.Engine, o local.Options) {
		t.Helper()
		snaps := func() []string {
			names, err := filepath.Glob(filepath.Join(o.Dir, "snapshots", "*"))
			if err != nil {
				t.Fatal(err)
			}
			return names
		}
		begun := time.Now()
		for i := range 5 {
			put(t, e, message("a", string(rune('a'+i)), ""))
			pass(time.Hour)
			if n := len(snaps()); n != min(i+1, 3) {
				t.Fatalf("%d snapshots after %d hours", n, i+1)
			}
		}
		var want []string
		for _, h := range []time.Duration{3, 4, 5} {
			name := "parley-" + begun.Add(h*time.Hour).UTC().Format("20060102T150405.000000000Z") + ".db"
			want = append(want, filepath.Join(o.Dir, "snapshots", name))
		}
		for range 2 { // no write in the second round
			if d := cmp.Diff(want, snaps()); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
			pass(2 * time.Hour)
		}
	})
}

// TestPruningByAge: an id is known for 48 hours after it was accepted, and then
// forgotten without anybody asking.
func TestPruningByAge(t *testing.T) {
	t.Parallel()
	inTime(t, nil, func(t *testing.T, e *local.Engine, _ local.Options) {
		t.Helper()
		waiting := func(want int) {
			t.Helper()
			put(t, e, message("a", "1", ""))
			if st, err := e.Status(t.Context()); err != nil || st.Waiting != want {
				t.Fatalf("%d items wait, want %d, %v", st.Waiting, want, err)
			}
		}
		waiting(1)
		drain(t, e)
		waiting(0)
		pass(48*time.Hour - time.Second)
		waiting(0)
		pass(2 * time.Minute)
		waiting(1)
	})
}

// TestPruningGoesRound: the pruning comes past every record, also over restarts
// that come before it is round.
func TestPruningGoesRound(t *testing.T) {
	t.Parallel()
	const many = 1200
	items := make([]session.Item, many)
	for i := range items {
		items[i] = message("a", strconv.Itoa(i), "")
	}
	o := options(t, t.TempDir())
	synctest.Test(t, func(t *testing.T) {
		e, err := local.Open(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		put(t, e, items...)
		drain(t, e)
		pass(48 * time.Hour)
		for i := range 300 { // young ones before the old ones
			put(t, e, message("b", "!"+strconv.Itoa(i), ""))
		}
		const restarts = 12
		for i := range restarts {
			if err := e.Close(); err != nil {
				t.Fatal(err)
			}
			if e, err = local.Open(t.Context(), o); err != nil {
				t.Fatal(err)
			}
			put(t, e, message("b", "!!"+strconv.Itoa(i), "")) // a process without writes leaves the file as it is
			pass(90 * time.Second)
		}
		put(t, e, items...)
		if st, err := e.Status(t.Context()); err != nil || st.Waiting != many+300+restarts {
			t.Errorf("%d items wait, want %d, %v", st.Waiting, many+300+restarts, err)
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	checkStore(t, o.Dir)
}

// TestLateStep: an attempt that was given up while a step of it was still being
// written is not followed by another one that does not know of the step.
func TestLateStep(t *testing.T) {
	t.Parallel()
	inTime(t, nil, func(t *testing.T, e *local.Engine, _ local.Options) {
		t.Helper()
		put(t, e, message("a", "1", ""))
		attempts := 0
		run(t, e, func(ctx context.Context, turn session.Turn) (bool, error) {
			if attempts++; attempts == 2 {
				if n := len(turn.Info().Steps); n != 1 {
					t.Errorf("%d steps are known, want 1", n)
				}
				return true, turn.Commit(ctx, session.Commit{Outcome: session.OutcomeAnswered})
			}
			stalled, release := engine.Stall(ctx, e.Engine)
			<-stalled
			if err := turn.Record(ctx, session.Step{Kind: session.StepAnswer}); err != nil {
				t.Error(err)
			}
			with, releaseBoth := engine.Stall(ctx, e.Engine)
			release()
			<-with
			time.AfterFunc(time.Minute, releaseBoth)
			return false, errors.New("gave up")
		})
	})
}

// TestCloseWhileSending: a close leaves no doubt about a part that a handler reports as
// surely not sent while the close is on its way.
func TestCloseWhileSending(t *testing.T) {
	t.Parallel()
	for range 20 {
		o := options(t, t.TempDir())
		e, err := local.Open(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		begun, ended := make(chan struct{}), make(chan error, 1)
		go func() {
			ended <- e.Outbox().RunOutbox(t.Context(), "test", "bot", func(ctx context.Context, _ channels.Delivery) error {
				begun <- struct{}{}
				<-ctx.Done()
				return &channels.SendError{Class: channels.SendTransient, Err: ctx.Err()}
			})
		}()
		queue(t, e, "a", "o1")
		<-begun
		if err := errors.Join(e.Close(), <-ended); err != nil {
			t.Fatal(err)
		}
		send(t, open(t, o.Dir), func(ctx context.Context, d channels.Delivery) (bool, error) {
			if d.Info().Unknown {
				t.Error("it is unknown whether it was sent")
			}
			return true, d.Settle(ctx, channels.Outcome{State: channels.Delivered})
		})
	}
}
