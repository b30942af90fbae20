package markup

import (
	"bytes"
	"strings"

	"github.com/clipperhouse/uax29/v2/graphemes"
	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"golang.org/x/text/width"
)

const (
	// All cells but a row's last may take this many columns of letters. In a wider
	// table lines wrap, and padding would only make it worse.
	maxAligned = 64
	maxRule    = 16 // columns of the line below a header's last cell

	cellGap, ruleGap = " | ", "-+-"
)

// cell is a cell of a table.
type cell struct {
	text  string
	width int
	align extast.Alignment
}

// table reads a table: its rows in letters of one width, and the links that are in
// it, for which there is no place in such text.
func (r *reader) table(n *extast.Table) {
	var rows [][]cell
	links := &paragraph{indent: r.indent}
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		rows = append(rows, r.row(row, links))
	}
	widths := columns(rows)
	lines := make([]string, len(rows))
	for i, row := range rows {
		lines[i] = line(row, widths)
	}
	b := block{pre: true, text: strings.Join(lines[1:], "\n")}
	b.head = lines[0] + "\n" + underline(rows[0], widths) + "\n"
	if b.text == "" {
		b.head, b.text = "", strings.TrimSuffix(b.head, "\n")
	}
	r.emit(b)
	if links.text.Len() > 0 {
		r.space(1)
		r.emit(links.block())
	}
}

// row reads a row and adds its links to links. What a line has beyond the last
// column is kept as one more cell.
func (r *reader) row(n ast.Node, links *paragraph) []cell {
	var cells []cell
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
		cells = append(cells, cell{text: text, width: columnsOf(text), align: align})
		if c.Lines().Len() > 0 {
			end = c.Lines().At(0).Stop
		}
	}
	if end < 0 {
		return cells
	}
	rest, _, _ := bytes.Cut(r.source[end:], []byte("\n"))
	if text := clean(string(bytes.Trim(rest, "| \t"))); text != "" {
		cells = append(cells, cell{text: text, width: columnsOf(text)})
	}
	return cells
}

// columns are the widths of the columns, or nil if they are too wide to align.
func columns(rows [][]cell) []int {
	var widths []int
	for _, row := range rows {
		for i, c := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], c.width)
		}
	}
	total := 0
	for _, w := range widths[:max(0, len(widths)-1)] {
		total += w + len(cellGap)
	}
	if total > maxAligned {
		return nil
	}
	return widths
}

// line is a row as it is shown.
func line(row []cell, widths []int) string {
	var b strings.Builder
	for i, c := range row {
		if i > 0 {
			b.WriteString(cellGap)
		}
		pad := 0
		if i < len(widths) && widths[i] <= maxAligned {
			pad = widths[i] - c.width
		}
		before := 0
		switch c.align {
		case extast.AlignRight:
			before = pad
		case extast.AlignCenter:
			before = pad / 2
		case extast.AlignNone, extast.AlignLeft:
		}
		b.WriteString(strings.Repeat(" ", before) + c.text + strings.Repeat(" ", pad-before))
	}
	return strings.TrimRight(b.String(), " ")
}

// underline is the line below the header.
func underline(header []cell, widths []int) string {
	var rules []string
	for i, c := range header {
		w := c.width
		if i < len(widths) {
			w = widths[i]
		}
		if i == len(header)-1 || widths == nil {
			w = min(w, maxRule)
		}
		rules = append(rules, strings.Repeat("-", max(w, 1)))
	}
	return strings.Join(rules, ruleGap)
}

// columnsOf is how many columns s takes in letters of one width: two for what is
// wide in East Asia and for emoji.
func columnsOf(s string) int {
	n := 0
	for g := graphemes.FromString(s); g.Next(); {
		n += columnsOfGrapheme(g.Value())
	}
	return n
}

func columnsOfGrapheme(g string) int {
	const emoji = '\uFE0F' // asks for the coloured form of what is before it
	regional := 0
	for _, r := range g {
		kind := width.LookupRune(r).Kind()
		switch {
		case kind == width.EastAsianWide, kind == width.EastAsianFullwidth, r == emoji:
			return 2
		case '\U0001F1E6' <= r && r <= '\U0001F1FF':
			regional++
		}
	}
	return max(1, min(regional, 2))
}
