package console

import (
	"fmt"
	"strings"

	"parley/pkg/channels/console"
	"parley/pkg/console/ansi"
	"parley/pkg/console/history"
	"parley/pkg/console/line"
	"parley/pkg/text"
)

// composer is the line that the person types, with all that helps them.
type composer struct {
	said   *transcript
	line   line.Line
	recall recall
	menu   menu
	// hint stands below the line until the next key.
	hint []ansi.Line
	// held is a text that looks like a command which is not there: sent again it is a message.
	held     string
	commands []Command
}

// open reads the history.
func (e *composer) open(c *Console) {
	h, err := history.Open(c.o.History, c.o.Redact)
	e.recall.history = h
	e.tell(textWelcome, ansi.Faint)
	if err != nil {
		e.hint = append(e.hint, ansi.Text(fmt.Sprintf(textNoHistory, err), ansi.Faint))
	}
}

// tell shows a hint.
func (e *composer) tell(words string, r ansi.Role) { e.hint = []ansi.Line{ansi.Text(words, r)} }

// The largest paste that is put in as it is.
const (
	maxPlainLines = 6
	maxPlainBytes = 600
)

// paste puts a paste in. A large one is one character of the line.
func (e *composer) paste(s string) {
	e.hint = nil
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	s = strings.ToValidUTF8(s, "\uFFFD")
	if e.recall.searching {
		e.recall.query += strings.ReplaceAll(s, "\n", " ")
		e.recall.find(0)
		return
	}
	if !e.put(s) {
		e.tell(textTooLong, ansi.Bad)
	}
	e.menu.close()
	e.recall.leave()
}

// put puts a text in, as one character where it is large. False: it does not fit.
func (e *composer) put(s string) bool {
	lines := strings.Count(strings.TrimSuffix(s, "\n"), "\n") + 1
	if lines <= maxPlainLines && len(s) <= maxPlainBytes {
		return e.line.Insert(s)
	}
	label, size := textPastedLine, text.FileSize(int64(len(s)))
	if lines > 1 {
		label = fmt.Sprintf(textPasted, lines)
	}
	return e.line.Put(line.Item{Text: s, Label: fmt.Sprintf("[%s, %s]", label, size)})
}

// keep keeps the line in the history.
func (e *composer) keep() {
	var files []history.File
	for _, i := range e.line.Items() {
		if i.File != "" {
			files = append(files, history.File{Words: i.Text, Path: i.File})
		}
	}
	if err := e.recall.history.Add(e.line.Text(), files...); err != nil {
		e.said.note(fmt.Sprintf(textNoHistory, err))
	}
}

// clear empties the line.
func (e *composer) clear() {
	e.line.Reset()
	e.menu.close()
	e.recall.leave()
	e.hint, e.held = nil, ""
}

// show is a character of the line as it is shown.
func show(typed string) (shown string, columns int) {
	shown = strings.ReplaceAll(console.Sanitize(typed), "\t", "    ")
	return shown, ansi.Columns(shown)
}

// layout is the line as it is laid out.
func (e *composer) layout() line.Layout {
	return e.line.Rows(e.said.width-len([]rune(promptMark)), show)
}

// rows are the rows of the line, at most as many as most, the row of the cursor in them, and the
// text before it.
func (e *composer) rows(most int) (rows []ansi.Line, row int, before ansi.Line) {
	if e.recall.searching {
		l := e.recall.row()
		l = l.Clip(e.said.width)
		return []ansi.Line{l}, 0, l
	}
	layout := e.layout()
	from := max(0, min(layout.Row-most/2, len(layout.Rows)-most))
	for i := from; i < min(len(layout.Rows), from+most); i++ {
		lead := ansi.Text(indent, ansi.Plain)
		if i == 0 {
			lead = ansi.Text(promptMark, ansi.Person)
		}
		if i == layout.Row {
			before = rowOf(lead, layout.Rows[i][:layout.Cell])
		}
		rows = append(rows, rowOf(lead, layout.Rows[i]))
	}
	return rows, layout.Row - from, before
}

// rowOf is a row of the line behind a mark.
func rowOf(lead ansi.Line, cells []line.Cell) ansi.Line {
	var l ansi.Line
	l.Join(lead)
	for _, c := range cells {
		look := ansi.Look{}
		if c.Labelled {
			look.Role = ansi.Code
		}
		l.Put(c.Text, look)
	}
	return l
}

// below are the rows under the line, at most as many as most: the menu, or a hint.
func (e *composer) below(most int) []ansi.Line {
	if len(e.menu.items) > 0 {
		return e.menu.rows(e.said.width, max(1, min(most, maxMenu)))
	}
	var all []ansi.Line
	for i := range e.hint {
		all = append(all, e.hint[i].Clip(e.said.width))
	}
	return all
}
