package main_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestStoreCheckOfARunningGateway: the check reads all that is stored, finds what is
// wrong with it, and takes no snapshot's place.
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
	if out, stderr, code := w.run("store", "check"); code != 1 || !strings.Contains(out, "problem: ") || !strings.Contains(stderr, "problems, the first: ") {
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
