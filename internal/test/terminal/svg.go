package terminal

import (
	"fmt"
	"html"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The sizes of a picture in its units, and its colours.
const (
	cellWidth, cellHeight, margin = 8.4, 18, 14
	ground, ink                   = "#16181d", "#d8dce4"
)

// pen is how the text of a screen is written from one place on.
type pen struct {
	bold, faint, italic, underlined bool
	colour                          string // "" is that of the ink
}

var graphics = regexp.MustCompile(`\x1b\[([0-9;]*)m`)

// Picture is a screen of [Terminal.Colours] with its colours, as SVG. It is for characters of one
// column.
func Picture(screen string, columns int) string {
	lines := strings.Split(strings.TrimRight(screen, "\n"), "\n")
	width, height := float64(columns)*cellWidth+2*margin, len(lines)*cellHeight+2*margin
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%d" font-family="ui-monospace, Menlo, Consolas, `+
		`'DejaVu Sans Mono', monospace" font-size="14">`+"\n", width, height)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" rx="8" fill="%s"/>`+"\n", ground)
	var p pen
	for i, line := range lines {
		y, column, from := margin+i*cellHeight+13, 0, 0
		for _, at := range append(graphics.FindAllStringSubmatchIndex(line, -1), []int{len(line), len(line), len(line), len(line)}) {
			text := line[from:at[0]]
			b.WriteString(p.text(text, column, y))
			column += utf8.RuneCountInString(text)
			p.sets(line[at[2]:at[3]])
			from = at[1]
		}
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// text is a stretch of a row; spaces are left out at its ends.
func (p *pen) text(text string, column, y int) string {
	column += utf8.RuneCountInString(text) - utf8.RuneCountInString(strings.TrimLeft(text, " "))
	if text = strings.TrimSpace(text); text == "" {
		return ""
	}
	looks := ""
	if p.bold {
		looks += ` font-weight="bold"`
	}
	if p.faint {
		looks += ` opacity="0.6"`
	}
	if p.italic {
		looks += ` font-style="italic"`
	}
	if p.underlined {
		looks += ` text-decoration="underline"`
	}
	colour := ink
	if p.colour != "" {
		colour = p.colour
	}
	return fmt.Sprintf(`<text x="%.1f" y="%d" textLength="%.1f" fill="%s"%s xml:space="preserve">%s</text>`+"\n",
		margin+float64(column)*cellWidth, y, float64(utf8.RuneCountInString(text))*cellWidth, colour, looks, html.EscapeString(text))
}

// sets changes the pen by the numbers of a sequence.
func (p *pen) sets(numbers string) {
	all := strings.Split(numbers, ";")
	for i, number := range all {
		switch number {
		case "", "0":
			*p = pen{}
		case "1":
			p.bold = true
		case "2":
			p.faint = true
		case "3":
			p.italic = true
		case "4":
			p.underlined = true
		case "39":
			p.colour = ""
		case "38":
			if len(all) == i+3 {
				p.colour = cube(all[i+2])
			}
			return
		}
	}
}

// cube is a colour of the 216 of a terminal of 256.
func cube(number string) string {
	levels := []int{0, 95, 135, 175, 215, 255}
	n, err := strconv.Atoi(number)
	if n -= 16; err != nil || n < 0 || n > 215 {
		return ""
	}
	return fmt.Sprintf("#%02x%02x%02x", levels[n/36], levels[n/6%6], levels[n%6])
}
