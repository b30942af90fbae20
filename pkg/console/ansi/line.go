package ansi

import (
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/clipperhouse/uax29/v2/graphemes"

	"parley/pkg/channels/console"
)

// MinWidth is the least width, in columns, for which lines are made.
const MinWidth = 10

// Role says which part a text has, and so its colour.
type Role uint8

// The roles.
const (
	Plain Role = iota
	Faint
	Heading
	Mark // of a list, a quotation or a table
	Code
	Link
	Person // the words of the person
	Good
	Bad
	Busy
	Keyword
	String
	Number
	Comment
	Added
	Removed
	numRoles
)

// Look is how a text is shown.
type Look struct {
	Role                 Role
	Bold, Italic, Strike bool
	// Href is where the text leads, "" for nowhere.
	Href string
}

// Span is text of one look, safe to be written.
type Span struct {
	text string
	look Look
}

// Line is one line of a terminal. Texts enter it by [Line.Put] alone.
type Line struct{ spans []Span }

// Put goes on with a text in one line, which is made visible.
func (l *Line) Put(text string, look Look) {
	l.put(oneLine(console.Sanitize(text)), look)
}

// put goes on with a text that is safe.
func (l *Line) put(text string, look Look) {
	if text == "" {
		return
	}
	if n := len(l.spans); n > 0 && l.spans[n-1].look == look {
		l.spans[n-1].text += text
		return
	}
	l.spans = append(l.spans, Span{text, look})
}

// Join goes on with another line.
func (l *Line) Join(other Line) {
	for _, s := range other.spans {
		l.put(s.text, s.look)
	}
}

// Text is a line of one look.
func Text(text string, r Role) Line {
	var l Line
	l.Put(text, Look{Role: r})
	return l
}

// String is the text without its looks.
func (l *Line) String() string {
	var b strings.Builder
	for _, s := range l.spans {
		b.WriteString(s.text)
	}
	return b.String()
}

// Columns is the width of the line.
func (l *Line) Columns() int {
	n := 0
	for _, s := range l.spans {
		n += Columns(s.text)
	}
	return n
}

// Columns is the width of a text without line ends in a terminal.
func Columns(text string) int { return lipgloss.Width(text) }

// oneLine makes one line of a text: its line ends and tabs become spaces.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return ' '
		}
		return r
	}, text)
}

// cell is one character as a person sees it, a grapheme.
type cell struct {
	text    string
	look    Look
	columns int
}

// cells are those of a line.
func (l *Line) cells() []cell {
	var all []cell
	for _, s := range l.spans {
		for g := graphemes.FromString(s.text); g.Next(); {
			all = append(all, cell{g.Value(), s.look, Columns(g.Value())})
		}
	}
	return all
}

// Wrap parts a line into lines of a width, between words where it can.
func (l *Line) Wrap(width int) []Line {
	width = max(width, 2) // the widest character
	if l.Columns() <= width {
		return []Line{*l}
	}
	var all []Line
	for rest := l.cells(); len(rest) > 0; {
		end, next := breakAt(rest, width)
		all = append(all, lineOf(rest[:end]))
		rest = rest[next:]
	}
	return all
}

// breakAt is where a line of a width ends, and where the next one begins.
func breakAt(all []cell, width int) (end, next int) {
	columns, space := 0, -1
	for i := range all {
		if all[i].text == " " {
			space = i
		}
		if columns += all[i].columns; columns <= width {
			continue
		}
		switch {
		case space > 0 && strings.TrimSpace(lineText(all[:space])) != "":
			return space, space + 1
		default:
			return max(i, 1), max(i, 1)
		}
	}
	return len(all), len(all)
}

func lineText(all []cell) string {
	var b strings.Builder
	for i := range all {
		b.WriteString(all[i].text)
	}
	return b.String()
}

func lineOf(all []cell) Line {
	var l Line
	for i := range all {
		l.put(all[i].text, all[i].look)
	}
	return l
}

// Chop parts a line into lines of a width, wherever that is.
func (l *Line) Chop(width int) []Line {
	width = max(width, 2)
	var all []Line
	var now Line
	columns := 0
	for _, c := range l.cells() {
		if columns+c.columns > width && columns > 0 {
			all, now, columns = append(all, now), Line{}, 0
		}
		now.put(c.text, c.look)
		columns += c.columns
	}
	return append(all, now)
}

// Clip is the line, or its beginning and an ellipsis where it is wider.
func (l *Line) Clip(width int) Line {
	if l.Columns() <= width {
		return *l
	}
	var out Line
	columns := 0
	for _, c := range l.cells() {
		if columns += c.columns; columns > width-1 {
			break
		}
		out.put(c.text, c.look)
	}
	out.put("…", Look{Role: Faint})
	return out
}
