package corpus

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

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

// TestAFaultOfTheMoment is not kept for one of the file, and its words are in the log alone.
func TestAFaultOfTheMoment(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "a.pdf"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		root, err := os.OpenRoot(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = root.Close() }()
		var log bytes.Buffer
		l := New(Options{Log: zerolog.New(&log), Read: func(ctx context.Context, _ string, _ *os.File) (Text, error) {
			<-ctx.Done()
			return Text{}, fmt.Errorf("wait for /a/secret/path: %w", ctx.Err())
		}})
		lk := &look{w: &worker{l: l, failed: map[string]string{}}, folder: &Folder{Name: "docs"}, walk: &walk{root: root}}
		_, _, err = lk.read(t.Context(), "a.pdf")
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the error of the moment is %v", err)
		}
		if d := cmp.Diff([]Unread{{"a.pdf", textMoment}}, lk.unread); d != "" || !strings.Contains(log.String(), "/a/secret/path") {
			t.Errorf("%s\n%s", d, &log)
		}
	})
}
