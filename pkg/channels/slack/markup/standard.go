package markup

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	extast "github.com/yuin/goldmark/extension/ast"

	"parley/pkg/channels/markdown"
)

// nesting follows the containers of the blocks of one part. A container from an
// earlier part is not continued, but a quotation is opened again.
type nesting struct {
	begun map[*markdown.Container]bool
	in    []*markdown.Container // the block's containers, as far as this part shows them
	same  int                   // so many of these are those of the block before
	last  []*markdown.Container
	other map[*markdown.List]bool // has the other mark, as the list before it has the first
	tight bool                    // no blank line stands before the block
	some  bool                    // it is not the first block
}

// enter passes to a block.
func (n *nesting) enter(b *block) {
	if n.begun == nil {
		n.begun, n.other = map[*markdown.Container]bool{}, map[*markdown.List]bool{}
	} else {
		n.some = true
	}
	n.last, n.in = n.in, nil
	for i, c := range b.In {
		if i >= b.Begins {
			n.begun[c] = true
		}
		if c.List == nil || n.begun[c] {
			n.in = append(n.in, c)
		}
	}
	n.same = 0
	for n.same < len(n.in) && n.same < len(n.last) && n.in[n.same] == n.last[n.same] {
		n.same++
	}
	outer := &markdown.Container{}
	if n.same > 0 {
		outer = n.in[n.same-1]
	}
	if n.same == len(n.in) {
		n.tight = (b.Kind == markdown.Fenced || b.Kind == markdown.Heading) && tight(outer)
		return
	}
	n.tight = n.goesOn(n.in[n.same], outer)
}

// goesOn says that an item, which lies in outer, follows without a blank line. Lists
// that would be read as one get different marks.
func (n *nesting) goesOn(c, outer *markdown.Container) bool {
	if c.List == nil {
		return false
	}
	if n.same < len(n.last) {
		if before := n.last[n.same].List; before != nil && before != c.List {
			n.other[c.List] = before.Ordered == c.List.Ordered && !n.other[before]
			return false
		}
	}
	if c.First {
		return tight(outer) && (!c.List.Ordered || number(c) == 1)
	}
	return tight(c)
}

// tight says that the container is an item of a list without blank lines.
func tight(c *markdown.Container) bool { return c.List != nil && c.List.Tight }

// number is that of an item, as far as Markdown knows it.
func number(c *markdown.Container) int { return min(c.Number, maxNumber) }

// box is how a task begins, "" for another item.
func box(c *markdown.Container) string {
	return []string{markdown.OpenBox: "[ ] ", markdown.TickedBox: "[x] "}[c.Box]
}

// marker is the beginning of an item in Markdown.
func (n *nesting) marker(c *markdown.Container) string {
	switch other := n.other[c.List]; {
	case c.List.Ordered && other:
		return strconv.Itoa(number(c)) + ") "
	case c.List.Ordered:
		return strconv.Itoa(number(c)) + ". "
	case other:
		return "* "
	default:
		return "- "
	}
}

// prefix stands before each line of a container but its first.
func (n *nesting) prefix(in []*markdown.Container) string {
	var p strings.Builder
	for _, c := range in {
		if c.List == nil {
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
		if c.List == nil {
			d.out = append(d.out, "> "...)
		} else {
			d.out = append(d.out, d.marker(c)+box(c)...)
		}
	}
	d.indent = d.prefix(d.in)
	switch b.Kind {
	case markdown.Paragraph:
		d.prose(b.Prose, place{line: true})
	case markdown.Heading:
		d.out = append(d.out, strings.Repeat("#", b.Level)+" "...)
		oneLine := b.Prose
		oneLine.Text = strings.NewReplacer("\n", " ", string(markdown.HardBreak), "   ").Replace(b.Text)
		d.prose(oneLine, place{heading: true})
	case markdown.Fenced:
		d.code(b)
	case markdown.Table:
		d.table(b)
	case markdown.Rule:
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
	fence := strings.Repeat("`", max(3, longestRun(b.Text)+1))
	d.out = append(d.out, fence+b.Language...)
	if b.Text != "" {
		for line := range strings.SplitSeq(b.Text, "\n") {
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
	d.row(b.Head)
	d.newline()
	for _, c := range b.Head {
		d.out = append(d.out, "| "+delimiter(c.Align)+" "...)
	}
	d.out = append(d.out, '|')
	for _, row := range b.Rows {
		d.newline()
		d.row(row)
	}
}

// row writes a row of a table.
func (d *document) row(row []markdown.Cell) {
	for _, c := range row {
		d.out = append(d.out, "| "...)
		d.prose(markdown.Prose{Text: c.Text, Spans: c.Spans}, place{table: true})
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
	style markdown.Style // 0 for a link
	href  string
	open  string
	end   string
}

// prose writes text within lines.
func (d *document) prose(p markdown.Prose, at place) {
	all := stretches(p)
	var open []mark
	for i, s := range all {
		if s.look == (look{Href: s.text}) && d.bare(all, i) {
			open = d.marked(open, nil)
			d.out = append(d.out, s.text...)
			at.line = false
			continue
		}
		open = d.marked(open, marks(all, i, open))
		if s.look.Style&markdown.Code != 0 && (!at.table || !strings.Contains(s.text, "|")) && markdown.Visible(s.text) {
			d.span(s.text)
			at.line = false
			continue
		}
		at.more, at.next = i > 0, i+1 < len(all)
		d.escaped(s.text, at)
		at.line = strings.HasSuffix(s.text, "\n") || strings.HasSuffix(s.text, string(markdown.HardBreak))
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
		if m.style != 0 && l.Style&m.style == 0 || m.style == 0 && l.Href != m.href {
			break
		}
		next = append(next, m)
		l.Style &^= m.style
		if m.style == 0 {
			l.Href = ""
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
	for _, s := range []markdown.Style{markdown.Bold, markdown.Italic, markdown.Strike} {
		if l.Style&s == 0 {
			continue
		}
		end := extent(all, i, func(o look) bool { return o.Style&s != 0 })
		sign := map[markdown.Style]string{markdown.Bold: "**", markdown.Italic: "_", markdown.Strike: "~~"}[s]
		if s == markdown.Italic && touchesWord(all, i, end) {
			sign = "*"
		}
		begin(mark{style: s, open: sign, end: sign}, end)
	}
	if l.Href != "" {
		end := extent(all, i, func(o look) bool { return o.Href == l.Href })
		begin(mark{href: l.Href, open: "[", end: "](" + l.Href + ")"}, end)
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
	text = strings.NewReplacer("\n", " ", string(markdown.HardBreak), " ").Replace(text)
	fence := strings.Repeat("`", longestRun(text)+1)
	if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") || strings.HasPrefix(text, " ") && strings.HasSuffix(text, " ") {
		text = " " + text + " "
	}
	d.out = append(d.out, fence+text+fence...)
}
