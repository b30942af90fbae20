package spoken

// code follows which part of a Markdown text is code or a quotation, byte by byte: fenced
// blocks, indented lines, spans between backticks, and lines that begin with ">". A span ends
// with its paragraph.
type code struct {
	fence    byte // of the open block
	fenceLen int
	run      int  // marks in a row that end here
	mark     byte // of the run
	leads    bool // the run began its line
	span     int  // length of the backticks that opened a span
	indent   int  // columns before the line's first text
	text     bool // the line has text
	any      bool // there was text before
	quotes   bool // the line is a quotation
}

const (
	indented = 4 // columns that make a line code
	fenced   = 3 // marks that make a block code
)

// inside says whether the next byte is in code or a quotation.
func (c *code) inside() bool {
	span := c.span
	if c.run > 0 && c.fence == 0 {
		if c.leads && c.run >= fenced {
			return true
		}
		if c.mark == '`' {
			span = toggled(span, c.run)
		}
	}
	return c.fence != 0 || span > 0 || c.quotes || c.any && !c.text && c.indent >= indented
}

// toggled is the length of the open span behind a run of n backticks.
func toggled(span, n int) int {
	switch span {
	case 0:
		return n
	case n:
		return 0
	default:
		return span
	}
}

// add takes the next byte.
func (c *code) add(b byte) {
	if c.run > 0 && b == c.mark {
		c.run++
		return
	}
	c.endRun(b)
	switch {
	case b == '\n':
		c.newline()
	case isSpace(b):
		c.space(b)
	case b == '`' || b == '~':
		c.run, c.mark = 1, b
		c.leads = !c.text && c.indent < indented && c.span == 0
		c.text, c.any = true, true
	default:
		c.quotes = c.quotes || b == '>' && !c.text
		c.text, c.any = true, true
	}
}

// space takes white space within a line.
func (c *code) space(b byte) {
	switch {
	case c.text:
	case b == ' ':
		c.indent++
	case b == '\t':
		c.indent += indented
	}
}

// endRun settles the marks that came before b.
func (c *code) endRun(b byte) {
	n := c.run
	if n == 0 {
		return
	}
	c.run = 0
	switch {
	case c.fence != 0:
		if c.leads && c.mark == c.fence && n >= c.fenceLen && (b == '\n' || b == ' ' || b == '\r' || b == '\t') {
			c.fence = 0
		}
	case c.leads && n >= fenced:
		c.fence, c.fenceLen = c.mark, n
	case c.mark == '`':
		c.span = toggled(c.span, n)
	}
}

func (c *code) newline() {
	if !c.text {
		c.span = 0 // a blank line ends the paragraph
	}
	c.text, c.indent, c.leads, c.quotes = false, 0, false, false
}
