package engine_test

import (
	"path/filepath"
	"testing"
	"testing/synctest"

	"parley/internal/test/openfile"
	"parley/pkg/session/local"
)

// TestClosedBesideAProgramThatStarts: the store can be opened again though a program that has yet to begin
// has its lock file.
func TestClosedBesideAProgramThatStarts(t *testing.T) {
	t.Parallel()
	o := options(t, t.TempDir())
	synctest.Test(t, func(t *testing.T) {
		for range 2 {
			e, err := local.Open(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			openfile.Dup(t, filepath.Join(o.Dir, "parley.lock"))
			if err := e.Close(); err != nil {
				t.Fatal(err)
			}
		}
	})
}
