package e2e_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"parley/internal/test/fakemodel"
)

// TestALargeCallIsNoLossOfMemory has the real gateway go on after a call with arguments
// that alone are more than a request carries, and make a summary then.
func TestALargeCallIsNoLossOfMemory(t *testing.T) {
	t.Parallel()
	large := strings.Repeat("a line of a long file\\n", 5000)
	w := newWorld(t, func(req fakemodel.Request) fakemodel.Answer {
		said := persons(req)
		switch text := lastUser(req); {
		case strings.HasPrefix(text, "Summarise"):
			return fakemodel.Say("the summary of " + said[0])
		case text == "write it" && len(results(req)) == 0:
			return fakemodel.Call("effect", `{"text":"`+large+`"}`)
		case text == "what was first?":
			for i := range req.Messages {
				for _, c := range req.Messages[i].ToolCalls {
					if !json.Valid([]byte(c.RawArguments)) || !strings.Contains(c.RawArguments, "left out of this history") {
						return fakemodel.Say(fmt.Sprintf("the call reads %.100q", c.RawArguments))
					}
				}
			}
			return fakemodel.Say(strings.Join(said, ", "))
		}
		return fakemodel.Say("fine")
	}, settings{})
	w.say("chat", "my name is Ada")
	w.expect("chat", 1, "fine")
	w.say("chat", "write it")
	w.expect("chat", 2, "fine")
	w.say("chat", "what was first?")
	w.expect("chat", 3, "my name is Ada, write it, what was first?")
	w.say("chat", "/compact")
	w.expect("chat", 4, "Done. This summary replaces the conversation:\n\nthe summary of my name is Ada")
}

// TestTheSystemPromptOutlastsItsFile takes AGENT.md away in several ways while the
// gateway runs.
func TestTheSystemPromptOutlastsItsFile(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(req fakemodel.Request) fakemodel.Answer {
		rules, _, _ := strings.Cut(req.Messages[0].Content, "\n")
		return fakemodel.Say(rules)
	}, settings{})
	name := filepath.Join(w.gw.Dir, "workspace", "AGENT.md")
	next := name + ".next"
	put := func(make func() error) {
		t.Helper()
		if err := errors.Join(make(), os.Rename(next, name)); err != nil {
			t.Fatal(err)
		}
	}
	file := func(text string) func() error {
		return func() error { return os.WriteFile(next, []byte(text), 0o600) }
	}
	trouble := func() string {
		out, _ := w.gw.Command(w.ctx, nil, "status").CombinedOutput() // trouble is an exit code, too
		return string(out)
	}
	w.say("chat", "hello")
	w.told("chat", 1) // the gateway has made its workspace
	put(file("the first rules"))
	w.say("chat", "hello")
	w.expect("chat", 2, "the first rules")
	n := 2
	for what, take := range map[string]func(){
		"missing":      func() { _ = os.Remove(name) },
		"is empty":     func() { put(file(" \n")) },
		"regular file": func() { put(func() error { return syscall.Mkfifo(next, 0o600) }) },
	} {
		take()
		w.say("chat", "hello")
		n++
		w.expect("chat", n, "the first rules")
		if got := trouble(); !strings.Contains(got, what) {
			t.Errorf("%s: the status does not say so: %s", what, got)
		}
	}
	put(file("the second rules"))
	w.say("chat", "hello")
	w.expect("chat", n+1, "the second rules")
	if got := trouble(); strings.Contains(got, "trouble") {
		t.Errorf("the trouble is over, and the status says %s", got)
	}
	log, err := os.ReadFile(w.gw.LogPath())
	if err != nil || strings.Count(string(log), "AGENT.md cannot be used; its last good text goes on") != 3 {
		t.Errorf("the log has not three lines of it, %v", err)
	}
}
