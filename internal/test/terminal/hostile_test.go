package terminal_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"unicode"

	"parley/internal/test/terminal"
)

// hostile holds sequences of a clipboard, a link, a title, a question back to the terminal and colours,
// and marks that reorder text.
const hostile = "\x1b]52;c;b3duZWQ=\x07 \x1b]8;;http://evil.example\x1b\\ \x1b]2;owned\x07 \x1b[5n \x1bP+q544e\x1b\\ \u009b2J " +
	"\u202egnp.exe \u2066x\u2069 \x0e\r\b"

// ours are the sequences that the console writes itself: colours, links of the web, the cursor, and
// what it clears.
var ours = regexp.MustCompile(`\x1b\[[0-9;:]*[mAB]|\x1b\[[KJ]|\x1b\[\?(2026|25|7|2004)[hl]|\x1b\[>4(;2)?m|\x1b\[[<>]1?u|` +
	`\x1b\]8;[^;\x1b]*;(https?://[[:graph:]]*?)?(\x1b\\|\x07)`)

// TestNoTextReachesTheTerminalAsASequence, whether of an answer, a call, its result, a question, a
// file's name or a paste: all bytes that the terminal gets are read.
func TestNoTextReachesTheTerminalAsASequence(t *testing.T) {
	t.Parallel()
	m := newModel(t)
	w := newWorld(t, m)
	w.write("bad\x1b]2;owned\x07\u202ename.txt", "x")
	s := w.chat(terminal.Options{Width: 120, Height: 50})
	record := filepath.Join(w.dir, "record")
	s.Tmux("pipe-pane", "cat > '"+record+"'")
	s.Say("hello")
	arguments := func(v map[string]string) string {
		raw, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	r := m.next()
	r.says("before " + hostile + "\n\n[" + hostile + "](http://a.example/" + hostile + ")\n\n")
	r.says("| a |\n|---|\n| " + hostile + " |\n\n```" + hostile + "\n" + hostile + "\n```\n")
	r.callsTool("write_file", arguments(map[string]string{"path": "a.md", "content": hostile}))
	r.callsTool("read_file", arguments(map[string]string{"path": "missing" + hostile}))
	r.callsTool("calculator", arguments(map[string]string{"expression": hostile}))
	r.ends()
	r = m.next()
	r.callsTool("read_file", `{"path":"a.md"}`)
	r.callsTool("write_file", arguments(map[string]string{"path": "a.md", "content": "other" + hostile}))
	r.ends()
	s.Shows(keysOf)
	armed(s)
	s.Keys("n")
	s.Shows("Denied by")
	s.Lacks("Ctrl-C stops")
	s.Paste("pasted " + strings.ReplaceAll(hostile, "\x1b", "\x1b\x1b"))
	s.Shows("pasted")
	s.Keys("C-c")
	s.Type("@bad")
	s.Shows("name.txt")
	s.Keys("Tab", "C-c", "C-d")
	s.Code(0)
	if title := s.Tmux("display-message", "-p", "#{pane_title}"); strings.Contains(title, "owned") {
		t.Errorf("the title is %s", title)
	}
	raw, err := os.ReadFile(record)
	if err != nil {
		t.Fatal(err)
	}
	got := ours.ReplaceAllString(string(raw), "")
	for line := range strings.Lines(got) {
		line = strings.TrimSuffix(strings.ReplaceAll(line, "\r", ""), "\n")
		if at := strings.IndexFunc(line, hides); at >= 0 {
			t.Errorf("%+q lets a character through at %d", line, at)
		}
	}
	if !strings.Contains(got, "␛]52;c;b3duZWQ=␇") {
		t.Error("the record holds nothing of it")
	}
}

// hides says whether a code point controls a terminal or reorders text.
func hides(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) }

