package engine_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/pkg/session"
	"parley/pkg/session/engine"
	"parley/pkg/session/local"
)

// TestZeroedPage zeroes each page in turn. The store must be restored at once, or at
// the start after the damage was met, without a panic and without a wrong reading.
func TestZeroedPage(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	id := filled(t, base)
	whole := readDB(t, base)
	snaps, err := filepath.Glob(filepath.Join(base, "snapshots", "*.db"))
	if err != nil || len(snaps) != 1 {
		t.Fatalf("%d snapshots, %v", len(snaps), err)
	}
	snap, err := os.ReadFile(snaps[0])
	if err != nil {
		t.Fatal(err)
	}
	marker, err := os.ReadFile(filepath.Join(base, "parley.marker"))
	if err != nil {
		t.Fatal(err)
	}
	restarts := 0
	for page := 0; (page+1)*pageSize <= len(whole); page++ {
		if bytes.Equal(whole[page*pageSize:(page+1)*pageSize], make([]byte, pageSize)) {
			continue
		}
		dir := t.TempDir()
		damaged := bytes.Clone(whole)
		clear(damaged[page*pageSize : (page+1)*pageSize])
		writeDB(t, dir, damaged)
		if err := errors.Join(
			os.WriteFile(filepath.Join(dir, "parley.marker"), marker, 0o600),
			os.Mkdir(filepath.Join(dir, "snapshots"), 0o700),
			os.WriteFile(filepath.Join(dir, "snapshots", filepath.Base(snaps[0])), snap, 0o600),
		); err != nil {
			t.Fatal(err)
		}
		if met := useDamaged(t, dir, id); met {
			restarts++
			restored(t, dir, "2")
			continue
		}
		checkStore(t, dir)
	}
	if restarts == 0 {
		t.Error("no damaged page was met while the store was in use")
	}
}

// useDamaged opens a store, reads and writes, and reports whether it met damage.
func useDamaged(t *testing.T, dir, id string) bool {
	t.Helper()
	e, err := local.Open(t.Context(), options(t, dir))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = e.Close() }()
	_, pageErr := tail(t, e, id)
	_ = e.Inbox().Append(t.Context(), []session.Item{message("a", "x", "x"), message("z", "z", "z")}, nil)
	_, _ = e.Status(t.Context())
	if pageErr != nil && !errors.Is(pageErr, session.ErrCorrupt) && !errors.Is(pageErr, session.ErrNotFound) {
		t.Errorf("page: %v", pageErr)
	}
	// A snapshot reads everything: it meets the damage that the calls above have
	// missed.
	_, snapErr := e.Snapshot(t.Context())
	engine.Settle(e.Engine)
	st, _ := e.Status(t.Context())
	damaged := strings.Contains(st.Held, "the store is damaged")
	if damaged {
		if err := e.Inbox().Append(t.Context(), []session.Item{message("a", "y", "y")}, nil); !errors.Is(err, session.ErrStore) {
			t.Errorf("an append to a damaged store: %v", err)
		}
	}
	if snapErr != nil && !damaged {
		t.Errorf("no snapshot could be taken, and the store is not held: %v", snapErr)
	}
	return damaged
}

// tail reads a session's history, oldest first.
func tail(t *testing.T, e *local.Engine, id string) ([]session.Entry, error) {
	t.Helper()
	var out []session.Entry
	err := e.Sessions().Tail(t.Context(), id, 0, func(e session.Entry) bool {
		out = append(out, e)
		return true
	})
	slices.Reverse(out)
	return out, err
}

// TestFlippedBit flips bits all over the file: a record is right or it is missing and
// counted, and there is no panic.
func TestFlippedBit(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	id := filled(t, base)
	whole := readDB(t, base)
	e := open(t, base)
	right, err := tail(t, e, id)
	if err != nil || len(right) != 60 {
		t.Fatalf("%d entries, %v", len(right), err)
	}
	aside := 0
	for at := 2*pageSize + 37; at < len(whole); at += 797 {
		page := whole[at&^(pageSize-1):]
		if bytes.Equal(page[:pageSize], make([]byte, pageSize)) {
			continue
		}
		dir := t.TempDir()
		damaged := bytes.Clone(whole)
		damaged[at] ^= 1 << (at % 8)
		writeDB(t, dir, damaged)
		e, err := local.Open(t.Context(), options(t, dir))
		if err != nil {
			t.Fatalf("bit at %d: %v", at, err)
		}
		got, _ := tail(t, e, id)
		for i := range got {
			if got[i].Seq == 0 || got[i].Seq > 60 || got[i].Message.Content != right[got[i].Seq-1].Message.Content {
				t.Errorf("bit at %d: entry %d is wrong", at, got[i].Seq)
			}
		}
		engine.Settle(e.Engine)
		st, _ := e.Status(t.Context())
		if len(got) == 59 && st.Corrupt == 1 {
			aside++
		}
		_ = e.Close()
	}
	if aside == 0 {
		t.Error("no damaged record was set aside")
	}
}
