package engine_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/session/bolt"
	"parley/pkg/session/bolt/bolttest"
	"parley/pkg/session/engine"
	"parley/pkg/session/kv"
	"parley/pkg/session/local"
)

const (
	fileDB   = "parley.db"
	pageSize = 4096
)

// filled makes a closed store with history and unanswered items, some of them
// newer than its snapshot. It returns the session's id.
func filled(t *testing.T, dir string) string {
	t.Helper()
	e, err := local.Open(t.Context(), options(t, dir))
	if err != nil {
		t.Fatal(err)
	}
	msgs := make([]providers.Message, 60)
	for i := range msgs {
		msgs[i] = providers.Message{Role: providers.RoleUser, Content: strings.Repeat(fmt.Sprint(i, " "), 100)}
	}
	if err := e.Inbox().Append(t.Context(), []session.Item{message("a", "1", "hello")}, nil); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	id := ""
	err = e.Inbox().Run(ctx, func(ctx context.Context, turn session.Turn) error {
		defer cancel()
		id = turn.Info().Session
		return turn.Commit(ctx, session.Commit{Outcome: session.OutcomeAnswered, Messages: msgs})
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Inbox().Append(t.Context(), []session.Item{message("b", "2", "waits")}, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Snapshot(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := e.Inbox().Append(t.Context(), []session.Item{message("b", "3", "after the snapshot")}, nil); err != nil {
		t.Fatal(err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	return id
}

// withStore opens the file of a closed store for f.
func withStore(t *testing.T, dir string, f func(kv.Store) error) {
	t.Helper()
	s, err := bolt.Open(t.Context(), bolt.Options{Dir: dir, Log: zerolog.Nop()})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(f(s), s.Close()); err != nil {
		t.Fatal(err)
	}
}

func readDB(t *testing.T, dir string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, fileDB))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func writeDB(t *testing.T, dir string, b []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, fileDB), b, 0o600); err != nil {
		t.Fatal(err)
	}
}

// restored opens a damaged store: it must be the snapshot, held, accept new items, and
// hand them out only after the release.
func restored(t *testing.T, dir string, want ...string) {
	t.Helper()
	e := open(t, dir)
	st, err := e.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if st.Held == "" {
		t.Fatal("the store is not held")
	}
	for _, word := range []string{"released the store"} {
		if !strings.Contains(st.Held, word) {
			t.Errorf("%q does not say %q", st.Held, word)
		}
	}
	if err := e.Inbox().Append(t.Context(), []session.Item{message("c", "new", "accepted while held")}, nil); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	got := make(chan string, 10)
	ended := make(chan error, 1)
	go func() {
		ended <- e.Inbox().Run(ctx, func(ctx context.Context, turn session.Turn) error {
			if held, err := e.Status(ctx); err != nil || held.Held != "" {
				t.Errorf("handed out while held: %v %v", held.Held, err)
			}
			items := turn.Info().Items
			for i := range items {
				got <- items[i].ID
			}
			return turn.Commit(ctx, session.Commit{Outcome: session.OutcomeAnswered})
		})
	}()
	if err := e.ReleaseHold(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := e.ReleaseHold(t.Context()); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("a second release: %v", err)
	}
	have := map[string]bool{}
	for range len(want) + 1 {
		have[<-got] = true
	}
	cancel()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	for _, id := range append(want, "new") {
		if !have[id] {
			t.Errorf("%s was not handed out", id)
		}
	}
}

func asides(t *testing.T, dir string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "parley.db.damaged-*"))
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestDamagedFile(t *testing.T) {
	t.Parallel()
	cut := func(n int) func(*testing.T, []byte) []byte {
		return func(_ *testing.T, b []byte) []byte { return b[:n] }
	}
	is := func(b []byte) func(*testing.T, []byte) []byte {
		return func(*testing.T, []byte) []byte { return b }
	}
	tests := []struct {
		name   string
		damage func(t *testing.T, b []byte) []byte // nil removes the file
		aside  int
	}{
		{"truncated to half", cut(5 * pageSize), 1},
		{"truncated within a page", cut(4*pageSize + 100), 1},
		{"only a head", cut(100), 1},
		{"one byte", cut(1), 1},
		{"emptied", cut(0), 1},
		{"gone", is(nil), 0},
		{"zeros", func(_ *testing.T, b []byte) []byte { return make([]byte, len(b)) }, 1},
		{"a foreign file", is(bytes.Repeat([]byte("not a store\n"), 10_000)), 1},
		{"another program's database", foreignDB, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			filled(t, dir)
			if b := tt.damage(t, readDB(t, dir)); b != nil {
				writeDB(t, dir, b)
			} else if err := os.Remove(filepath.Join(dir, fileDB)); err != nil {
				t.Fatal(err)
			}
			restored(t, dir, "2")
			if n := len(asides(t, dir)); n != tt.aside {
				t.Errorf("%d files were moved aside, want %d", n, tt.aside)
			}
		})
	}
}

// foreignDB is a database that another program made.
func foreignDB(t *testing.T, _ []byte) []byte {
	t.Helper()
	dir := t.TempDir()
	if err := bolttest.Foreign(dir); err != nil {
		t.Fatal(err)
	}
	return readDB(t, dir)
}

func TestDamagedWithoutSnapshot(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	filled(t, dir)
	if err := os.RemoveAll(filepath.Join(dir, "snapshots")); err != nil {
		t.Fatal(err)
	}
	damaged := readDB(t, dir)[:5*pageSize]
	writeDB(t, dir, damaged)
	restored(t, dir)
	kept, err := os.ReadFile(asides(t, dir)[0])
	if err != nil || !bytes.Equal(kept, damaged) {
		t.Errorf("the damaged file was not kept as it was: %v", err)
	}
}

func TestDamagedSnapshotIsPassedOver(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	filled(t, dir)
	bad := filepath.Join(dir, "snapshots", "parley-29990101T000000.000000000Z.db")
	if err := os.WriteFile(bad, readDB(t, dir)[:3*pageSize], 0o600); err != nil {
		t.Fatal(err)
	}
	writeDB(t, dir, nil)
	restored(t, dir, "2")
}

func TestNewerSchema(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	filled(t, dir)
	withStore(t, dir, func(s kv.Store) error { return engine.SetSchema(s, 99) })
	before := readDB(t, dir)
	_, err := local.Open(t.Context(), options(t, dir))
	if !errors.Is(err, bolt.ErrNewer) {
		t.Fatalf("got %v", err)
	}
	if !bytes.Equal(before, readDB(t, dir)) {
		t.Error("the file was touched")
	}
	if len(asides(t, dir)) > 0 {
		t.Error("the file was moved aside")
	}
}
