package markup

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	extast "github.com/yuin/goldmark/extension/ast"
)

// nesting follows the containers of the blocks of one part. A container from an
// earlier part is not continued, but a quotation is opened again.
type nesting struct {
	begun map[*container]bool
	in    []*container // the block's containers, as far as this part shows them
	same  int          // so many of these are those of the block before
	last  []*container
	other map[*list]bool // has the other mark, as the list before it has the first
	tight bool           // no blank line stands before the block
	some  bool           // it is not the first block
}

// enter passes to a block.
func (n *nesting) enter(b *block) {
	if n.begun == nil {
		n.begun, n.other = map[*container]bool{}, map[*list]bool{}
	} else {
		n.some = true
	}
	n.last, n.in = n.in, nil
	for i, c := range b.in {
		if i >= b.begins {
			n.begun[c] = true
		}
		if c.list == nil || n.begun[c] {
			n.in = append(n.in, c)
		}
	}
	n.same = 0
	for n.same < len(n.in) && n.same < len(n.last) && n.in[n.same] == n.last[n.same] {
		n.same++
	}
	outer := &container{}
	if n.same > 0 {
		outer = n.in[n.same-1]
	}
	if n.same == len(n.in) {
		n.tight = (b.kind == fenced || b.kind == heading) && outer.tight()
		return
	}
	n.tight = n.goesOn(n.in[n.same], outer)
}

// goesOn says that an item, which lies in outer, follows without a blank line. Lists
// that would be read as one get different marks.
func (n *nesting) goesOn(c, outer *container) bool {
	if c.list == nil {
		return false
	}
	if n.same < len(n.last) {
		if before := n.last[n.same].list; before != nil && before != c.list {
			n.other[c.list] = before.ordered == c.list.ordered && !n.other[before]
			return false
		}
	}
	if c.first {
		return outer.tight() && (!c.list.ordered || c.number == 1)
	}
	return c.tight()
}

// tight says that the container is an item of a list without blank lines.
func (c *container) tight() bool { return c.list != nil && c.list.tight }

// marker is the beginning of an item in Markdown.
func (n *nesting) marker(c *container) string {
	switch other := n.other[c.list]; {
	case c.list.ordered && other:
		return strconv.Itoa(c.number) + ") "
	case c.list.ordered:
		return strconv.Itoa(c.number) + ". "
	case other:
		return "* "
	default:
		return "- "
	}
}

// prefix stands before each line of a container but its first.
func (n *nesting) prefix(in []*container) string {
	var p strings.Builder
	for _, c := range in {
		if c.list == nil {
			p.WriteString("> ")
		} else {
			p.WriteString(strings.Repeat(" ", len(n.marker(c))))
		}
	}
	return p.String()
}

// document puts Markdown together.
type document struct {
	nesting

	out    []byte
	indent string // of further lines of the block
}

// standard writes blocks as Markdown.
func standard(blocks []block) string {
	var d document
	for i := range blocks {
		d.block(&blocks[i])
	}
	return string(d.out)
}

// block writes b.
func (d *document) block(b *block) {
	d.enter(b)
	if d.some {
		d.out = append(d.out, '\n')
	}
	if d.some && !d.tight {
		blank := strings.TrimRight(d.prefix(d.in[:d.same]), " ")
		d.out = append(d.out, blank+"\n"...)
	}
	d.out = append(d.out, d.prefix(d.in[:d.same])...)
	for _, c := range d.in[d.same:] {
		if c.list == nil {
			d.out = append(d.out, "> "...)
		} else {
			d.out = append(d.out, d.marker(c)+c.box...)
		}
	}
	d.indent = d.prefix(d.in)
	switch b.kind {
	case paragraph:
		d.prose(b.text, b.spans, b.offset, place{line: true})
	case heading:
		d.out = append(d.out, strings.Repeat("#", b.level)+" "...)
		d.prose(strings.NewReplacer("\n", " ", string(hardBreak), "   ").Replace(b.text), b.spans, b.offset, place{heading: true})
	case fenced:
		d.code(b)
	case table:
		d.table(b)
	case rule:
		d.out = append(d.out, "___"...)
	}
	d.trim()
}

// trim takes spaces off the end.
func (d *document) trim() { d.out = bytes.TrimRight(d.out, " \t") }

// newline begins a line of the block.
func (d *document) newline() { d.out = append(append(d.out, '\n'), d.indent...) }

// code writes a block of code, which its content cannot end.
func (d *document) code(b *block) {
	fence := strings.Repeat("`", max(3, longestRun(b.text)+1))
	d.out = append(d.out, fence+b.language...)
	if b.text != "" {
		for line := range strings.SplitSeq(b.text, "\n") {
			d.newline()
			if line == "" {
				d.trim()
			}
			d.out = append(d.out, line...)
		}
	}
	d.newline()
	d.out = append(d.out, fence...)
}

// longestRun is the length of the longest row of backticks.
func longestRun(s string) int {
	longest, run := 0, 0
	for i := range len(s) {
		if s[i] == '`' {
			run++
		} else {
			run = 0
		}
		longest = max(longest, run)
	}
	return longest
}

// table writes the rows of a table.
func (d *document) table(b *block) {
	d.row(b.head)
	d.newline()
	for _, c := range b.head {
		d.out = append(d.out, "| "+delimiter(c.Align)+" "...)
	}
	d.out = append(d.out, '|')
	for _, row := range b.rows {
		d.newline()
		d.row(row)
	}
}

