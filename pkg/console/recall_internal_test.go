package console

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/pkg/console/history"
	"parley/pkg/console/line"
)

// TestFilesComeBackWithTheirLine of before, also in a later console.
func TestFilesComeBackWithTheirLine(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "history.jsonl")
	same := func(s string) string { return strings.ReplaceAll(s, "secret", "***") }
	open := func() *composer {
		h, err := history.Open(path, same)
		if err != nil {
			t.Fatal(err)
		}
		return &composer{recall: recall{history: h}, said: &transcript{width: 80}}
	}
	e := open()
	for _, name := range []string{"my file.txt", "secret.txt"} {
		e.line.Reset()
		e.line.Insert("look at ")
		e.line.Put(line.Item{Text: "@" + name, Label: "@" + name, File: name})
		e.line.Insert(" now")
		e.keep()
	}
	for _, e := range []*composer{e, open()} {
		e.line.Reset()
		e.recall.older(&e.line)
		if e.line.Text() != "look at @***.txt now" || len(e.line.Files()) > 0 {
			t.Errorf("%q comes back with %q", e.line.Text(), e.line.Files())
		}
		e.recall.older(&e.line)
		if e.line.Text() != "look at @my file.txt now" || !slices.Equal(e.line.Files(), []string{"my file.txt"}) {
			t.Errorf("%q comes back with %q", e.line.Text(), e.line.Files())
		}
	}
}
