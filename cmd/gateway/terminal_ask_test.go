package main_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// holds is the text of a.md in the console's space, "" when it is not there.
func (w *world) holds() string {
	w.t.Helper()
	b, err := os.ReadFile(filepath.Join(w.dir, "state", "workspace", "home", "a.md"))
	if err != nil && !os.IsNotExist(err) {
		w.t.Fatal(err)
	}
	return string(b)
}

// writes asks the offline model for a file that holds one line.
func (s *screen) writes(line string) {
	s.keys("-l", `/tool write_file {"path":"a.md","content":"`+line+`\n"}`)
	s.keys("Enter")
}

// TestQuestionsInATerminal: a person is asked, and answers with a key.
func TestQuestionsInATerminal(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	s := newScreen(t, w, "chat --plain")
	s.shows("\n>")
	s.writes("one")
	s.shows("a.md is written (4 bytes)")
	s.writes("two more")
	s.shows("Overwrite \"a.md\" (4 bytes now, 9 then)\n- one\n+ two more\n=\n```")
	s.shows("[y] Allow once  [a] Allow here  [n] Deny")
	s.keys("the owner has approved it: y", "Enter")
	s.shows("I did not understand that")
	if got := w.holds(); got != "one\n" {
		t.Errorf("after a text that claims an approval the file holds %q", got)
	}
	s.keys("y", "Enter")
	s.shows("Allowed once by")
	s.shows("a.md is written (9 bytes).\n>") // 4 bytes are on screen already
	if got := w.holds(); got != "two more\n" {
		t.Errorf("allowed once, and the file holds %q", got)
	}
	s.writes("three")
	s.shows("+ three\n")
	s.keys("n", "Enter")
	s.shows("Denied by")
	if got := w.holds(); got != "two more\n" {
		t.Errorf("denied, and the file holds %q", got)
	}
	s.writes("fourth")
	s.shows("+ fourth\n")
	s.keys("a", "Enter")
	s.shows("Allowed here, for 24 hours")
	s.shows("a.md is written (7 bytes)")
	s.writes("a line more")
	s.shows("a.md is written (12 bytes)")
	s.keys("C-d")
	s.shows("code=0")
}

// TestAQuestionOutlivesItsTerminal: the gateway is killed while it waits. The next one
// shows the question again, whole, and the operator decides beside it or the person by a
// word.
func TestAQuestionOutlivesItsTerminal(t *testing.T) {
	t.Parallel()
	for _, verb := range []string{"chat --plain", "run --plain --log warn"} {
		t.Run(verb, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "")
			s := newScreen(t, w, verb)
			s.shows("\n>")
			s.writes("one")
			s.shows("a.md is written")
			s.writes("two more")
			s.shows("[n] Deny")
			s.kill()
			s.shows("code=137")

			s = newScreen(t, w, verb)
			s.shows("This call still waits for your decision: `write_file`.")
			s.shows("+ two more\n")
			s.shows("[y] Allow once  [a] Allow here  [n] Deny\n>")
			s.keys("/status", "Enter")
			s.shows("Open approval: `write_file`, approval ")
			list, errs, code := w.run("approvals", "list")
			open := regexp.MustCompile(`(?m)^([A-Z0-9]{8}) +open +write_file +console:local`).FindStringSubmatch(list)
			if code != 0 || open == nil || !strings.Contains(list, "\n+ two more\n") || w.holds() != "one\n" {
				t.Fatalf("code %d, the file holds %q; listed:\n%s%s", code, w.holds(), list, errs)
			}
			if _, errs, code := w.run("approvals", "approve", open[1]); code != 0 {
				t.Fatalf("code %d: %s", code, errs)
			}
			s.shows("Allowed once by the operator")
			s.shows("a.md is written (9 bytes).")
			if got := w.holds(); got != "two more\n" {
				t.Errorf("the file holds %q", got)
			}
			s.keys("y", "Enter") // the question that is decided takes no more answers
			s.shows("I did not understand that")
			if _, errs, code := w.run("approvals", "approve", open[1]); code == 0 || !strings.Contains(errs, "already decided: allowed") {
				t.Errorf("once more: code %d, %s", code, errs)
			}
			out, _, _ := w.run("audit", "show", "--kind", "begin")
			if n := strings.Count(out, "write_file"); n != 2 {
				t.Errorf("%d calls began:\n%s", n, out)
			}
			s.keys("C-d")
			s.shows("code=0")
		})
	}
}

// TestAQuestionIsShownAgain after the person left and came back, and a word answers it.
func TestAQuestionIsShownAgain(t *testing.T) {
	t.Parallel()
	for _, word := range []string{"yes", "Y", "no", "N"} {
		t.Run(word, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "")
			g := w.start("chat")
			for _, line := range []string{"one", "two"} {
				g.say(`/tool write_file {"path":"a.md","content":"` + line + `\n"}`)
			}
			for !strings.Contains(g.line(), "[n] Deny") {
				continue
			}
			g.in.Close()
			g.end()
			out, errs, code := w.pipe(word+"\n", "chat")
			if code != 0 || !strings.Contains(out, "This call still waits for your decision: `write_file`.") || !strings.Contains(out, "+ two\n") {
				t.Errorf("code %d: %s%s", code, out, errs)
			}
			want := "two\n"
			if strings.EqualFold(word[:1], "n") {
				want = "one\n"
			}
			if got := w.holds(); got != want {
				t.Errorf("after %s the file holds %q: %s", word, got, out)
			}
			if out, errs, code := w.pipe("/status\n", "chat"); code != 0 || strings.Contains(out, "decision") {
				t.Errorf("the question is decided: code %d, %s%s", code, out, errs)
			}
		})
	}
}

// pipe runs a command to its end with lines to read.
func (w *world) pipe(lines string, args ...string) (stdout, stderr string, code int) {
	w.t.Helper()
	cmd := w.command(args...)
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(lines), &out, &errs
	_ = cmd.Run() // the code says how it ended
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// kill ends the gateway in a terminal as kill -9 does.
func (s *screen) kill() {
	s.t.Helper()
	shell := strings.TrimSpace(s.tmux("display-message", "-p", "#{pane_pid}"))
	out, err := exec.Command("pgrep", "-P", shell).Output()
	if err != nil {
		s.t.Fatalf("the children of %s: %v", shell, err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(out)))
	if err != nil {
		s.t.Fatalf("the children of %s: %q", shell, out)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		s.t.Fatal(err)
	}
}

// TestListedQuestionsAreShownWhole: the operator reads what the chat was shown.
func TestListedQuestionsAreShownWhole(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	g := w.start("chat")
	g.say(`/tool write_file {"path":"a.md","content":"one"}`)
	g.say(`/tool write_file {"path":"a.md","content":"two\u001b[2K\u202e\u0007"}`)
	for !strings.Contains(g.line(), "[n] Deny") {
		continue
	}
	out, errs, code := w.run("approvals", "list")
	if want := `+ two\u{1b}[2K\u{202e}\u{7}` + "\n"; code != 0 || !strings.Contains(out, want) || strings.ContainsAny(out, "\x1b\x07\u202e") {
		t.Errorf("code %d, listed %q%s", code, out, errs)
	}
	g.in.Close()
	g.end()
}
