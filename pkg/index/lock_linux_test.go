package index_test

import (
	"path/filepath"
	"testing"

	"parley/internal/test/openfile"
	"parley/pkg/index"
)

// TestClosedBesideAProgramThatStarts: the index can be opened again though a program that has yet to begin
// has its file.
func TestClosedBesideAProgramThatStarts(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "index")
	for range 2 {
		ix, err := index.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		openfile.Dup(t, path)
		if err := ix.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
