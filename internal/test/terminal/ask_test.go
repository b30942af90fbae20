package terminal_test

import (
	"fmt"
	"strings"
	"syscall"
	"testing"

	"parley/internal/test/terminal"
)

// writes asks the offline model to write a file.
func writes(s *terminal.Terminal, content string) {
	s.Say(fmt.Sprintf(`/tool write_file {"path":"a.md","content":%q}`, content))
}

// keysOf are the keys of an open question.
const keysOf = "? write_file  [y] allow once  [a] allow here for 24 hours  [n] deny  until HH:MM"

// armed waits until the keys of the question answer: they are faint before that.
func armed(s *terminal.Terminal) {
	s.Until("the keys do not answer", s.Colours, func(screen string) bool {
		before, _, ok := strings.Cut(screen, "[y]")
		last := strings.LastIndex(before, "\x1b[")
		return ok && strings.HasPrefix(before[last:], "\x1b[38;5;33m")
	})
}

// TestAKeyAnswersAQuestion, which shows what is lost and gained; a letter in the line answers none.
func TestAKeyAnswersAQuestion(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	s := w.chat(terminal.Options{})
	writes(s, "one\ntwo\n")
	s.Shows("a.md is written (8 bytes).")
	writes(s, "one\nthree\u202e\n")
	s.Ends(`
Allow write_file to overwrite a.md?

  Overwrite "a.md" (8 bytes now, 13 then)
  = one
  - two
  + three\u{202e}
  =

Approval XXXXXXXX, until HH:MM. Only the person who asked or an owner can decide.

? write_file: a.md · waits for your answer

` + keysOf + `
>`)
	shown := s.Colours()
	for _, want := range []string{"\x1b[38;5;160m- two", "\x1b[38;5;34m+ three"} {
		if !strings.Contains(shown, want) {
			t.Errorf("%q is not on screen:\n%q", want, shown)
		}
	}
	s.Type("xy")
	s.Shows("its keys work when the line is empty")
	s.Keys("C-c")
	armed(s)
	s.Keys("n")
	s.Shows("Denied by")
	s.Lacks("[y] allow once")
	if got := w.read("a.md"); got != "one\ntwo\n" {
		t.Errorf("denied, and the file holds %q", got)
	}
	writes(s, "four\n")
	s.Shows(keysOf)
	s.Keys("Escape")
	s.Shows("waits; Esc goes back to it")
	s.Say("yes? what is 6*7?")
	s.Shows("6*7 = 42")
	s.Keys("Escape")
	armed(s)
	s.Keys("y")
	s.Shows("Allowed once by")
	s.Shows("✓ write_file")
	s.Shows("a.md is written (5 bytes).")
	if got := w.read("a.md"); got != "four\n" {
		t.Errorf("allowed, and the file holds %q", got)
	}
	s.Keys("C-d")
	s.Code(0)
}

// TestAQuestionOutlivesAKill: the next console shows it again, and a key answers it.
func TestAQuestionOutlivesAKill(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	s := w.chat(terminal.Options{})
	writes(s, "one\n")
	s.Shows("a.md is written (4 bytes).")
	writes(s, "two\n")
	s.Shows(keysOf)
	s.Signal(syscall.SIGKILL)
	s.Code(137)

	s = w.chat(terminal.Options{})
	s.Shows("This call still waits for your decision: write_file.")
	s.Shows("  - one\n  + two\n")
	s.Shows(keysOf)
	armed(s)
	s.Keys("y")
	s.Shows("a.md is written (4 bytes).")
	if got := w.read("a.md"); got != "two\n" {
		t.Errorf("allowed, and the file holds %q", got)
	}
	s.Keys("C-d")
	s.Code(0)
}

// TestTwoConsolesOnOneGateway show each other's words, and either answers a question.
func TestTwoConsolesOnOneGateway(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	one := w.chat(terminal.Options{})
	two := w.chat(terminal.Options{})
	two.Shows("attached to the gateway that runs")
	one.Type("half a line")
	two.Say("what is 17*23?")
	two.Shows("17*23 = 391")
	one.Shows("» what is 17*23?\n\n✓ calculator: 17*23 · N ms · 391\n\n17*23 = 391")
	one.Ends("> half a line")
	one.Keys("C-c")
	writes(two, "one\n")
	one.Shows("a.md is written (4 bytes).")
	writes(two, "two\n")
	one.Shows(keysOf)
	two.Shows(keysOf)
	armed(one)
	one.Keys("y")
	two.Shows("Allowed once by")
	two.Lacks("[y] allow once")
	two.Shows("a.md is written (4 bytes).")
	two.Keys("C-d")
	two.Code(0)
	one.Say("what is 6*7?")
	one.Shows("6*7 = 42")
	one.Keys("C-d")
	one.Code(0)
}

// TestAReminderComesWhileOneTypes: it stands above the line, and says by what it came.
func TestAReminderComesWhileOneTypes(t *testing.T) {
	t.Parallel()
	s := newWorld(t, nil).chat(terminal.Options{Width: 60, Height: 24})
	s.Say("remind me in 2 seconds to call Ann")
	s.Shows("Ann")
	s.Ends(">")
	const typed = "this is a line of more than one row, in which a person is in the middle"
	s.Type(typed)
	s.Shows("by a schedule:\n")
	s.Ends("> this is a line of more than one row, in which a person\n  is in the middle")
	s.Type("!")
	s.Ends("  is in the middle!")
	s.Keys("C-c", "C-d")
	s.Code(0)
}
