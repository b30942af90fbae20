package main_test

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// screen is a gateway in a terminal of its own.
type screen struct {
	t      *testing.T
	socket string
}

// newScreen starts a command in a terminal; it stays when the command ends.
func newScreen(t *testing.T, w *world, command string) *screen {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("tmux is not installed: the interactive console is not run")
	}
	gateway, err := exec.LookPath("gateway")
	if err != nil {
		t.Fatal(err)
	}
	s := &screen{t: t, socket: filepath.Join(t.TempDir(), "tmux")}
	ended := filepath.Join(t.TempDir(), "ended")
	if err := syscall.Mkfifo(ended, 0o600); err != nil {
		t.Fatal(err)
	}
	end, err := os.OpenFile(ended, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	line := "trap : INT; cd " + w.dir + "; export HOME=" + w.dir + " OLLAMA_HOST=127.0.0.1:1 " +
		strings.Join(w.env, " ") + "; " + gateway + " " + command +
		" --config " + w.config + " 9>" + ended + "; echo code=$?; cat"
	s.tmux("-f", "/dev/null", "new-session", "-d", "-x", "100", "-y", "40", "sh", "-c", line)
	t.Cleanup(func() {
		s.tmux("kill-server")
		defer func() { _ = end.Close() }()
		err := end.SetReadDeadline(time.Now().Add(patience))
		if _, readErr := end.Read(make([]byte, 1)); err != nil || !errors.Is(readErr, io.EOF) { // the gateway's end closes it
			t.Errorf("the gateway does not end with its terminal: %v, %v", err, readErr)
		}
	})
	return s
}

func (s *screen) tmux(args ...string) string {
	s.t.Helper()
	out, err := exec.Command("tmux", append([]string{"-S", s.socket}, args...)...).CombinedOutput()
	if err != nil {
		s.t.Fatalf("tmux %v: %v: %s", args, err, out)
	}
	return string(out)
}

func (s *screen) keys(keys ...string) { s.tmux(append([]string{"send-keys"}, keys...)...) }

// shows waits until the screen holds a text.
func (s *screen) shows(text string) {
	s.t.Helper()
	s.awaits(text, "capture-pane", "-p")
}

// showed waits until the screen holds a text, or has held it: tmux keeps 2,000 lines above.
func (s *screen) showed(text string) {
	s.t.Helper()
	s.awaits(text, "capture-pane", "-p", "-S", "-")
}

func (s *screen) awaits(text string, capture ...string) {
	s.t.Helper()
	deadline := time.After(patience)
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for {
		got := s.tmux(capture...)
		if strings.Contains(got, text) {
			return
		}
		select {
		case <-again.C:
		case <-deadline:
			s.t.Fatalf("%q is not on screen; the last of it:\n%s", text, lastLines(got, 60))
		}
	}
}

// lastLines are the last n lines of a screen.
func lastLines(got string, n int) string {
	lines := strings.Split(strings.TrimRight(got, "\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

func TestInteractiveConsole(t *testing.T) {
	t.Parallel()
	s := newScreen(t, newWorld(t, ""), "chat --plain")
	s.shows("model: offline")
	s.shows("\n>")
	s.keys("what is 17*23?", "Enter")
	s.shows("391")
	s.keys("/tools", "Enter")
	s.shows("`write_file`")
	s.keys("what is \\", "Enter", "6*7?", "Enter")
	s.shows("42")
	s.keys("C-d")
	s.shows("code=0")
}

// TestInterruptStopsThenLeaves: Ctrl-C ends the turn and keeps the console; when it is
// idle, Ctrl-C leaves.
func TestInterruptStopsThenLeaves(t *testing.T) {
	t.Parallel()
	model := newGate(t, "never said")
	s := newScreen(t, newWorld(t, model.URL), "chat --plain")
	s.shows("\n>")
	s.keys("hello", "Enter")
	model.wait(t)
	s.keys("C-c")
	s.shows("Stopped.")
	s.keys("/help", "Enter")
	s.shows("/compact - ")
	s.keys("C-c")
	s.shows("code=130")
}

func TestRunInATerminalHasAConsole(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	s := newScreen(t, w, "run --log debug")
	s.shows("model: offline")
	s.shows("state/parley.log")
	s.keys("what is 17*23?", "Enter")
	s.shows("391")
	w.eventually(t, func() bool {
		log, err := os.ReadFile(filepath.Join(w.dir, "state", "parley.log"))
		return err == nil && strings.Contains(string(log), "INF ready") && strings.Contains(string(log), "INF turn")
	})
	if shown := s.tmux("capture-pane", "-p"); strings.Contains(shown, "INF") || strings.Contains(shown, "DBG") {
		t.Errorf("the log is on the screen:\n%s", shown)
	}
	s.keys("C-d")
	s.shows("code=0")
}
