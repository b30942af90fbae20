package kill_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"parley/internal/test/loopchat/server"
	"parley/internal/tools/promises"
	"parley/workspace"
)

// TestKillWhereTheWorkspaceIsMade: a gateway that dies while it writes a file that an agent or a chat starts
// with, leaves it absent, and the next start makes it whole.
func TestKillWhereTheWorkspaceIsMade(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip(promises.Later)
	}
	initial := t.TempDir()
	if err := workspace.Init(initial); err != nil {
		t.Fatal(err)
	}
	var points []point
	for n := range len(filesBelow(t, initial)) + len(workspace.Notes()) {
		points = append(points, point{name: "W1:" + strconv.Itoa(n+1)})
	}
	eachSeed(t, points, func(t *testing.T, p point, seed int) {
		t.Helper()
		w := newWorld(t, server.Options{})
		q := newQuestion(newRand(p.name, seed), w.ledger, direct(0), file)
		first := w.start(p.name)
		w.push(q)
		w.died(first, p.name)
		second := w.start("")
		w.answered()
		w.push(newQuestion(newRand(p.name, seed+seeds), w.ledger, direct(0), file)) // a call that was interrupted is not made again
		w.answered()
		w.terminate(second)
		made := filesBelow(t, filepath.Join(w.gw.Dir, "workspace"))
		for name, text := range filesBelow(t, initial) {
			if made[name] != text {
				t.Errorf("%s holds %d bytes, want %d", name, len(made[name]), len(text))
			}
		}
		notes := 0
		for name, text := range made {
			if strings.HasSuffix(name, ".part") {
				t.Errorf("%s is left", name)
			}
			for _, note := range workspace.Notes() {
				if filepath.Base(name) == note {
					notes++
					if text == "" {
						t.Errorf("%s is empty", name)
					}
				}
			}
		}
		if notes < len(workspace.Notes()) {
			t.Errorf("the chat has %d notes of %d", notes, len(workspace.Notes()))
		}
		w.storeCheck()
	})
}

// filesBelow are the texts of the files below a folder.
func filesBelow(t *testing.T, dir string) map[string]string {
	t.Helper()
	texts := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		texts[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return texts
}
