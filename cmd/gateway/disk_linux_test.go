package main_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// mountState puts a small file system where the state folder will be.
func mountState(t *testing.T, w *world) string {
	t.Helper()
	dir := filepath.Join(w.dir, "state")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	mountAt(t, dir)
	return dir
}

// mountAt puts a small file system over a folder.
func mountAt(t *testing.T, dir string) {
	t.Helper()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=4m,mode=0700"); err != nil {
		t.Skipf("only root can mount a small file system: a full disk is not tried: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
}

// fill leaves no room in a folder; the returned function makes it again.
func fill(t *testing.T, dir string) func() {
	t.Helper()
	path := filepath.Join(dir, "filler")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(f, zeros{}); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("the disk is not full: %v", err)
	}
	_ = f.Close()
	return func() {
		if err := os.Remove(path); err != nil {
			t.Error(err)
		}
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

// TestAFullDiskIsToldInAPipedChat: an answer that cannot be stored ends the command
// with the reason, and the next start gives it.
func TestAFullDiskIsToldInAPipedChat(t *testing.T) {
	t.Parallel()
	model := newGate(t, strings.Repeat("a long answer\n", 20_000)+"to the end")
	w := newWorld(t, model.URL)
	dir := mountState(t, w)
	g := w.start("chat")
	g.say("hello")
	model.wait(t)
	makeRoom := fill(t, dir)
	model.open()
	g.errs.wait(t, "the store cannot be written")
	if code := g.end(); code != 1 ||
		!strings.Contains(g.errs.String(), "no space left on device; unanswered messages wait, and the next start answers them") {
		t.Errorf("ended with %d: %s", code, g.errs)
	}
	makeRoom()
	next := w.start("chat")
	for !strings.Contains(next.line(), "to the end") { // an end of the input may come before the turn begins
		continue
	}
	_ = next.in.Close()
	if code := next.end(); code != 0 {
		t.Errorf("the next start ended with %d: %s", code, next.errs)
	}
	if out, _, _ := w.run("sessions", "export"); !strings.Contains(out, "to the end") || strings.Count(out, `"role":"user"`) != 1 {
		t.Errorf("after the next start the conversation is %.300s", out)
	}
}

// TestAFullDiskIsToldOnATerminal: the person is told at once, and answered once there
// is room.
func TestAFullDiskIsToldOnATerminal(t *testing.T) {
	t.Parallel()
	model := newGate(t, strings.Repeat("long ", 30_000)+"to the end") // all of it fits into what tmux keeps
	w := newWorld(t, model.URL)
	dir := mountState(t, w)
	s := newScreen(t, w, "chat --plain")
	s.shows("\n>")
	s.keys("hello", "Enter")
	model.wait(t)
	makeRoom := fill(t, dir)
	model.open()
	s.showed("[the store cannot be written") // the answer may come below it
	makeRoom()
	s.shows("to the end")
}

// TestAStateFolderThatCannotBeWritten ends with the cure, whatever is tried first.
func TestAStateFolderThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	dir := mountState(t, w)
	g := w.start("chat")
	g.ready()
	_ = g.in.Close()
	if code := g.end(); code != 0 {
		t.Fatalf("ended with %d: %s", code, g.errs)
	}
	if err := syscall.Mount("", dir, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"chat"},
		{"tool", "call", "calculator", `{"expression":"1"}`},
		{"jobs", "run", "x"},
		{"store", "snapshot"},
		{"store", "release"},
	} {
		_, stderr, code := w.run(args...)
		if code != 2 || !strings.Contains(stderr,
			"state cannot be written (read-only file system); make it writable for this user, or name another one as state_dir") {
			t.Errorf("%v: %d %s", args, code, stderr)
		}
	}
	for _, args := range [][]string{{"sessions", "list"}, {"jobs", "list"}, {"store", "check"}, {"audit", "verify"}} { // looks
		if out, stderr, code := w.run(args...); code != 0 {
			t.Errorf("%v: %d %s%s", args, code, out, stderr)
		}
	}
	if out, stderr, code := w.run("status"); code != 1 || !strings.Contains(out, "state cannot be written (read-only file system)") {
		t.Errorf("status: %d %s%s", code, out, stderr)
	}
}

// TestARestoreThatFailsLeavesTheStore as it was: also where there is no room for the
// restored one, and where the snapshot is the store itself.
func TestARestoreThatFailsLeavesTheStore(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	dir := mountState(t, w)
	w.chat("what is 2*3?")
	snap := filepath.Join(w.dir, "saved.db")
	b, err := os.ReadFile(w.snapshot())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(snap, b, 0o600); err != nil {
		t.Fatal(err)
	}
	w.chat("what is 17*23?")
	makeRoom := fill(t, dir)
	_, stderr, code := w.run("store", "restore", snap)
	if code != 2 || !strings.Contains(stderr, "is full") || !strings.Contains(stderr, "make room there") {
		t.Errorf("on a full disk: %d %s", code, stderr)
	}
	makeRoom()
	if got := w.stored(); !strings.Contains(got, "17*23") {
		t.Errorf("after a restore that failed the store has %s", got)
	}
	if out, stderr, code := w.run("store", "restore", filepath.Join(dir, "parley.db")); code != 0 {
		t.Errorf("from the store itself: %d %s%s", code, out, stderr)
	}
	if got := w.stored(); !strings.Contains(got, "17*23") {
		t.Errorf("after the restore from itself the store has %s", got)
	}
}
