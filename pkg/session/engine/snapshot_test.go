package engine_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/pkg/session/bolt"
	"parley/pkg/session/local"
)

func TestSnapshotAndRestore(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	filled(t, dir)
	var first string
	for i := range 5 {
		path, err := bolt.SnapshotFile(t.Context(), dir, 3)
		if err != nil {
			t.Fatal(err)
		}
		if i == 2 {
			first = path
		}
	}
	snaps, err := filepath.Glob(filepath.Join(dir, "snapshots", "*"))
	if err != nil || len(snaps) != 3 || snaps[0] != first {
		t.Fatalf("kept %v, %v", snaps, err)
	}
	if err := bolt.Restore(t.Context(), dir, filepath.Join(dir, "parley.marker"), nil); err == nil {
		t.Fatal("something that is no snapshot was restored")
	}
	if err := bolt.Restore(t.Context(), dir, first, nil); err != nil {
		t.Fatal(err)
	}
	if r := checkStore(t, dir); r.Held == "" || r.Waiting != 2 {
		t.Errorf("restored: %+v", r)
	}
	if err := local.ReleaseHold(t.Context(), dir, local.Options{}); err != nil {
		t.Fatal(err)
	}
	if r := checkStore(t, dir); r.Held != "" {
		t.Errorf("released and held: %s", r.Held)
	}
}

// TestSnapshotAfterCrash: the remains of a process that died over a snapshot are gone
// with the next one.
func TestSnapshotAfterCrash(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	closing(t, dir, func(e *local.Engine) {
		snap, err := e.Snapshot(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(snap, filepath.Join(filepath.Dir(snap), "parley.db.new")); err != nil {
			t.Fatal(err)
		}
		put(t, e, message("a", "1", ""))
		if snap, err = e.Snapshot(t.Context()); err != nil {
			t.Fatal(err)
		}
		left, err := filepath.Glob(filepath.Join(filepath.Dir(snap), "*"))
		if err != nil || len(left) != 1 || left[0] != snap {
			t.Errorf("there are %v, %v", left, err)
		}
	})
}

// TestARestoreThatDiesBeforeItsEnd, when the restored store is in place and the note of
// damage still lies there: the next start takes that store. A later note counts.
func TestARestoreThatDiesBeforeItsEnd(t *testing.T) {
	t.Parallel()
	const note = "parley.db.damage"
	for name, later := range map[string]bool{"the same note": false, "a later one": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			filled(t, dir)
			chosen, err := bolt.SnapshotFile(t.Context(), dir, 3)
			if err != nil {
				t.Fatal(err)
			}
			closing(t, dir, func(e *local.Engine) {
				put(t, e, message("late", "late", ""))
				if _, err := e.Snapshot(t.Context()); err != nil {
					t.Fatal(err)
				}
			})
			writeNote := func(text string) {
				t.Helper()
				if err := os.WriteFile(filepath.Join(dir, note), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			writeNote("a page")
			if err := bolt.Restore(t.Context(), dir, chosen, nil); err != nil {
				t.Fatal(err)
			}
			want, cause := 2, "the operator restored the store"
			if writeNote("a page"); later {
				writeNote("another page")
				want, cause = 3, "damaged"
			} else if r, err := bolt.Check(t.Context(), dir); err != nil || len(r.Problems) > 0 {
				t.Errorf("the check says %v, %v", r.Problems, err)
			}
			closing(t, dir, func(e *local.Engine) {
				st, err := e.Status(t.Context())
				if err != nil || st.Waiting != want || !strings.Contains(st.Held, cause) {
					t.Errorf("%d wait, held %q, %v", st.Waiting, st.Held, err)
				}
			})
			if _, err := os.Lstat(filepath.Join(dir, note)); err == nil {
				t.Error("the note is still there")
			}
		})
	}
}

// TestARestoreThatDiesBeforeTheRename leaves the store before, and only that once it
// was opened; a store that was replaced stays.
func TestARestoreThatDiesBeforeTheRename(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	filled(t, dir)
	replaced := filepath.Join(dir, "parley.db.replaced-20260101T000000.000000000Z")
	if err := os.WriteFile(replaced, readDB(t, dir), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(filepath.Join(dir, "parley.db"), filepath.Join(dir, "parley.db.replaced-20260102T000000.000000000Z")); err != nil {
		t.Fatal(err)
	}
	closing(t, dir, func(e *local.Engine) {
		if st, err := e.Status(t.Context()); err != nil || st.Held != "" || st.Waiting != 2 {
			t.Errorf("%+v, %v", st, err)
		}
	})
	if left, err := filepath.Glob(filepath.Join(dir, "parley.db.replaced-*")); err != nil || len(left) != 1 || left[0] != replaced {
		t.Errorf("left %q, %v", left, err)
	}
}
