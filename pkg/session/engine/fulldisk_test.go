package engine_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"parley/pkg/session"
	"parley/pkg/session/engine"
	"parley/pkg/session/local"
)

// childFull appends until the file may not grow, then lets it grow again.
func childFull(dir, _ string) error {
	ctx := context.Background()
	signal.Ignore(syscall.SIGXFSZ)
	e, err := local.Open(ctx, local.Options{Dir: dir, SnapshotEvery: -1})
	if err != nil {
		return err
	}
	limit := func(n uint64) error {
		return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: n, Max: ^uint64(0)})
	}
	if err := limit(6 << 20); err != nil {
		return fmt.Errorf("limit: %w", err)
	}
	return fillUp(ctx, e, func() error { return limit(^uint64(0)) })
}

// fillUp appends until the disk is full, checks that the engine says so, makes room and
// checks that it goes on by itself. It prints the acknowledged items.
func fillUp(ctx context.Context, e *local.Engine, makeRoom func() error) error {
	text := strings.Repeat("x", 64<<10)
	appendOne := func(i int) error {
		id := strconv.Itoa(i)
		err := e.Inbox().Append(ctx, []session.Item{message(id, id, text)}, nil)
		if err == nil {
			say("stored", id)
		}
		return err
	}
	i := 0
	for ; i < 10_000; i++ {
		if err := appendOne(i); err != nil {
			if !errors.Is(err, session.ErrStore) {
				return fmt.Errorf("another error: %w", err)
			}
			break
		}
	}
	st, err := e.Status(ctx)
	if err != nil {
		return err
	}
	if st.WriteError == "" {
		return errors.New("the disk is full and the status does not say so")
	}
	say("full", i)
	// A write that needs less room than the last may find some between the pages; this
	// cannot.
	if err := e.Inbox().Append(ctx, []session.Item{message("big", "big", strings.Repeat(text, 16))}, nil); err == nil {
		return errors.New("accepted on a full disk")
	}
	if err := makeRoom(); err != nil {
		return err
	}
	if err := appendOne(i); err != nil {
		return fmt.Errorf("there is room again: %w", err)
	}
	if st, err = e.Status(ctx); err != nil || st.WriteError != "" {
		return fmt.Errorf("there is room again: status %q, %w", st.WriteError, err)
	}
	return e.Close()
}

func TestFullDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cmd, _, out := child(t, "full", dir, "")
	stored, full := map[string]bool{}, false
	for out.Scan() {
		word, id, _ := strings.Cut(out.Text(), " ")
		switch word {
		case "stored":
			stored[id] = true
		case "full":
			full = true
		default:
			t.Error(out.Text())
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if !full {
		t.Fatal("the disk was never full")
	}
	got := map[string]bool{}
	for _, item := range drain(t, open(t, dir)) {
		got[item.ID] = true
	}
	for id := range stored {
		if !got[id] {
			t.Errorf("%s was acknowledged and is lost", id)
		}
	}
}

// TestFullDiskAt fills a real small file system, or limits the size of files where that
// is impossible, at the writes that follow an accepted item.
func TestFullDiskAt(t *testing.T) {
	t.Parallel()
	for name, c := range fullCases() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := mountSmall(dir, "8m"); err != nil {
				t.Logf("no small file system (%v): the size of files is limited instead", err)
				limited(t, dir, name)
				return
			}
			t.Cleanup(func() {
				if err := unmount(dir); err != nil {
					t.Error(err)
				}
			})
			ballast := filepath.Join(dir, "ballast")
			d := disk{dir: dir, squeeze: func() error { return fillWith(ballast) }, free: func() error { return os.Remove(ballast) }}
			if err := meetFull(t.Context(), d, c); err != nil {
				t.Error(err)
			}
		})
	}
}

// fillWith makes a file as large as there is room.
func fillWith(name string) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	for size := 1 << 20; size >= 512; {
		if _, err := f.Write(bytes.Repeat([]byte{1}, size)); err != nil {
			if !errors.Is(err, syscall.ENOSPC) {
				return errors.Join(err, f.Close())
			}
			size /= 2
		}
	}
	return f.Close()
}

// limited runs a case in a process of its own, which limits itself.
func limited(t *testing.T, dir, name string) {
	t.Helper()
	cmd, _, out := child(t, "fullat", dir, name)
	for out.Scan() {
		if reason, ok := strings.CutPrefix(out.Text(), "no limit"); ok {
			t.Skip("not run: no small file system can be made, and the size of files cannot be limited:" + reason)
		}
		t.Error(out.Text())
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
}

// childFullAt runs one case with a limit for the size of files.
func childFullAt(dir, name string) error {
	signal.Ignore(syscall.SIGXFSZ)
	var was syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &was); err != nil {
		say("no limit", err)
		return nil
	}
	limit := func(n uint64) error {
		return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: n, Max: was.Max})
	}
	d := disk{dir: dir, squeeze: func() error { return limit(0) }, free: func() error { return limit(was.Cur) }}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return meetFull(ctx, d, fullCases()[name])
}

// TestFullDiskAtWithALimit runs the cases the other way too, so that it works
// wherever the tests run.
func TestFullDiskAtWithALimit(t *testing.T) {
	t.Parallel()
	for name := range fullCases() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			limited(t, t.TempDir(), name)
		})
	}
}

// TestFullDiskAtSnapshot: a snapshot for which there is no room leaves no file behind,
// casts no doubt on the store, and keeps no write from it.
func TestFullDiskAtSnapshot(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	o := options(t, t.TempDir())
	o.Log = zerolog.New(&log)
	folder := filepath.Join(o.Dir, "snapshots")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := mountSmall(folder, "64k"); err != nil {
		t.Skipf("not run: no small file system can be made: %v", err)
	}
	t.Cleanup(func() {
		if err := unmount(folder); err != nil {
			t.Error(err)
		}
	})
	e, err := local.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	put(t, e, message("a", "1", large()), message("a", "2", large()))
	if _, err := e.Snapshot(t.Context()); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("got %v", err)
	}
	put(t, e, message("a", "3", ""))
	engine.Settle(e.Engine)
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if log.Len() > 0 {
		t.Errorf("logged: %s", &log)
	}
	checkStore(t, o.Dir)
}
