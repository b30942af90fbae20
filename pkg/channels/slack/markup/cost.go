package markup

import "strconv"

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

// cost is that of a look beside the text.
func (l look) cost() int {
	n := 0
	if l.style != 0 {
		n += lookCost
	}
	if l.href != "" {
		n += 2*markCost + costOf(l.href)
	}
	return n
}

// lineCost is the prefix of each further line of the block.
func (b *block) lineCost() int {
	n := 0
	for _, c := range b.in {
		n += max(markCost, c.width())
	}
	return n
}

// width is that of the container's text before the first line.
func (c *container) width() int {
	if c.list != nil && c.list.ordered {
		return len(strconv.Itoa(c.number)) + len(". ")
	}
	return len("- ")
}

// baseCost is the cost of the block without its text or its rows: the gap before it,
// the prefix of its first line, and the addition of its kind.
func (b *block) baseCost() int {
	n := len("\n\n")
	for i, c := range b.in {
		switch {
		case c.list == nil:
			n += 2 * len("> ") // on the blank line too
		case i == len(b.in)-1:
			n += c.width() + len(c.box)
		default:
			n += max(markCost, c.width())
			if i >= b.begins { // its beginning stands behind the indent of Slack's own
				n += c.width() + len(c.box)
			}
		}
	}
	switch b.kind {
	case heading:
		n += len("###### ") + markCost
	case fenced:
		n += len("```\n\n```\n") + len(b.language) + 2*b.lineCost()
	case table:
		n += len("```\n\n```\n") + b.lineCost()
	case rule:
		n += len("___")
	case paragraph:
	}
	return n
}

// headCost is the cost of a table's head, with the line below it.
func (b *block) headCost() int { return 2*b.rowCost(b.head) + 2*markCost*len(b.head) }

// rowCost is the cost of a row of a table.
func (b *block) rowCost(row []cell) int {
	n := b.lineCost() + markCost
	for j, c := range row {
		text := 0
		for _, r := range c.Text {
			text += max(codeCost(r), runeCost(r))
		}
		for k, s := range c.spans {
			n += s.look.cost()
			if s.look.href != "" { // a line of its own below the table
				from := 0
				if k > 0 {
					from = c.spans[k-1].end
				}
				n += s.look.cost() + costOf(c.Text[from:s.end]) + markCost
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
	if b.kind == table {
		n += b.headCost()
		for i := 0; i < len(b.rows) && n <= most; i++ {
			n += b.rowCost(b.rows[i])
		}
		return n
	}
	if len(b.text) > most*4 {
		return most + 1
	}
	m := newMeter(b)
	m.take(b.text)
	return m.used
}

// meter adds up the cost of a block's text.
type meter struct {
	block *block
	at    int // byte of the text
	spans []span
	look  look
	until int // look is right up to here
	line  int
	used  int
}

func newMeter(b *block) *meter {
	m := &meter{block: b, spans: b.spans, line: b.lineCost(), used: b.baseCost()}
	if len(b.spans) == 0 {
		m.until = len(b.text)
	}
	return m
}

// take advances by s, the next piece of the text.
func (m *meter) take(s string) {
	for _, r := range s {
		for m.at >= m.until {
			m.turn()
		}
		switch r {
		case '\n', hardBreak:
			m.used += 3 + m.line
			if m.look != (look{}) {
				m.used += m.look.cost()
			}
		default:
			if m.block.kind == fenced || m.look.style&code != 0 {
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
	if m.block.kind == fenced {
		return 0
	}
	return runeCost(r)
}

// turn passes to the next span.
func (m *meter) turn() {
	if len(m.spans) == 0 {
		m.look, m.until = look{}, len(m.block.text)+1
		return
	}
	m.look, m.until = m.spans[0].look, m.spans[0].end-m.block.offset
	m.spans = m.spans[1:]
	if m.until > m.at {
		m.used += m.look.cost()
	}
}
