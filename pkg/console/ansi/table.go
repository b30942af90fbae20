package ansi

import (
	"strings"

	extast "github.com/yuin/goldmark/extension/ast"

	"parley/pkg/channels/markdown"
)

// The marks of a table.
const (
	cellGap = " │ "
	ruleGap = "─┼─"
	gapSize = 3
	// The least width of a column. A table without room for its columns is written
	// as a list of rows.
	minColumn = 4
)

// table writes a table with lines in its cells, in the width that there is.
func (w *writer) table(b *markdown.Block) {
	rows := [][]Line{cellLines(b.Head, Look{Bold: true})}
	for i := range b.Rows {
		rows = append(rows, cellLines(b.Rows[i], Look{}))
	}
	widths := w.fitted(rows)
	if widths == nil {
		w.records(rows)
		return
	}
	for i := range rows {
		w.row(rows[i], widths, b.Head)
		if i > 0 {
			continue
		}
		var l Line
		for j, n := range widths {
			if j > 0 {
				l.put(ruleGap, Look{Role: Mark})
			}
			l.put(strings.Repeat(rule, n), Look{Role: Mark})
		}
		w.line(l)
	}
}

func cellLines(cells []markdown.Cell, base Look) []Line {
	all := make([]Line, len(cells))
	for i := range cells {
		lines := linesOf(&markdown.Prose{Text: cells[i].Text, Spans: cells[i].Spans}, base)
		for j := range lines {
			if j > 0 {
				all[i].put(" ", Look{})
			}
			all[i].Join(lines[j])
		}
		if base.Bold {
			for k := range all[i].spans {
				all[i].spans[k].look.Bold = true
			}
		}
	}
	return all
}

// fitted are the widths of the columns: the widest give way until all have room. Nil: there are too
// many columns.
func (w *writer) fitted(rows [][]Line) []int {
	var widths []int
	for _, row := range rows {
		for i := range row {
			if i == len(widths) {
				widths = append(widths, 1)
			}
			widths[i] = max(widths[i], row[i].Columns())
		}
	}
	room := w.room() - gapSize*(len(widths)-1)
	if room < minColumn*len(widths) {
		return nil
	}
	return shrunk(widths, room)
}

// shrunk makes the widest columns equally narrow, so that all have room together.
func shrunk(widths []int, room int) []int {
	fits := func(most int) bool {
		total := 0
		for _, n := range widths {
			total += min(n, most)
		}
		return total <= room
	}
	low, high := 1, room
	for low < high { // the largest bound that fits
		middle := (low + high + 1) / 2
		if fits(middle) {
			low = middle
		} else {
			high = middle - 1
		}
	}
	spare := room
	for i := range widths {
		widths[i] = min(widths[i], low)
		spare -= widths[i]
	}
	return widths
}

// row writes a row, whose cells may have several lines.
func (w *writer) row(cells []Line, widths []int, head []markdown.Cell) {
	parts, height := make([][]Line, len(widths)), 1
	for i := range widths {
		if i < len(cells) {
			parts[i] = cells[i].Wrap(widths[i])
		}
		height = max(height, len(parts[i]))
	}
	for n := range height {
		var l Line
		for i, width := range widths {
			if i > 0 {
				l.put(cellGap, Look{Role: Mark})
			}
			var part Line
			if n < len(parts[i]) {
				part = parts[i][n]
			}
			align := extast.AlignNone
			if i < len(head) {
				align = head[i].Align
			}
			l.Join(padded(part, width, align, i == len(widths)-1))
		}
		w.line(l)
	}
}

// padded is a cell in its column; the last one has no spaces behind it.
func padded(l Line, width int, align markdown.Alignment, last bool) Line { //nolint:revive // flag-parameter: as documented
	pad := max(0, width-l.Columns())
	before := 0
	switch align {
	case extast.AlignRight:
		before = pad
	case extast.AlignCenter:
		before = pad / 2
	case extast.AlignNone, extast.AlignLeft:
	}
	var out Line
	out.put(strings.Repeat(" ", before), Look{})
	out.Join(l)
	if !last {
		out.put(strings.Repeat(" ", pad-before), Look{})
	}
	return out
}

// records writes each row as lines of a head and a cell.
func (w *writer) records(rows [][]Line) {
	for n, row := range rows[1:] {
		if n > 0 {
			w.line(Line{})
		}
		for i := range row {
			var l Line
			if i < len(rows[0]) {
				l.Join(rows[0][i])
				l.put(": ", Look{})
			}
			l.Join(row[i])
			for _, part := range l.Wrap(w.room()) {
				w.line(part)
			}
		}
	}
}
