package console

import (
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"parley/pkg/console/ansi"
	"parley/pkg/console/history"
	"parley/pkg/console/line"
)

// recall is the way through the lines of before.
type recall struct {
	history *history.History
	// at is the line that is shown, counted from the newest; -1 for that of now, which typed keeps.
	at    int
	going bool
	typed []line.Item
	// searching says that a text is searched for.
	searching bool
	query     string
	found     int // -1 where no line has it
}

// leave says that the line of now is another one.
func (r *recall) leave() { r.going = false }

// older shows the line before, if there is one.
func (r *recall) older(l *line.Line) {
	if !r.going {
		r.going, r.at, r.typed = true, -1, l.Items()
	}
	if r.at+1 < r.history.Len() {
		r.at++
		r.show(r.at, l)
	}
}

// newer shows the line behind.
func (r *recall) newer(l *line.Line) {
	if !r.going || r.at < 0 {
		return
	}
	if r.at--; r.at < 0 {
		l.Restore(r.typed)
		r.going = false
		return
	}
	r.show(r.at, l)
}

// show shows a line of before, with the files that went with it.
func (r *recall) show(back int, l *line.Line) {
	l.Set("")
	rest := r.history.Line(back)
	for _, f := range r.history.Files(back) {
		before, behind, ok := strings.Cut(rest, f.Words)
		if !ok {
			continue // another file with an equal end took its place
		}
		l.Insert(before)
		l.Put(line.Item{Text: f.Words, Label: f.Words, File: f.Path})
		rest = behind
	}
	l.Insert(rest)
}

// search begins a search, or goes on to an older line.
func (r *recall) search() {
	if !r.searching {
		r.searching, r.query, r.found = true, "", -1
		return
	}
	if r.found >= 0 {
		r.find(r.found + 1)
	}
}

// find looks for the text from a line on.
func (r *recall) find(from int) {
	if r.query == "" {
		r.found = -1
		return
	}
	found := r.history.Find(r.query, from)
	if found >= 0 || from == 0 {
		r.found = found
	}
}

// row is the row of a search.
func (r *recall) row() ansi.Line {
	var l ansi.Line
	if r.query != "" && r.found < 0 {
		l.Put(textNotFound, ansi.Look{Role: ansi.Bad})
	} else {
		l.Put(textSearch, ansi.Look{Role: ansi.Person})
	}
	l.Put(r.query, ansi.Look{Bold: true})
	if r.found >= 0 {
		l.Put("  "+r.history.Line(r.found), ansi.Look{Role: ansi.Faint})
	}
	return l
}

// key acts on a key of a search. False: the search is over, and the key acts on the line that was found.
func (r *recall) key(k tea.KeyPressMsg, l *line.Line) (done bool) {
	switch name := k.String(); {
	case name == "ctrl+r":
		r.search()
	case name == "ctrl+g", name == "ctrl+c":
		r.searching = false
	case name == "backspace", name == "ctrl+h":
		if _, size := utf8.DecodeLastRuneInString(r.query); size > 0 {
			r.query = r.query[:len(r.query)-size]
			r.find(0)
		}
	case name == "ctrl+u":
		r.query, r.found = "", -1
	case k.Text != "" && k.Mod&^tea.ModShift == 0:
		r.query += k.Text
		r.find(0)
	default:
		r.take(l)
		return name == "esc" || name == "tab"
	}
	return true
}

// take ends the search, with the line that was found.
func (r *recall) take(l *line.Line) {
	if r.searching && r.found >= 0 {
		r.show(r.found, l)
	}
	r.searching = false
}
