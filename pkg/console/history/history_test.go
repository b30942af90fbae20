package history_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"parley/pkg/console/history"
)

func open(t *testing.T, path string) *history.History {
	t.Helper()
	h, err := history.Open(path, func(s string) string { return strings.ReplaceAll(s, "secret", "[redacted]") })
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func add(t *testing.T, h *history.History, lines ...string) {
	t.Helper()
	for _, l := range lines {
		if err := h.Add(l); err != nil {
			t.Fatal(err)
		}
	}
}

func all(h *history.History) string {
	var lines []string
	for i := range h.Len() {
		lines = append(lines, h.Line(i))
	}
	return strings.Join(lines, "|")
}

func TestHistory(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "h.jsonl")
	h := open(t, path)
	add(t, h, "one", "two\nlines", " not this", "one", "", "my secret", "\t")
	const want = "my [redacted]|one|two\nlines"
	if got := all(h); got != want {
		t.Errorf("%q", got)
	}
	again := open(t, path)
	if got := all(again); got != want {
		t.Errorf("after a start: %q", got)
	}
	if n := again.Find("LINES", 0); n != 2 {
		t.Errorf("found %d", n)
	}
	if n := again.Find("lines", 3); n != -1 {
		t.Errorf("found %d", n)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

// TestTheFileHasABound, also of lines that cannot be read.
func TestTheFileHasABound(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "h.jsonl")
	if err := os.WriteFile(path, []byte("half a {\n"+strings.Repeat("x", 3<<20)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	h := open(t, path)
	for i := range 2500 {
		add(t, h, fmt.Sprintf("line %d %s", i, strings.Repeat("y", 500)))
	}
	h = open(t, path)
	if info, err := os.Stat(path); err != nil || info.Size() > 1<<20 || h.Len() < 500 || !strings.HasPrefix(h.Line(0), "line 2499 ") {
		t.Errorf("%v, %v: %d lines", info.Size(), err, h.Len())
	}
}

// TestManyConsolesAddLines: each is there, whole.
func TestManyConsolesAddLines(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "h.jsonl")
	var wait sync.WaitGroup
	for c := range 8 {
		h := open(t, path)
		wait.Go(func() {
			for i := range 50 {
				if err := h.Add(fmt.Sprintf("%d/%d", c, i)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	if n := open(t, path).Len(); n != 400 {
		t.Errorf("%d lines", n)
	}
}

// TestAForeignFileIsLeftAlone: the lines of the run are in memory.
func TestAForeignFileIsLeftAlone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Symlink("/dev/full", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	h, err := history.Open(filepath.Join(dir, "link"), func(s string) string { return s })
	if err == nil {
		t.Error("a device is taken")
	}
	if err := h.Add("one"); err != nil || h.Len() != 1 {
		t.Errorf("%v, %d lines", err, h.Len())
	}
}
