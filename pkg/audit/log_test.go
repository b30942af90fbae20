package audit_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"parley/pkg/audit"
)

func TestRowsAreKept(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "audit")
	at := time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)
	l := open(t, audit.Options{Dir: dir, Now: func() time.Time { return at }, Redact: func(s string) string {
		return strings.ReplaceAll(s, "hunter2", "[redacted]")
	}})
	full := audit.Row{
		Kind: audit.KindRefused, Channel: "telegram", Account: "a", Chat: "42", Thread: "7", Sender: "9",
		Tool: "tool\x1b[2J", Call: "hunter2", Turn: "t", Outcome: "busy", Detail: "hunter2 " + strings.Repeat("é", 400) + "\xff",
	}
	if err := l.Append(full); err != nil {
		t.Fatal(err)
	}
	if err := l.AppendSync(t.Context(), audit.Row{Kind: audit.KindStop, Time: at.Add(time.Hour)}); err != nil {
		t.Fatal(err)
	}
	closeLog(t, l)
	closeLog(t, l)
	if err := l.Append(full); !errors.Is(err, audit.ErrClosed) {
		t.Errorf("after the end: %v", err)
	}
	if err := l.AppendSync(t.Context(), full); !errors.Is(err, audit.ErrClosed) {
		t.Errorf("after the end: %v", err)
	}

	rows := all(t, dir)
	first := full
	first.Seq, first.Time, first.Call, first.Prev, first.Hash = 1, at, "[redacted]", strings.Repeat("0", 64), rows[0].Hash
	first.Detail = "[redacted] " + strings.Repeat("é", 144) + "…"
	second := audit.Row{Seq: 2, Kind: audit.KindStop, Time: at.Add(time.Hour), Prev: rows[0].Hash, Hash: rows[1].Hash}
	if diff := cmp.Diff([]audit.Row{first, second}, rows); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if r := good(t, dir); r.Rows != 2 || r.Last != 2 || r.LastHash != rows[1].Hash || r.Unfinished || r.OwnTroubles != 0 {
		t.Errorf("%+v", r)
	}
	for _, path := range append(segmentsOf(t, dir), filepath.Join(dir, "head")) {
		if info, err := os.Stat(path); err != nil || info.Mode() != 0o600 {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder: %v, %v", info.Mode(), err)
	}
}

func TestChainGoesOnOverSegmentsAndStarts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if r := good(t, dir); r.Rows != 0 {
		t.Fatalf("an empty folder: %+v", r)
	}
	for start := range 5 {
		fill(t, audit.Options{Dir: dir, SegmentBytes: 1 << 10}, start*10+1, start*10+10)
	}
	if r := good(t, dir); r.Rows != 50 || r.First != 1 || r.Last != 50 || r.Segments < 5 || r.OwnTroubles != 0 {
		t.Errorf("%+v", r)
	}
	r, err := audit.Verify(t.Context(), dir, 37)
	if err != nil || r.Rows != 14 || r.First != 37 {
		t.Errorf("from 37: %+v, %v", r, err)
	}
	if _, err := audit.Verify(t.Context(), dir, 51); err == nil {
		t.Error("a row that is not there is good")
	}
}

// TestManyWritersAndAReader: the log is verified while it is written.
func TestManyWritersAndAReader(t *testing.T) {
	t.Parallel()
	const writers, each = 16, 50
	dir := t.TempDir()
	l := open(t, audit.Options{Dir: dir, SegmentBytes: 8 << 10})
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := range each {
				r := row(w*each + i)
				if i%10 == 0 {
					if err := l.AppendSync(t.Context(), r); err != nil {
						t.Error(err)
					}
				} else if err := l.Append(r); err != nil {
					t.Error(err)
				}
			}
		})
	}
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	for looking := true; looking; {
		select {
		case <-done:
			looking = false
		default:
			if _, err := audit.Verify(t.Context(), dir, 0); err != nil {
				t.Error(err)
				looking = false
			}
		}
	}
	<-done
	closeLog(t, l)
	seen := map[string]bool{}
	for _, r := range all(t, dir) {
		seen[r.Call] = true
	}
	if len(seen) != writers*each {
		t.Errorf("%d rows of %d", len(seen), writers*each)
	}
	if r := good(t, dir); r.Rows != writers*each {
		t.Errorf("%+v", r)
	}
}

// TestFirstRowWhileSomebodyLooks: the head comes before the first segment, and a
// reader in between sees neither a log nor a broken one.
func TestFirstRowWhileSomebodyLooks(t *testing.T) {
	t.Parallel()
	for range 300 {
		dir := t.TempDir()
		l := open(t, audit.Options{Dir: dir})
		written := make(chan error, 1)
		go func() { written <- l.AppendSync(t.Context(), row(1)) }()
		for looking := true; looking; {
			select {
			case err := <-written:
				if err != nil {
					t.Fatal(err)
				}
				looking = false
			default:
				if _, err := audit.Verify(t.Context(), dir, 0); err != nil {
					t.Fatal(err)
				}
			}
		}
		closeLog(t, l)
	}
}

// TestRowsAreSyncedWithinASecond: the head names a row that is surely on the disk.
func TestRowsAreSyncedWithinASecond(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		l := open(t, audit.Options{Dir: dir})
		if err := l.Append(row(1)); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if head := read(t, filepath.Join(dir, "head")); !strings.Contains(head, `"seq":                   0,`) {
			t.Errorf("at once: %s", head)
		}
		<-time.After(time.Second)
		synctest.Wait()
		if head := read(t, filepath.Join(dir, "head")); !strings.Contains(head, `"seq":                   1,`) {
			t.Errorf("after a second: %s", head)
		}
		closeLog(t, l)
	})
}

