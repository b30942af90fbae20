package bolt_test

import (
	"context"
	"testing"

	"github.com/rs/zerolog"

	"parley/pkg/session"
	"parley/pkg/session/bolt"
	"parley/pkg/session/sessiontest"
)

func options(t testing.TB, dir string) bolt.Options {
	t.Helper()
	return bolt.Options{Dir: dir, Log: zerolog.New(zerolog.NewTestWriter(t)).Level(zerolog.WarnLevel), SnapshotEvery: -1}
}

// open opens a store that is checked when the test has ended.
func open(t testing.TB, dir string) *bolt.Engine {
	t.Helper()
	e, err := bolt.Open(t.Context(), options(t, dir))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
		checkStore(t, dir)
	})
	return e
}

// checkStore reads the whole store and fails the test when a promise is broken.
func checkStore(t testing.TB, dir string) bolt.Report {
	t.Helper()
	r, err := bolt.Check(context.WithoutCancel(t.Context()), dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Err(); err != nil {
		t.Errorf("the store is not sound: %v\n%v", err, r.Problems)
	}
	return r
}

func TestConformance(t *testing.T) {
	t.Parallel()
	sessiontest.Run(t, func(t testing.TB, dir string) session.Engine { return open(t, dir) })
}
