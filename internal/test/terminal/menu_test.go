package terminal_test

import (
	"testing"

	"parley/internal/test/terminal"
)

// TestMenusComplete commands and files, and name what was perhaps meant without asking the model.
func TestMenusComplete(t *testing.T) {
	t.Parallel()
	m := newModel(t)
	w := newWorld(t, m)
	w.write("notes/plan.txt", "the plan")
	w.write("notes/other.txt", "x")
	s := w.chat(terminal.Options{})
	s.Type("/co")
	s.Shows("▸ /compact")
	s.Shows("  /copy [code]")
	s.Keys("Down", "Tab")
	s.Ends("> /copy\n▸ code")
	s.Keys("C-c")
	s.Type("/hlep")
	s.Keys("Enter")
	s.Shows("There is no command /hlep. Did you mean /help?")
	s.Keys("Tab")
	s.Ends("> /help")
	s.Keys("Enter")
	s.Shows("/compact")
	s.Type("read @no")
	s.Ends("> read @no\n▸ notes/")
	s.Keys("Tab")
	s.Ends("▸ other.txt  1 byte\n  plan.txt   8 bytes")
	s.Keys("Down", "Tab")
	s.Type("please")
	s.Ends("> read @notes/plan.txt please")
	s.Keys("Enter")
	r := m.next()
	r.says("Read it.")
	r.ends()
	s.Ends("Read it.\n\n>")
	if got := w.read("inbox/plan.txt"); got != "the plan" {
		t.Errorf("the file is %q", got)
	}
	s.Keys("C-d")
	s.Code(0)
}
