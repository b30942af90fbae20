package main_test

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestAReaderMayPause: an answer that is read slowly, as by a pager, is whole all the
// same, and does not hold up the gateway or the start of the next one.
func TestAReaderMayPause(t *testing.T) {
	t.Parallel()
	const answer = 400_000
	model := newGate(t, strings.Repeat("a long answer\n", answer/14)+"to the end")
	model.open()
	w := newWorld(t, model.URL)
	g := w.start("chat")
	g.say("hello")
	for !strings.Contains(g.line(), "to the end") {
		continue
	}
	paused := w.paused(t, "sessions", "export")
	paused.letsGoOf(t, w.socket())
	_ = g.in.Close()
	if code := g.end(); code != 0 { // and no process is left to ask
		t.Fatalf("ended with %d: %s", code, g.errs)
	}
	looking := w.paused(t, "sessions", "export")
	looking.letsGoOf(t, filepath.Join(w.dir, "state", "parley.lock"))
	w.chat("again")
	for name, p := range map[string]*pausedReader{"of a running gateway": paused, "of the store": looking} {
		if out, code := p.readOn(t); code != 0 || len(out) < answer || !strings.Contains(out, "to the end") || !strings.HasSuffix(out, "\n") {
			t.Errorf("%s: ended with %d after %d bytes: %s", name, code, len(out), p.errs.String())
		}
	}
}

// pausedReader is a command with an output that is not read yet.
type pausedReader struct {
	cmd  *exec.Cmd
	out  io.Reader
	errs bytes.Buffer
}

// paused starts a command and reads the beginning of its output.
func (w *world) paused(t *testing.T, args ...string) *pausedReader {
	t.Helper()
	p := &pausedReader{cmd: w.command(args...)}
	p.cmd.Stderr = &p.errs
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.out = out
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	first := make([]byte, 1)
	if _, err := io.ReadFull(out, first); err != nil {
		t.Fatalf("nothing is printed: %v, %s", err, p.errs.String())
	}
	return p
}

// letsGoOf waits until the command has closed its socket and the files of the store.
func (p *pausedReader) letsGoOf(t *testing.T, what string) {
	t.Helper()
	folder := "/proc/" + strconv.Itoa(p.cmd.Process.Pid) + "/fd"
	deadline := time.After(patience)
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for {
		open, err := os.ReadDir(folder)
		if err != nil {
			t.Fatal(err)
		}
		held := false
		for _, f := range open {
			at, _ := os.Readlink(filepath.Join(folder, f.Name())) // one that was closed meanwhile leads nowhere
			held = held || strings.HasPrefix(at, "socket:") || strings.HasPrefix(at, filepath.Dir(what)+"/")
		}
		if !held {
			return
		}
		select {
		case <-again.C:
		case <-deadline:
			t.Fatalf("the command holds %s while nobody reads", what)
		}
	}
}

// readOn reads the rest.
func (p *pausedReader) readOn(t *testing.T) (string, int) {
	t.Helper()
	late := time.AfterFunc(patience, func() { _ = p.cmd.Process.Signal(syscall.SIGKILL) })
	defer late.Stop()
	rest, err := io.ReadAll(p.out)
	if err != nil {
		t.Error(err)
	}
	_ = p.cmd.Wait() // the code says how it ended
	return string(rest), p.cmd.ProcessState.ExitCode()
}