// TestAnAnswerOfAMegabyte takes nothing from the line, and stands in the scrollback line by line.
func TestAnAnswerOfAMegabyte(t *testing.T) {
	t.Parallel()
	m := newModel(t)
	s := newWorld(t, m).chat(terminal.Options{Width: 100, Height: 30})
	s.Say("hello")
	r := m.next()
	r.says("```go\n")
	last := 0
	for size := 0; size < 1<<20; {
		var piece strings.Builder
		for range 200 {
			last++
			fmt.Fprintf(&piece, "return word%d\n", last)
		}
		r.says(piece.String())
		size += piece.Len()
	}
	s.Type("typed meanwhile")
	s.Shows("> typed meanwhile")
	r.says("```\n\n" + strings.Repeat("x", 200_000) + "\n\nThe end of it.")
	r.ends()
	s.Ends("The end of it.\n\n> typed meanwhile")
	s.Keys("C-c")
	s.Say("again")
	r = m.next()
	r.says("It goes on.")
	r.ends()
	s.Ends("It goes on.\n\n>")
	s.Keys("C-d")
	s.Code(0)
}

// TestAConsoleThatWasStoppedCatchesUp: events that it missed leave no spinner behind, and the answer
// is there once.
func TestAConsoleThatWasStoppedCatchesUp(t *testing.T) {
	t.Parallel()
	m := newModel(t)
	w := newWorld(t, m)
	one := w.chat(terminal.Options{})
	two := w.chat(terminal.Options{})
	two.Shows("attached to the gateway that runs")
	two.Say("hello")
	r := m.next()
	r.says("It begins.\n\n")
	two.Shows("It begins.")
	two.Signal(syscall.SIGSTOP)
	for i := range 500 { // more than the gateway keeps for a reader
		r.says(fmt.Sprintf("part %d%s\n\n", i, strings.Repeat(" and so on", 400)))
	}
	r.says("The end of it.")
	r.ends()
	one.Shows("The end of it.")
	two.Signal(syscall.SIGCONT)
	two.Ends("The end of it.\n\n>")
	if all := two.Scrollback(); strings.Count(all, "It begins.") > 1 {
		t.Errorf("the answer is there twice:\n%.2000s", all)
	}
	for _, s := range []*terminal.Terminal{two, one} {
		s.Keys("C-d")
		s.Code(0)
	}
}

// TestATerminalThatStopsReading holds up no other chat, and the console in it ends when it is told to.
func TestATerminalThatStopsReading(t *testing.T) {
	t.Parallel()
	m := newModel(t)
	w := newWorld(t, m)
	one := w.chat(terminal.Options{})
	two := w.chat(terminal.Options{}, "--session", "other")
	one.Say("hello")
	r := m.next()
	r.says("It begins.\n\n")
	one.Shows("It begins.")
	frozen := one.Freeze()
	for i := range 50 {
		r.says(fmt.Sprintf("part %d%s\n\n", i, strings.Repeat(" and so on", 400)))
	}
	two.Say("and here?")
	other := m.next()
	other.says("Here it goes on.")
	other.ends()
	two.Ends("Here it goes on.\n\n>")
	two.Keys("C-d")
	two.Code(0)
	frozen.Ends(syscall.SIGTERM)
	frozen.GoOn()
	one.Code(0)
	one.Say("after")
	one.Shows("after\nafter")
}

// TestCtrlZGoesToTheShell and fg comes back, with the line as it was.
func TestCtrlZGoesToTheShell(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	path, err := parley.Path()
	if err != nil {
		t.Fatal(err)
	}
	s := terminal.Start(t, terminal.Options{Dir: w.dir},
		"set -m; { "+path+" chat --config parley.yaml; echo stopped; read line; echo \"read $line\"; fg; }")
	s.Shows(ready)
	s.Type("half a line")
	s.Keys("C-z")
	s.Shows("stopped")
	s.Say("in the shell")
	s.Shows("read in the shell")
	s.Ends("> half a line")
	s.Keys("C-u")
	s.Say("what is 6*7?")
	s.Shows("6*7 = 42")
	s.Keys("C-d")
	s.Code(0)
}
