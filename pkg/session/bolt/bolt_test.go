package bolt_test

import (
	"context"
	"testing"

	"github.com/rs/zerolog"

	"parley/pkg/session"
	"parley/pkg/session/bolt"
	"parley/pkg/session/sessiontest"
)

func options(tb testing.TB, dir string) bolt.Options {
	tb.Helper()
	return bolt.Options{Dir: dir, Log: zerolog.New(zerolog.NewTestWriter(tb)).Level(zerolog.WarnLevel), SnapshotEvery: -1}
}

// open opens a store that is checked when the test has ended.
func open(tb testing.TB, dir string) *bolt.Engine {
	tb.Helper()
	e, err := bolt.Open(tb.Context(), options(tb, dir))
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
func checkStore(tb testing.TB, dir string) bolt.Report {
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
