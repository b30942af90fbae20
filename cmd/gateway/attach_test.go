package main_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// TestTwoConsolesShareAConversation: both show what one of them says, and either answers a
// question.
func TestTwoConsolesShareAConversation(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	first := newScreen(t, w, "chat --plain")
	first.shows("\n>")
	second := newScreen(t, w, "chat --plain")
	second.shows("attached to the gateway that runs")
	second.shows("\n>")
	first.keys("what is 17*23?", "Enter")
	second.shows("[another console: what is 17*23?]")
	second.shows("391")
	second.writes("one")
	first.shows("a.md is written")
	second.writes("three")
	first.shows("[n] Deny")
	second.shows("[n] Deny")
	first.keys("y", "Enter")
	second.shows("Allowed once by")
	second.shows("a.md is written (6 bytes)")
	if got := w.holds(); got != "three\n" {
		t.Errorf("the file holds %q", got)
	}
	out, _, _ := w.run("audit", "show")
	if n := strings.Count(out, fmt.Sprintf("attached  console:local  uid/%d", os.Getuid())); n != 2 {
		t.Errorf("%d consoles are in the audit log:\n%s", n, out)
	}
	second.keys("C-d")
	second.shows("code=0")
	first.keys("what is 6*7?", "Enter")
	first.shows("42")
	first.keys("C-d")
	first.shows("code=0")
}

// TestMessagesThatShareATurn are all shown on the other console.
func TestMessagesThatShareATurn(t *testing.T) {
	t.Parallel()
	model := newGate(t, "all of it")
	w := newWorld(t, model.URL)
	first := newScreen(t, w, "chat --plain")
	first.shows("\n>")
	second := newScreen(t, w, "chat --plain")
	second.shows("\n>")
	first.keys("the first", "Enter")
	model.wait(t)
	second.shows("[another console: the first]")
	second.keys("the second", "Enter")
	second.keys("the third", "Enter")
	w.eventually(t, func() bool {
		out, _, _ := w.run("status")
		return strings.Contains(squeezed(out), "waiting 3")
	})
	model.open()
	first.shows("[another console: the second]")
	first.shows("[another console: the third]")
	for _, s := range []*screen{second, first} {
		s.keys("C-d")
		s.shows("code=0")
	}
}

// TestAsksInOneConversation: each question of several at once has its own answer, and no other.
func TestAsksInOneConversation(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	g := w.start("run")
	g.ready()
	w.run("ask", "--session", "sums", "hello") // the offline model says who it is once
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			out, errs, code := w.run("ask", "--session", "sums", fmt.Sprintf("what is %d*100?", i+1))
			if want := fmt.Sprintf("%d*100 = %d00", i+1, i+1); strings.TrimSpace(out) != want || code != 0 {
				t.Errorf("code %d: %q, want %q: %s", code, out, want, errs)
			}
		})
	}
	all.Wait()
	g.interrupt()
}

// TestWrongUsageOfConversations is wrong usage, also where two flags exclude each other.
func TestWrongUsageOfConversations(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	for _, verb := range []string{"chat", "ask"} {
		if _, errs, code := w.run(verb, "--session", "a", "--new"); code != 2 {
			t.Errorf("%s: code %d, %s", verb, code, errs)
		}
	}
}

// TestAPipeIsNoFile: a named pipe without a writer is refused, and not waited for.
func TestAPipeIsNoFile(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	path := filepath.Join(w.dir, "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, errs, code := w.run("ask", "-f", path, "hello"); code != 2 || !strings.Contains(errs, "it is no file") {
		t.Errorf("code %d, %s", code, errs)
	}
}

// TestAskOnce prints the answer, with and without a gateway that runs.
func TestAskOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	ask := func(args ...string) string {
		t.Helper()
		out, errs, code := w.run(append([]string{"ask"}, args...)...)
		if code != 0 {
			t.Errorf("%q: code %d, %s%s", args, code, out, errs)
		}
		return out
	}
	all := func(when string) {
		t.Helper()
		if out := ask("what", "is", "17*23?"); !strings.HasPrefix(out, "17*23 = 391\n") {
			t.Errorf("%s: %q", when, out)
		}
		var answer struct {
			Chat     string
			Messages []string
		}
		raw := ask("--json", "--session", "sums", "what is 6*7?")
		if err := json.Unmarshal([]byte(raw), &answer); err != nil || answer.Chat != "sums" || len(answer.Messages) != 1 {
			t.Errorf("%s: %q: %v", when, raw, err)
		}
		file := filepath.Join(w.dir, "note.txt")
		if err := os.WriteFile(file, []byte("a note"), 0o600); err != nil {
			t.Fatal(err)
		}
		if out := ask("-f", file, "what is 1+1?"); !strings.Contains(out, "note.txt") {
			t.Errorf("%s: %q", when, out)
		}
		_, errs, code := w.run("ask", "--session", "a b", "hello")
		if code != 2 || !strings.Contains(errs, "name a conversation") {
			t.Errorf("%s: code %d, %s", when, code, errs)
		}
		_, errs, code = w.run("ask", "-f", filepath.Join(w.dir, "no.txt"), "hello")
		if code != 2 || !strings.Contains(errs, "no.txt") {
			t.Errorf("%s: code %d, %s", when, code, errs)
		}
	}
	all("without a gateway")
	g := w.start("run")
	g.ready()
	all("beside one")
	if out, _, _ := w.run("sessions", "list"); strings.Count(out, "console:sums") != 1 {
		t.Errorf("the conversation goes on:\n%s", out)
	}
	g.interrupt()
}

// TestManyConsolesComeAndGo beside each other, and each gets its answers once.
func TestManyConsolesComeAndGo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	g := w.start("run")
	g.ready()
	var all sync.WaitGroup
	for i := range 50 {
		all.Go(func() {
			lines := fmt.Sprintf("what is %d*1000?\nwhat is %d*1001?\n", i, i)
			out, errs, code := w.pipe(lines, "chat", "--session", fmt.Sprintf("c%d", i))
			for _, want := range []string{fmt.Sprintf("%d*1000 = ", i), fmt.Sprintf("%d*1001 = ", i)} {
				if code != 0 || strings.Count("\n"+out, "\n"+want) != 1 {
					t.Errorf("console %d: code %d, %q is not there once: %s%s", i, code, want, out, errs)
				}
			}
		})
	}
	all.Wait()
	g.interrupt()
	if out, errs, code := w.run("store", "check"); code != 0 {
		t.Errorf("code %d: %s%s", code, out, errs)
	}
}
