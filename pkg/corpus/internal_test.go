package corpus

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/index"
)

// TestADocumentOutOfBounds is one unread file, and no fault of the index.
func TestADocumentOutOfBounds(t *testing.T) {
	t.Parallel()
	l := New(Options{Path: filepath.Join(t.TempDir(), "index")})
	ix, err := l.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ix.Close() }()
	lk := &look{w: &worker{l: l, ix: ix}, scope: "docs", known: map[string]record{"a.md": {Note: "a note"}}}
	err = ix.Update(t.Context(), func(b *index.Batch) error {
		return lk.put(b, index.Document{ID: "a.md", Title: strings.Repeat("x", index.MaxPassage+1)})
	})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]Unread{{"a.md", textBounds}}, lk.unread); d != "" || lk.known["a.md"].Why != textBounds {
		t.Errorf("%s\n%+v", d, lk.known)
	}
	n := 0
	for d, err := range ix.Documents(t.Context(), "docs") {
		if n++; err != nil || !strings.Contains(string(d.Data), textBounds) {
			t.Errorf("the index has %+v, %v", d, err)
		}
	}
	if n != 1 {
		t.Errorf("the index has %d documents", n)
	}
}
