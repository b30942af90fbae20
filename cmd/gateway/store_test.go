package main_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestStoreCheckOfARunningGateway: the check reads all of the store, finds its faults,
// and takes no snapshot's place.
func TestStoreCheckOfARunningGateway(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	g := w.start("chat")
	g.say("what is 17*23?")
	g.line()
	g.ready()
	if out, stderr, code := w.run("store", "check"); code != 0 || !strings.Contains(out, " 0 set aside") {
		t.Errorf("a whole store: %d %s%s", code, out, stderr)
	}
	var r struct {
		Running bool
		PID     int
		Model   string
	}
	out, _, code := w.run("status", "--json")
	if err := json.Unmarshal([]byte(out), &r); err != nil || code != 0 || !r.Running || r.PID != g.cmd.Process.Pid || r.Model != "offline" {
		t.Errorf("status: %d %v %s", code, err, out)
	}

	path := filepath.Join(w.dir, "state", "parley.db")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for at := 0; ; {
		i := bytes.Index(b[at:], []byte("17*23"))
		if i < 0 {
			break
		}
		if _, err := f.WriteAt([]byte("17*24"), int64(at+i)); err != nil {
			t.Fatal(err)
		}
		at += i + 1
	}
	if out, stderr, code := w.run("store", "check"); code != 1 ||
		!strings.Contains(out, "problem: ") || !strings.Contains(stderr, "problems, the first: ") {
		t.Errorf("a damaged record: %d %s%s", code, out, stderr)
	}
	for _, name := range []string{"parley.db.check", "snapshots"} {
		if _, err := os.Lstat(filepath.Join(w.dir, "state", name)); !os.IsNotExist(err) {
			t.Errorf("%s is left by a look: %v", name, err)
		}
	}
	_ = g.in.Close()
	g.end()
}

// stored is the console's conversation in the store of a stopped gateway.
func (w *world) stored() string {
	w.t.Helper()
	out, stderr, code := w.run("sessions", "export")
	if code != 0 {
		w.t.Errorf("sessions export: %d %s", code, stderr)
	}
	return out
}

// snapshot makes a snapshot and returns its path.
func (w *world) snapshot() string {
	w.t.Helper()
	out, stderr, code := w.run("store", "snapshot")
	_, path, ok := strings.Cut(strings.TrimSpace(out), "the snapshot is ")
	if code != 0 || !ok {
		w.t.Fatalf("store snapshot: %d %s%s", code, out, stderr)
	}
	return path
}

// chat says one thing to a gateway that is started for it.
func (w *world) chat(text string) {
	w.t.Helper()
	g := w.start("chat")
	g.say(text)
	_ = g.in.Close()
	if code := g.end(); code != 0 {
		w.t.Fatalf("ended with %d: %s", code, g.errs)
	}
}

// TestRestoreBesideARunningGateway is refused without effect.
func TestRestoreBesideARunningGateway(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	w.chat("what is 2*3?")
	snap := w.snapshot()
	g := w.start("chat")
	g.say("what is 17*23?")
	for !strings.Contains(g.line(), "391") {
		continue
	}
	g.ready()
	_, stderr, code := w.run("store", "restore", snap)
	if code != 3 || !strings.Contains(stderr, "another instance uses this state directory: ") || !strings.Contains(stderr, "stop it first") {
		t.Errorf("beside a gateway: %d %s", code, stderr)
	}
	w.snapshot() // the running gateway makes it
	g.say("what is 6*7?")
	for !strings.Contains(g.line(), "42") {
		continue
	}
	_ = g.in.Close()
	if code := g.end(); code != 0 {
		t.Errorf("ended with %d: %s", code, g.errs)
	}
	if got := w.stored(); !strings.Contains(got, "391") || !strings.Contains(got, "6*7") {
		t.Errorf("the store has %s", got)
	}
	if left, _ := filepath.Glob(filepath.Join(w.dir, "state", "parley.db?*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// TestTwoRestoresAtOnce: one after the other, or one is refused; the former store is
// kept under a name that does not call it damaged.
func TestTwoRestoresAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	w.chat("what is 2*3?")
	snap := w.snapshot()
	w.chat("what is 17*23?")
	both := make(chan int, 2)
	for range 2 {
		go func() {
			cmd := w.command("store", "restore", snap)
			_ = cmd.Run() // the code says how it ended
			both <- cmd.ProcessState.ExitCode()
		}()
	}
	good := 0
	for range 2 {
		switch code := <-both; code {
		case 0:
			good++
		case 3:
		default:
			t.Errorf("a restore ended with %d", code)
		}
	}
	kept, _ := filepath.Glob(filepath.Join(w.dir, "state", "parley.db?*"))
	replaced, _ := filepath.Glob(filepath.Join(w.dir, "state", "parley.db.replaced-*"))
	if good == 0 || len(replaced) != good || len(kept) != good {
		t.Fatalf("%d restores, and beside the store are %q", good, kept)
	}
	if _, stderr, code := w.run("store", "release"); code != 0 {
		t.Errorf("store release: %d %s", code, stderr)
	}
	if out, stderr, code := w.run("store", "check"); code != 0 {
		t.Errorf("store check: %d %s%s", code, out, stderr)
	}
	if got := w.stored(); !strings.Contains(got, "2*3") || strings.Contains(got, "17*23") {
		t.Errorf("the restored store has %s", got)
	}
	if b, err := os.ReadFile(replaced[0]); err != nil || !bytes.Contains(b, []byte("17*23")) {
		t.Errorf("the store that was replaced is not kept: %v", err)
	}
}

// TestARestoreThatIsKilled leaves a whole store in place: the one before, or the
// restored one.
func TestARestoreThatIsKilled(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	w.chat("what is 2*3? " + strings.Repeat("and ", 100_000)) // copying it takes a moment
	snap := w.snapshot()
	w.chat("what is 17*23?")
	cmd := w.command("store", "restore", snap)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { defer close(ended); _ = cmd.Wait() }() // how it ended shows in the folder
	for set := false; !set; {
		aside, _ := filepath.Glob(filepath.Join(w.dir, "state", "parley.db.[dr]*-*"))
		select {
		case <-ended:
			set = true
		default:
			set = len(aside) > 0
		}
	}
	_ = cmd.Process.Kill() // it may have ended by itself
	<-ended
	if _, err := os.Lstat(filepath.Join(w.dir, "state", "parley.db")); err != nil {
		t.Errorf("no store is in place: %v", err)
	}
	out, stderr, code := w.run("store", "check")
	if strings.Contains(out, "problem") || code != 0 && !strings.Contains(out, "\nheld: the operator restored the store") {
		t.Errorf("store check: %d %s%s", code, out, stderr)
	}
	if got := w.stored(); !strings.Contains(got, "2*3") {
		t.Errorf("the store has %.300s", got)
	}
}
