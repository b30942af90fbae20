package bolt_test

import (
	"os"
	"path/filepath"
	"testing"

	"parley/pkg/session/bolt"
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
	if err := bolt.Restore(t.Context(), dir, filepath.Join(dir, "parley.marker")); err == nil {
		t.Fatal("something that is no snapshot was restored")
	}
	if err := bolt.Restore(t.Context(), dir, first); err != nil {
		t.Fatal(err)
	}
	if r := checkStore(t, dir); r.Held == "" || r.Waiting != 2 {
		t.Errorf("restored: %+v", r)
	}
	if err := bolt.ReleaseHold(t.Context(), dir, bolt.Options{}); err != nil {
		t.Fatal(err)
	}
	if r := checkStore(t, dir); r.Held != "" {
		t.Errorf("released and held: %s", r.Held)
	}
}

// TestSnapshotAfterCrash: what a process left that died over a snapshot is gone
// with the next one.
func TestSnapshotAfterCrash(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	closing(t, dir, func(e *bolt.Engine) {
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
