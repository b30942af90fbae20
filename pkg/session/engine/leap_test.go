package engine_test

import (
	"context"
	"testing"
	"time"

	"parley/pkg/session"
	"parley/pkg/session/engine"
	"parley/pkg/session/local"
)

// TestALeapOfTheClockForgetsNothing puts the clock forward by years, while the store is
// open and across a restart: an id that was accepted before is swallowed for 48 hours more,
// in which the store is looked after, and is forgotten then.
func TestALeapOfTheClockForgetsNothing(t *testing.T) {
	t.Parallel()
	for name, restart := range map[string]bool{"while running": false, "across a restart": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
			o := options(t, t.TempDir())
			o.Now = func() time.Time { return now }
			e, err := local.Open(t.Context(), o)
			must(t, err)
			t.Cleanup(func() { must(t, e.Close()) })
			turns := 0
			deliver := func() int {
				put(t, e, message("a", "1", "hello"))
				if st, err := e.Status(t.Context()); err != nil || st.Waiting == 0 {
					return turns
				}
				run(t, e, func(ctx context.Context, turn session.Turn) (bool, error) {
					turns++
					return true, turn.Commit(ctx, session.Commit{Outcome: session.OutcomeAnswered})
				})
				return turns
			}
			if n := deliver(); n != 1 {
				t.Fatalf("%d turns", n)
			}
			engine.LookAfter(e.Engine)
			now = now.AddDate(3, 0, 0)
			if restart {
				must(t, e.Close())
				e, err = local.Open(t.Context(), o)
				must(t, err)
			}
			for range 48 {
				engine.LookAfter(e.Engine)
				if n := deliver(); n != 1 {
					t.Fatalf("%d turns at %v", n, now)
				}
				now = now.Add(time.Hour)
			}
			for range 3 {
				now = now.Add(time.Hour)
				engine.LookAfter(e.Engine)
			}
			if n := deliver(); n != 2 {
				t.Errorf("%d turns after the 48 hours", n)
			}
		})
	}
}
