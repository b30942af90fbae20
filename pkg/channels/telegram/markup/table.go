package markup

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"

	"parley/pkg/channels/markdown"
)

// table reads a table: its rows in letters of one width, and the links that are in
// it, for which there is no place in such text.
func (r *reader) table(n *extast.Table) {
	var rows [][]markdown.Cell
	links := &paragraph{indent: r.indent}
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		rows = append(rows, r.row(row, links))
	}
	widths := markdown.Widths(rows)
	lines := make([]string, len(rows))
	for i, row := range rows {
		lines[i] = markdown.Line(row, widths)
	}
	b := block{pre: true, text: strings.Join(lines[1:], "\n")}
	b.head = lines[0] + "\n" + markdown.Underline(rows[0], widths) + "\n"
	if b.text == "" {
		b.head, b.text = "", strings.TrimSuffix(b.head, "\n")
	}
	r.emit(b)
	if links.text.Len() > 0 {
		r.space(1)
		r.emit(links.block())
	}
}

// row reads a row and adds its links to links. The rest of a line beyond the last
// column is kept as one more cell.
func (r *reader) row(n ast.Node, links *paragraph) []markdown.Cell {
	var cells []markdown.Cell
	end := n.Pos()
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		w := &paragraph{}
		r.inline(w, c, look{})
		for from, i := 0, 0; i < len(w.spans); i++ {
			s := w.spans[i]
			if s.look.href != "" {
				links.put("↗ "+w.text.String()[from:s.end]+"\n", s.look)
			}
			from = s.end
		}
		text := strings.ReplaceAll(w.text.String(), "\n", " ")
		align := extast.AlignNone
		if c, ok := c.(*extast.TableCell); ok {
			align = c.Alignment
		}
		cells = append(cells, markdown.Cell{Text: text, Width: markdown.Columns(text), Align: align})
		if c.Lines().Len() > 0 {
			end = c.Lines().At(0).Stop
		}
	}
	if end < 0 {
		return cells
	}
	rest, _, _ := bytes.Cut(r.source[end:], []byte("\n"))
	if text := clean(string(bytes.Trim(rest, "| \t"))); text != "" {
		cells = append(cells, markdown.Cell{Text: text, Width: markdown.Columns(text)})
	}
	return cells
}
