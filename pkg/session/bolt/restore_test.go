package bolt_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/rs/zerolog"

	"parley/pkg/session/bolt"
)

// made makes a closed store.
func made(t *testing.T, dir string) {
	t.Helper()
	s, err := bolt.Open(t.Context(), bolt.Options{Dir: dir, Log: zerolog.Nop()})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func readDB(t *testing.T, dir string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, "parley.db"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestARestoreWithoutLinks keeps the store that it replaces as a copy; another failure
// has no effect.
func TestARestoreWithoutLinks(t *testing.T) {
	t.Parallel()
	for cause, works := range map[syscall.Errno]bool{syscall.EPERM: true, syscall.EOPNOTSUPP: true, syscall.ENOSYS: true, syscall.EIO: false} {
		dir := t.TempDir()
		made(t, dir)
		snap, err := bolt.SnapshotFile(t.Context(), dir, 3)
		if err != nil {
			t.Fatal(err)
		}
		before := readDB(t, dir)
		err = bolt.RestoreBy(t.Context(), dir, snap, func(from, to string) error {
			return &os.LinkError{Op: "link", Old: from, New: to, Err: cause}
		})
		if (err == nil) != works {
			t.Errorf("%v: %v", cause, err)
		}
		kept, _ := filepath.Glob(filepath.Join(dir, "parley.db.*"))
		if !works {
			if len(kept) > 0 || !bytes.Equal(readDB(t, dir), before) {
				t.Errorf("%v: left %q", cause, kept)
			}
			continue
		}
		if len(kept) != 1 || !strings.Contains(kept[0], "replaced-") {
			t.Fatalf("%v: kept %q", cause, kept)
		}
		if b, err := os.ReadFile(kept[0]); err != nil || !bytes.Equal(b, before) {
			t.Errorf("%v: the store that was replaced is not kept as it was: %v", cause, err)
		}
		if r, err := bolt.Check(t.Context(), dir); err != nil || r.Err() != nil || r.Held == "" {
			t.Errorf("%v: %+v, %v", cause, r, err)
		}
	}
}
