package bolt_test

import (
	"testing"

	"github.com/rs/zerolog"

	"parley/pkg/session/bolt"
	"parley/pkg/session/kv"
	"parley/pkg/session/kv/kvtest"
)

// TestStoreSuite: a bbolt file passes the suite of stores.
func TestStoreSuite(t *testing.T) {
	t.Parallel()
	kvtest.Run(t, [2]kv.Bucket{"seen", "sent"}, func(tb testing.TB, dir string) kv.Store {
		tb.Helper()
		s, err := bolt.Open(tb.Context(), bolt.Options{Dir: dir, Log: zerolog.Nop()})
		if err != nil {
			tb.Fatal(err)
		}
		return s
	})
}
