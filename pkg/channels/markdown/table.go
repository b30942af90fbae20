package markdown

import (
	"strings"

	"github.com/clipperhouse/uax29/v2/graphemes"
	extast "github.com/yuin/goldmark/extension/ast"
	"golang.org/x/text/width"
)

const (
	// All cells but a row's last may take this many columns of letters. In a wider
	// table lines wrap, and padding would only make it worse.
	maxAligned = 64
	maxRule    = 16 // columns of the line below a header's last cell

	// CellGap stands between the cells of a row.
	CellGap = " | "
	ruleGap = "-+-"
)

// Alignment is the side of its column at which a cell's text stands.
type Alignment = extast.Alignment

// Widths are the widths of the columns, or nil if they are too wide to align.
func Widths(rows [][]Cell) []int {
	var widths []int
	for _, row := range rows {
		for i, c := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], c.Width)
		}
	}
	total := 0
	for _, w := range widths[:max(0, len(widths)-1)] {
		total += w + len(CellGap)
	}
	if total > maxAligned {
		return nil
	}
	return widths
}

// Line is a row as it is shown.
func Line(row []Cell, widths []int) string {
	var b strings.Builder
	for i, c := range row {
		if i > 0 {
			b.WriteString(CellGap)
		}
		pad := 0
		if i < len(widths) && widths[i] <= maxAligned {
			pad = widths[i] - c.Width
		}
		before := 0
		switch c.Align {
		case extast.AlignRight:
			before = pad
		case extast.AlignCenter:
			before = pad / 2
		case extast.AlignNone, extast.AlignLeft:
		}
		b.WriteString(strings.Repeat(" ", before) + c.Text + strings.Repeat(" ", pad-before))
	}
	return strings.TrimRight(b.String(), " ")
}

// Underline is the line below the header.
func Underline(header []Cell, widths []int) string {
	var rules []string
	for i, c := range header {
		w := c.Width
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

// Columns is how many columns s takes in letters of one width: two for the wide
// letters of East Asia and for emoji.
func Columns(s string) int {
	n := 0
	for g := graphemes.FromString(s); g.Next(); {
		n += columnsOfGrapheme(g.Value())
	}
	return n
}

func columnsOfGrapheme(g string) int {
	const emoji = '\uFE0F' // asks for the coloured form of the character before it
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
