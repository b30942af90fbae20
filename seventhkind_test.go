package parley_test

import (
	"crypto/sha256"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/internal/tools/mutants"
	"parley/internal/tools/promises"
)

// TestASeventhKindOfTurnTouchesOneRow adds a kind of turn to a scratch copy of the tree: a
// room of its own, and its row in the dispatcher. The copy builds and runs one turn of it, and
// no other file of the copy has changed.
func TestASeventhKindOfTurnTouchesOneRow(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip(promises.Later)
	}
	const room, dispatcher = "pkg/agent/greeting", "pkg/agent/kinds.go"
	dir := filepath.Join(t.TempDir(), "parley")
	if err := mutants.Copy(dir, "."); err != nil {
		t.Fatal(err)
	}
	before := sums(t, dir)
	for _, name := range []string{"greeting.go", "greeting_test.go"} {
		text, err := os.ReadFile(filepath.Join("testdata", "seventhkind", name+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, room, name), string(text))
	}
	rows, err := os.ReadFile(filepath.Join(dir, dispatcher))
	if err != nil {
		t.Fatal(err)
	}
	const list, first = "	return []turn.Kind{\n", "import (\n"
	with := string(rows)
	for at, line := range map[string]string{list: "		greeting.Kind(),\n", first: "	\"parley/" + room + "\"\n"} {
		if n := strings.Count(with, at); n != 1 {
			t.Fatalf("%s has %d times %q", dispatcher, n, at)
		}
		with = strings.Replace(with, at, at+line, 1)
	}
	write(t, filepath.Join(dir, dispatcher), with)

	command(t, dir, block{file: room}, "go", "build", "-o", os.DevNull, "./cmd/gateway")
	command(t, dir, block{file: room}, "go", "test", "-count=1", "./"+room)

	after := sums(t, dir)
	for name := range before {
		if name != dispatcher && before[name] != after[name] {
			t.Errorf("%s has changed", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(after)) {
		if _, ok := before[name]; !ok && filepath.Dir(name) != room {
			t.Errorf("%s is new", name)
		}
	}
}

// write makes a file in a folder that may be new.
func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// sums are the checksums of a tree's files by name.
func sums(t *testing.T, dir string) map[string][sha256.Size]byte {
	t.Helper()
	out := map[string][sha256.Size]byte{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(filepath.Join(dir, name))
		out[name] = sha256.Sum256(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
