package console

import (
	"fmt"
	"strings"

	"parley/pkg/console/ansi"
)

// transcript is the lines that are to stand above the frame.
type transcript struct {
	theme *ansi.Theme
	// width is how wide lines may be.
	width int
	lines []ansi.Line
	// blank says that the last line is empty, call that it is about a call.
	blank, call bool
}

// put adds lines.
func (t *transcript) put(lines ...ansi.Line) {
	for i := range lines {
		t.lines = append(t.lines, lines[i])
		t.blank, t.call = lines[i].String() == "", false
	}
}

// gap adds an empty line, unless there is one.
func (t *transcript) gap() {
	if !t.blank {
		t.put(ansi.Line{})
	}
}

// take returns the lines as they are written, and forgets them.
func (t *transcript) take() []string {
	all := make([]string, len(t.lines))
	for i := range t.lines {
		all[i] = t.theme.Render(&t.lines[i])
	}
	t.lines = nil
	return all
}

// note adds lines that are no message.
func (t *transcript) note(text string) {
	for line := range strings.SplitSeq(text, "\n") {
		l := ansi.Text(line, ansi.Faint)
		t.put(l.Wrap(t.width)...)
	}
}

// maxEcho is how many lines of a message of the person are shown again.
const maxEcho = 12

// The marks before lines.
const (
	promptMark = "> "
	otherMark  = "» "
	indent     = "  "
)

// echo adds the words of a person.
func (t *transcript) echo(text, mark string) {
	t.gap()
	var lines []ansi.Line
	for line := range strings.SplitSeq(text, "\n") {
		l := ansi.Text(line, ansi.Plain)
		lines = append(lines, l.Wrap(t.width-len([]rune(promptMark)))...)
	}
	rest := 0
	if len(lines) > maxEcho {
		rest = len(lines) - maxEcho + 1
		lines = lines[:maxEcho-1]
	}
	for i := range lines {
		lead := ansi.Text(indent, ansi.Plain)
		if i == 0 {
			lead = ansi.Text(mark, ansi.Person)
		}
		lead.Join(lines[i])
		t.put(lead)
	}
	if rest > 0 {
		t.put(ansi.Text(indent+fmt.Sprintf(textMoreLines, rest), ansi.Faint))
	}
	t.gap()
}