func TestKillLosesNoAwaitedRow(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	awaited := map[string]bool{}
	for range 5 {
		cmd := exec.CommandContext(t.Context(), os.Args[0], childWord, dir)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for n := 0; lines.Scan(); n++ {
			awaited[lines.Text()] = true
			if n == 30 {
				_ = cmd.Process.Kill()
			}
		}
		_ = cmd.Wait()
		if _, err := audit.Verify(t.Context(), dir, 0); err != nil {
			t.Fatalf("after the kill: %v", err)
		}
	}
	fill(t, audit.Options{Dir: dir}, 1, 1)
	good(t, dir)
	begun := map[string]int{}
	for _, r := range all(t, dir) {
		if r.Kind == audit.KindBegin {
			begun[r.Call]++
		}
	}
	if len(awaited) < 31 {
		t.Fatalf("only %d rows were awaited", len(awaited))
	}
	for call := range awaited {
		if begun[call] == 0 {
			t.Errorf("%s is lost", call)
		}
	}
}

// TestTornRowIsSetAside cuts the last row at many places, as a crash may.
func TestTornRowIsSetAside(t *testing.T) {
	t.Parallel()
	whole := t.TempDir()
	fill(t, audit.Options{Dir: whole}, 1, 3)
	text := read(t, segmentsOf(t, whole)[0])
	head := read(t, filepath.Join(whole, "head"))
	two := strings.LastIndex(strings.TrimSuffix(text, "\n"), "\n") + 1
	for _, torn := range []string{text[two : two+1], text[two : len(text)-1], strings.Repeat("\x00", 100_000), strings.Repeat("x", 70_000)} {
		dir := t.TempDir()
		path := filepath.Join(dir, filepath.Base(segmentsOf(t, whole)[0]))
		write(t, path, text+torn)
		write(t, filepath.Join(dir, "head"), head)
		if r := good(t, dir); !r.Unfinished || r.Rows != 3 {
			t.Errorf("before the start: %+v", r)
		}
		fill(t, audit.Options{Dir: dir}, 4, 4)
		rows := all(t, dir)
		if len(rows) != 5 || rows[3].Kind != audit.KindAudit || rows[3].Outcome != "torn" || rows[4].Call != "call-4" {
			t.Fatalf("%d bytes: %+v", len(torn), rows[3:])
		}
		if r := good(t, dir); r.OwnTroubles != 1 || r.Unfinished {
			t.Errorf("%+v", r)
		}
		aside, err := filepath.Glob(filepath.Join(dir, "torn-*"))
		if err != nil || len(aside) != 1 || read(t, aside[0]) != torn {
			t.Errorf("set aside: %v, %v", aside, err)
		}
	}
}

// blocked holds the log's writers until it is released.
type blocked struct{ entered, leave chan struct{} }

func (b *blocked) Write(p []byte) (int, error) {
	select {
	case b.entered <- struct{}{}:
	default:
	}
	<-b.leave
	return len(p), nil
}

// TestFullQueueDropsAndSaysSo holds the writer in a failure that it reports.
func TestFullQueueDropsAndSaysSo(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "audit")
	b := &blocked{entered: make(chan struct{}, 1), leave: make(chan struct{})}
	l := open(t, audit.Options{Dir: dir, Log: zerolog.New(b)})
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	if err := l.Append(row(0)); err != nil {
		t.Fatal(err)
	}
	<-b.entered
	const queue = 1024
	for i := range queue {
		if err := l.Append(row(i)); err != nil {
			t.Fatalf("row %d: %v", i, err)
		}
	}
	for range 3 {
		if err := l.Append(row(0)); !errors.Is(err, audit.ErrFull) {
			t.Fatalf("got %v", err)
		}
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := l.AppendSync(gone, row(0)); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	close(b.leave)
	closeLog(t, l)
	rows := all(t, dir)
	if len(rows) != queue+2 || rows[0].Outcome != "lost" || !strings.HasPrefix(rows[0].Detail, "4 rows before this one were not written") {
		t.Errorf("%d rows; the first is %+v", len(rows), rows[0])
	}
	good(t, dir)
}

// TestFullDisk: every write to the device fails as on a full disk.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	segment := filepath.Join(dir, fmt.Sprintf("%020d.jsonl", 1))
	if err := os.Symlink("/dev/full", segment); err != nil {
		t.Fatal(err)
	}
	l := open(t, audit.Options{Dir: dir})
	for i := range 3 {
		if err := l.AppendSync(t.Context(), row(i)); err == nil || !strings.Contains(err.Error(), "no space") {
			t.Fatalf("got %v", err)
		}
		if err := l.Append(row(i)); err != nil {
			t.Fatalf("a row that nobody waits for: %v", err)
		}
	}
	if l.Err() == nil {
		t.Error("nobody can see that the log cannot be written")
	}
	if err := os.Remove(segment); err != nil { // there is room again
		t.Fatal(err)
	}
	if err := l.AppendSync(t.Context(), row(4)); err != nil {
		t.Fatal(err)
	}
	if err := l.Err(); err != nil {
		t.Errorf("still in trouble: %v", err)
	}
	closeLog(t, l)
	rows := all(t, dir)
	if len(rows) != 2 && len(rows) != 3 || rows[0].Outcome != "lost" ||
		!strings.Contains(rows[0].Detail, "no space") || rows[len(rows)-1].Call != "call-4" {
		t.Errorf("%+v", rows)
	}
	good(t, dir)
}
