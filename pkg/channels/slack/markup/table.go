package markup

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"

	"parley/pkg/channels/markdown"
)

// cellGap stands between the cells of a row.
const cellGap = " | "

// cell is a cell of a table.
type cell struct {
	markdown.Cell
	spans []span
}

// aligned is a row without its looks.
func aligned(row []cell) []markdown.Cell {
	cells := make([]markdown.Cell, len(row))
	for i, c := range row {
		cells[i] = c.Cell
	}
	return cells
}

// table reads a table.
func (r *reader) table(n *extast.Table) {
	var rows [][]cell
	var cells [][]markdown.Cell
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		rows = append(rows, r.row(row))
		cells = append(cells, aligned(rows[len(rows)-1]))
	}
	b := block{kind: table, in: r.in, head: rows[0], rows: rows[1:], widths: markdown.Widths(cells)}
	most := 0
	for _, row := range b.rows {
		most = max(most, b.rowCost(row))
	}
	if 2*(b.baseCost()+b.headCost()+most) > maxPart {
		r.rowsAlone(rows)
		return
	}
	r.emit(b)
}

// rowsAlone adds the rows of a table that is too large for one as paragraphs.
func (r *reader) rowsAlone(rows [][]cell) {
	for _, row := range rows {
		var t runs
		for i, c := range row {
			if i > 0 {
				t.put(cellGap, look{})
			}
			for _, s := range stretches(c.Text, c.spans, 0) {
				t.put(s.text, s.look)
			}
		}
		if visible(t.text.String()) {
			r.emit(block{text: t.text.String(), spans: t.spans})
		}
	}
}

// row reads a row. The rest of a line beyond the last column goes to its last cell.
func (r *reader) row(n ast.Node) []cell {
	var cells []cell
	end := n.Pos()
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		var t runs
		r.inline(&t, c, look{})
		one := cell{Cell: markdown.Cell{Text: t.text.String()}, spans: t.spans}
		if c, ok := c.(*extast.TableCell); ok {
			one.Align = c.Alignment
		}
		cells = append(cells, one)
		if c.Lines().Len() > 0 {
			end = c.Lines().At(0).Stop
		}
	}
	if end >= 0 && len(cells) > 0 {
		rest, _, _ := bytes.Cut(r.source[end:], []byte("\n"))
		if text := clean(string(bytes.Trim(rest, "| \t"))); text != "" {
			last := &cells[len(cells)-1]
			last.spans = append(last.spans, span{end: len(last.Text)}, span{end: len(last.Text) + len(cellGap) + len(text)})
			last.Text += cellGap + text
		}
	}
	for i := range cells {
		cells[i].Width = markdown.Columns(cells[i].Text)
	}
	return cells
}
