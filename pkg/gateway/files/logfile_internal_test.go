package files

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestALogIsBounded: a full one becomes the former one, no line is cut, and others cannot read it.
func TestALogIsBounded(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state", "parley.log")
	line := append(bytes.Repeat([]byte("x"), 1<<20-1), '\n')
	for range 2 { // a second process goes on with the file of the first one
		l := NewLogFile(path)
		for range 13 {
			if _, err := l.Write(line); err != nil {
				t.Fatal(err)
			}
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]int64{path: 2 << 20, path + ".1": maxLog} {
		info, err := os.Stat(name)
		if err != nil || info.Size() != want || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %+v, %v, want %d bytes", name, info, err, want)
		}
	}
}
