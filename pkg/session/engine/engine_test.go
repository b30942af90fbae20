package engine_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"parley/pkg/channels"
	"parley/pkg/session"
	"parley/pkg/session/bolt"
	"parley/pkg/session/engine"
	"parley/pkg/session/engine/fsck"
	"parley/pkg/session/local"
	"parley/pkg/session/sessiontest"
)

func options(tb testing.TB, dir string) local.Options {
	tb.Helper()
	return local.Options{Dir: dir, Log: zerolog.New(zerolog.NewTestWriter(tb)).Level(zerolog.WarnLevel), SnapshotEvery: -1}
}

// open opens a store that is checked when the test has ended.
func open(tb testing.TB, dir string) *local.Engine {
	tb.Helper()
	e, err := local.Open(tb.Context(), options(tb, dir))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := e.Close(); err != nil {
			tb.Error(err)
		}
		checkStore(tb, dir)
	})
	return e
}

// checkStore reads the whole store and fails the test when a promise is broken.
func checkStore(tb testing.TB, dir string) fsck.Report {
	tb.Helper()
	r, err := bolt.Check(context.WithoutCancel(tb.Context()), dir)
	if err != nil {
		tb.Fatal(err)
	}
	if err := r.Err(); err != nil {
		tb.Errorf("the store is not sound: %v\n%v", err, r.Problems)
	}
	return r
}

func TestConformance(t *testing.T) {
	t.Parallel()
	sessiontest.Run(t, func(tb testing.TB, dir string) session.Engine {
		tb.Helper()
		return open(tb, dir)
	})
}

// TestLostStep: a step that was not awaited may be lost, but only together with
// everything after it.
func TestLostStep(t *testing.T) {
	t.Parallel()
	e := open(t, t.TempDir())
	if err := e.Inbox().Append(t.Context(), []session.Item{message("a", "1", "")}, nil); err != nil {
		t.Fatal(err)
	}
	attempts := 0
	ctx, cancel := context.WithCancel(t.Context())
	err := e.Inbox().Run(ctx, func(ctx context.Context, turn session.Turn) error {
		if attempts++; attempts == 2 {
			defer cancel()
			want := []session.Step{{Kind: session.StepAnswer, Round: 1}}
			if d := cmp.Diff(want, turn.Info().Steps); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
			return turn.Commit(ctx, session.Commit{Outcome: session.OutcomeAnswered})
		}
		record := func(round int, await bool) error {
			return turn.Record(ctx, session.Step{Kind: session.StepAnswer, Round: round, Await: await})
		}
		if err := record(1, true); err != nil {
			t.Error(err)
		}
		engine.BreakWrites(e.Engine, errors.New("the disk is full"))
		if err := record(2, false); err != nil {
			t.Errorf("a step that is not awaited waited for its outcome: %v", err)
		}
		if err := record(3, true); !errors.Is(err, session.ErrStore) {
			t.Errorf("got %v", err)
		}
		engine.BreakWrites(e.Engine, nil)
		if err := record(4, true); !errors.Is(err, session.ErrStore) {
			t.Errorf("a step was stored after a lost one: %v", err)
		}
		err := turn.Commit(ctx, session.Commit{Outcome: session.OutcomeAnswered})
		if !errors.Is(err, session.ErrStore) {
			t.Errorf("the turn was committed after a lost step: %v", err)
		}
		return err
	})
	if err != nil || attempts != 2 {
		t.Fatalf("%d attempts, %v", attempts, err)
	}
}

func message(chat, id, text string) session.Item {
	a := channels.Address{Channel: "test", Account: "bot", Chat: chat}
	return session.Item{
		ID: id, Kind: session.ItemMessage, Address: a,
		Inbound: &channels.Inbound{ID: id, Kind: channels.KindMessage, Address: a, Text: text},
	}
}