// row writes a row of a table.
func (d *document) row(row []cell) {
	for _, c := range row {
		d.out = append(d.out, "| "...)
		d.prose(c.Text, c.spans, 0, place{table: true})
		d.out = append(d.out, ' ')
	}
	d.out = append(d.out, '|')
}

func delimiter(a extast.Alignment) string {
	switch a {
	case extast.AlignLeft:
		return ":---"
	case extast.AlignRight:
		return "---:"
	case extast.AlignCenter:
		return ":---:"
	case extast.AlignNone:
	}
	return "---"
}

// mark is a pair of marks that is open: one of emphasis, or a link to href.
type mark struct {
	style style // 0 for a link
	href  string
	open  string
	end   string
}

// prose writes text within lines.
func (d *document) prose(text string, spans []span, offset int, at place) {
	all := stretches(text, spans, offset)
	var open []mark
	for i, s := range all {
		if s.look == (look{href: s.text}) && d.bare(all, i) {
			open = d.marked(open, nil)
			d.out = append(d.out, s.text...)
			at.line = false
			continue
		}
		open = d.marked(open, marks(all, i, open))
		if s.look.style&code != 0 && (!at.table || !strings.Contains(s.text, "|")) && visible(s.text) {
			d.span(s.text)
			at.line = false
			continue
		}
		at.more, at.next = i > 0, i+1 < len(all)
		d.escaped(s.text, at)
		at.line = strings.HasSuffix(s.text, "\n") || strings.HasSuffix(s.text, string(hardBreak))
	}
	d.marked(open, nil)
}

// marked closes and opens marks until those of next are open.
func (d *document) marked(open, next []mark) []mark {
	keep := 0
	for keep < len(open) && keep < len(next) && open[keep] == next[keep] {
		keep++
	}
	for i := len(open) - 1; i >= keep; i-- {
		d.out = append(d.out, open[i].end...)
	}
	for _, m := range next[keep:] {
		d.out = append(d.out, m.open...)
	}
	return next
}

// marks are those around the ith stretch, the outermost first: an open one stays so
// as long as it can, and a longer one lies around the rest. Marks do not open before
// white space.
func marks(all []stretch, i int, open []mark) []mark {
	l := all[i].look
	var next []mark
	for _, m := range open {
		if m.style != 0 && l.style&m.style == 0 || m.style == 0 && l.href != m.href {
			break
		}
		next = append(next, m)
		l.style &^= m.style
		if m.style == 0 {
			l.href = ""
		}
	}
	if strings.TrimSpace(all[i].text) == "" {
		return next
	}
	var ends []int
	begin := func(m mark, end int) {
		at := len(next)
		for at > len(next)-len(ends) && ends[at-len(next)+len(ends)-1] < end {
			at--
		}
		ends = slices.Insert(ends, at-len(next)+len(ends), end)
		next = slices.Insert(next, at, m)
	}
	for _, s := range []style{bold, italic, strike} {
		if l.style&s == 0 {
			continue
		}
		end := extent(all, i, func(o look) bool { return o.style&s != 0 })
		sign := map[style]string{bold: "**", italic: "_", strike: "~~"}[s]
		if s == italic && touchesWord(all, i, end) {
			sign = "*"
		}
		begin(mark{style: s, open: sign, end: sign}, end)
	}
	if l.href != "" {
		end := extent(all, i, func(o look) bool { return o.href == l.href })
		begin(mark{href: l.href, open: "[", end: "](" + l.href + ")"}, end)
	}
	return next
}

// extent is the last stretch from the ith on that all look so.
func extent(all []stretch, i int, so func(look) bool) int {
	for i+1 < len(all) && so(all[i+1].look) {
		i++
	}
	return i
}

// touchesWord says that a letter is right before stretch i or behind stretch end.
func touchesWord(all []stretch, i, end int) bool {
	before, after := ' ', ' '
	if i > 0 {
		before, _ = utf8.DecodeLastRuneInString(all[i-1].text)
	}
	if end+1 < len(all) {
		after, _ = utf8.DecodeRuneInString(all[end+1].text)
	}
	return isWord(before) || isWord(after)
}

// bare says whether an address is a link as it stands.
func (d *document) bare(all []stretch, i int) bool {
	const harmless = "-._/:?=&%#+,@"
	text := all[i].text
	harmful := func(r rune) bool { return !isWord(r) && !strings.ContainsRune(harmless, r) }
	if !strings.HasPrefix(text, "http") || strings.ContainsFunc(text, harmful) {
		return false
	}
	if r, _ := utf8.DecodeLastRuneInString(text); !isWord(r) && r != '/' {
		return false
	}
	before := i == 0 || strings.ContainsAny(all[i-1].text[len(all[i-1].text)-1:], " \n(")
	after := i+1 == len(all) || strings.ContainsAny(all[i+1].text[:1], " \n")
	return before && after
}

// span writes code within a line.
func (d *document) span(text string) {
	text = strings.NewReplacer("\n", " ", string(hardBreak), " ").Replace(text)
	fence := strings.Repeat("`", longestRun(text)+1)
	if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") || strings.HasPrefix(text, " ") && strings.HasSuffix(text, " ") {
		text = " " + text + " "
	}
	d.out = append(d.out, fence+text+fence...)
}
