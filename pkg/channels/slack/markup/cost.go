package markup

import (
	"strconv"

	"parley/pkg/channels/markdown"
)

// The cost of a text is its highest number of code points, in a markdown block or in
// Slack's own markup, whichever is more.
const (
	markCost = 4  // a mark of emphasis on one side, or a zero-width space beside a short one
	lookCost = 14 // all marks around a stretch of text
)

// runeCost is the cost of r in text.
func runeCost(r rune) int {
	switch r {
	case '&', '<', '>':
		return 5
	case '*', '_', '~', '`', '\\', '[', ']', '|', '#', '+', '-', '=', '.', ')', '!', ':', ';', '@':
		return 2
	}
	return 1
}

// codeCost is the cost of r in code: its fence grows with the backticks.
func codeCost(r rune) int {
	switch r {
	case '&', '<', '>':
		return 5
	case '`':
		return 4
	case ';', '@', '!', '#':
		return 2
	}
	return 1
}

// costOf is the cost of s as text or as a target.
func costOf(s string) int {
	n := 0
	for _, r := range s {
		n += runeCost(r)
	}
	return n
}

// lookCostOf is the cost of a look beside the text.
func lookCostOf(l look) int {
	n := 0
	if l.Style != 0 {
		n += lookCost
	}
	if l.Href != "" {
		n += 2*markCost + costOf(l.Href)
	}
	return n
}

// lineCost is the prefix of each further line of the block.
func (b *block) lineCost() int {
	n := 0
	for _, c := range b.In {
		n += max(markCost, width(c))
	}
	return n
}

// width is that of a container's text before its first line.
func width(c *markdown.Container) int {
	if c.List != nil && c.List.Ordered {
		return len(strconv.Itoa(number(c))) + len(". ")
	}
	return len("- ")
}

// baseCost is the cost of the block without its text or its rows: the gap before it,
// the prefix of its first line, and the addition of its kind.
func (b *block) baseCost() int {
	n := len("\n\n")
	for i, c := range b.In {
		switch {
		case c.List == nil:
			n += 2 * len("> ") // on the blank line too
		case i == len(b.In)-1:
			n += width(c) + len(box(c))
		default:
			n += max(markCost, width(c))
			if i >= b.Begins { // its beginning stands behind the indent of Slack's own
				n += width(c) + len(box(c))
			}
		}
	}
	switch b.Kind {
	case markdown.Heading:
		n += len("###### ") + markCost
	case markdown.Fenced:
		n += len("```\n\n```\n") + len(b.Language) + 2*b.lineCost()
	case markdown.Table:
		n += len("```\n\n```\n") + b.lineCost()
	case markdown.Rule:
		n += len("___")
	case markdown.Paragraph:
	}
	return n
}

// headCost is the cost of a table's head, with the line below it.
func (b *block) headCost() int { return 2*b.rowCost(b.Head) + 2*markCost*len(b.Head) }

// rowCost is the cost of a row of a table.
func (b *block) rowCost(row []markdown.Cell) int {
	n := b.lineCost() + markCost
	for j, c := range row {
		text := 0
		for _, r := range c.Text {
			text += max(codeCost(r), runeCost(r))
		}
		for k, s := range c.Spans {
			n += lookCostOf(s.Look)
			if s.Look.Href != "" { // a line of its own below the table
				from := 0
				if k > 0 {
					from = c.Spans[k-1].End
				}
				n += lookCostOf(s.Look) + costOf(c.Text[from:s.End]) + markCost
			}
		}
		n += text + markCost
		if j < len(b.widths) && b.widths[j] <= maxPadded {
			n += b.widths[j]
		}
	}
	return n
}

// maxPadded is the width up to which columns are padded.
const maxPadded = 64

// whole is the cost of a block, or a number above most.
func (b *block) whole(most int) int {
	n := b.baseCost()
	if b.Kind == markdown.Table {
		n += b.headCost()
		for i := 0; i < len(b.Rows) && n <= most; i++ {
			n += b.rowCost(b.Rows[i])
		}
		return n
	}
	if len(b.Text) > most*4 {
		return most + 1
	}
	m := newMeter(b, most)
	m.Take(b.Text)
	return m.used
}

// meter adds up the cost of a block's text, for [markdown.Prose.Fit].
type meter struct {
	block *block
	at    int // byte of the text
	spans []markdown.Span
	look  look
	until int // look is right up to here
	line  int
	room  int
	used  int
}

func newMeter(b *block, room int) *meter {
	m := &meter{block: b, room: room, spans: b.Spans, line: b.lineCost(), used: b.baseCost()}
	if len(b.Spans) == 0 {
		m.until = len(b.Text)
	}
	return m
}

// Fits reports whether the text up to here has room.
func (m *meter) Fits() bool { return m.used <= m.room }

// Take advances by s, the next piece of the text.
func (m *meter) Take(s string) {
	for _, r := range s {
		for m.at >= m.until {
			m.turn()
		}
		switch r {
		case '\n', markdown.HardBreak:
			m.used += 3 + m.line
			if m.look != (look{}) {
				m.used += lookCostOf(m.look)
			}
		default:
			if m.block.Kind == markdown.Fenced || m.look.Style&markdown.Code != 0 {
				m.used += max(codeCost(r), m.prose(r))
			} else {
				m.used += runeCost(r)
			}
		}
		m.at += len(string(r))
	}
}

// prose is the cost of r where a span of code may be written as text.
func (m *meter) prose(r rune) int {
	if m.block.Kind == markdown.Fenced {
		return 0
	}
	return runeCost(r)
}

// turn passes to the next span.
func (m *meter) turn() {
	if len(m.spans) == 0 {
		m.look, m.until = look{}, len(m.block.Text)+1
		return
	}
	m.look, m.until = m.spans[0].Look, m.spans[0].End-m.block.Offset
	m.spans = m.spans[1:]
	if m.until > m.at {
		m.used += lookCostOf(m.look)
	}
}
