package ansi

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"parley/pkg/channels/console"
	"parley/pkg/channels/markdown"
)

// Document is Markdown as lines.
type Document struct {
	Lines []Line
	// Ends are the numbers of lines at which the blocks end. All blocks but the last one stay as
	// they are when the text goes on.
	Ends []int
}

// Start is the number of the line with which a block begins, the empty line before it included.
func (d *Document) Start(block int) int {
	if block <= 0 || len(d.Ends) == 0 {
		return 0
	}
	return d.Ends[min(block, len(d.Ends))-1]
}

// Markdown writes a text in lines of a width.
func Markdown(text string, width int) Document { return write(text, width, "") }

// Question writes the question about a call: its blocks of code show what is lost and gained.
func Question(text string, width int) Document { return write(text, width, languageDiff) }

// write writes a text; code is the language of blocks of code that name none.
func write(text string, width int, code string) Document {
	w := &writer{width: max(width, MinWidth), language: code}
	blocks := markdown.Read(console.Sanitize(text), dialect())
	ends := make([]int, len(blocks))
	for i := range blocks {
		if i > 0 && apart(&blocks[i-1], &blocks[i]) {
			w.gap(&blocks[i-1], &blocks[i])
		}
		w.block(&blocks[i])
		ends[i] = len(w.lines)
	}
	return Document{w.lines, ends}
}

// dialect is what a terminal can show.
func dialect() markdown.Dialect {
	return markdown.Dialect{Removed: func(rune) bool { return false }, Link: linked, BlankCode: true}
}

// linked lets links lead to the web and to mail. The sequence of a link in a terminal takes
// printable ASCII.
func linked(target string) string {
	const most = 2000 // terminals cut longer ones
	u, err := url.Parse(target)
	if err != nil || !slices.Contains([]string{"http", "https", "mailto"}, u.Scheme) || u.Scheme != "mailto" && u.Host == "" {
		return ""
	}
	address := u.String()
	if len(address) > most || strings.ContainsFunc(address, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return ""
	}
	return address
}

// writer writes blocks one below the other.
type writer struct {
	width    int
	language string
	lines    []Line
	// first and rest are what stands before the first line of a block, and before the others.
	first, rest Line
}

// apart says whether an empty line stands between two blocks: none between the items of a list, and
// none between an item's words and a list in it.
func apart(before, b *markdown.Block) bool {
	if b.Begins >= len(b.In) || b.In[b.Begins].List == nil {
		return true
	}
	if b.Begins < len(before.In) {
		return before.In[b.Begins].List != b.In[b.Begins].List
	}
	return len(before.In) == 0 || before.In[len(before.In)-1].List == nil
}

// gap is an empty line in the quotations that two blocks share.
func (w *writer) gap(before, b *markdown.Block) {
	shared := 0
	for shared < len(before.In) && shared < b.Begins && before.In[shared] == b.In[shared] {
		shared++
	}
	var marks strings.Builder
	for _, c := range b.In[:shared] {
		if c.List == nil {
			marks.WriteString(quoteMark)
		} else {
			marks.WriteString(strings.Repeat(" ", len(marker(c))))
		}
	}
	w.lines = append(w.lines, Text(strings.TrimRight(marks.String(), " "), Mark))
}

// The marks of containers.
const (
	quoteMark  = "│ "
	bullet     = "• "
	openBox    = "☐ "
	tickedBox  = "☑ "
	rule       = "─"
	maxRule    = 40
	codeIndent = "  "
)

// marker is what stands before an item of a list; its code points are one column wide.
func marker(c *markdown.Container) []rune {
	mark := bullet
	if c.List.Ordered {
		mark = strconv.Itoa(c.Number) + string(c.List.Delimiter) + " "
	}
	switch c.Box {
	case markdown.OpenBox:
		mark = openBox
	case markdown.TickedBox:
		mark = tickedBox
	case markdown.NoBox:
	}
	return []rune(mark)
}

// block writes a block behind the marks of its containers, the innermost of them where there is no
// room for all.
func (w *writer) block(b *markdown.Block) {
	w.first, w.rest = Line{}, Line{}
	room := w.width / 2
	for i, c := range slices.Backward(b.In) {
		columns := len([]rune(quoteMark))
		if c.List != nil {
			columns = len(marker(c))
		}
		if room -= columns; room < 0 {
			break
		}
		first, rest := markOf(c, i >= b.Begins)
		w.first, w.rest = joined(first, w.first), joined(rest, w.rest)
	}
	switch b.Kind {
	case markdown.Heading:
		w.prose(&b.Prose, Look{Role: Heading})
	case markdown.Fenced:
		w.code(b)
	case markdown.Table:
		w.table(b)
	case markdown.Rule:
		var l Line
		l.put(strings.Repeat(rule, min(w.room(), maxRule)), Look{Role: Mark})
		w.line(l)
	case markdown.Paragraph:
		w.prose(&b.Prose, Look{})
	}
}

// markOf is the mark of a container on the first line of a block, and on the others.
func markOf(c *markdown.Container, begins bool) (first, rest Line) { //nolint:revive // flag-parameter: the first block has the mark
	if c.List == nil {
		rest.put(quoteMark, Look{Role: Mark})
		return rest, rest
	}
	mark := marker(c)
	rest.put(strings.Repeat(" ", len(mark)), Look{})
	if !begins {
		return rest, rest
	}
	first.put(string(mark), Look{Role: Mark})
	return first, rest
}

func joined(a, b Line) Line {
	var l Line
	l.Join(a)
	l.Join(b)
	return l
}

// room is the width that the marks leave.
func (w *writer) room() int { return w.width - w.rest.Columns() }

// line writes a line of a block.
func (w *writer) line(l Line) {
	w.lines = append(w.lines, joined(w.first, l))
	w.first = w.rest
}

// prose writes text with looks.
func (w *writer) prose(p *markdown.Prose, base Look) {
	lines := linesOf(p, base)
	for i := range lines {
		for _, l := range lines[i].Wrap(w.room()) {
			w.line(l)
		}
	}
}

// growing are lines that are put together.
type growing struct{ lines []Line }

// put goes on with a text that may have line ends.
func (g *growing) put(text string, look Look) {
	if len(g.lines) == 0 {
		g.lines = []Line{{}}
	}
	for i, part := range strings.Split(text, "\n") {
		if i > 0 {
			g.lines = append(g.lines, Line{})
		}
		g.lines[len(g.lines)-1].put(oneLine(part), look)
	}
}

// linesOf are the lines of a text, each as long as it is. A link is followed by where it leads, if its
// text does not say so.
func linesOf(p *markdown.Prose, base Look) []Line {
	var g growing
	label, from := "", 0
	spans := append(slices.Clone(p.Spans), markdown.Span{End: p.Offset + len(p.Text)})
	for i, s := range spans {
		to := min(s.End-p.Offset, len(p.Text))
		if to <= from {
			continue
		}
		text := strings.ReplaceAll(p.Text[from:to], string(markdown.HardBreak), "\n")
		from = to
		g.put(text, lookOf(s.Look, base))
		href := s.Look.Href
		if href == "" {
			label = ""
			continue
		}
		label += text
		if i+1 < len(spans) && spans[i+1].Look.Href == href {
			continue
		}
		if !saysTarget(label, href) {
			g.put(" ("+href+")", Look{Role: Faint})
		}
		label = ""
	}
	return g.lines
}

// saysTarget says whether the text of a link is where it leads.
func saysTarget(label, href string) bool {
	plain := func(s string) string {
		for _, lead := range []string{"https://", "http://", "mailto:"} {
			s = strings.TrimPrefix(s, lead)
		}
		return strings.TrimSuffix(s, "/")
	}
	return plain(label) == plain(href)
}

// lookOf is the look of a stretch of Markdown.
func lookOf(l markdown.Look, base Look) Look {
	has := func(s markdown.Style) bool { return l.Style&s != 0 }
	look := base
	look.Bold, look.Italic, look.Strike, look.Href = has(markdown.Bold), has(markdown.Italic), has(markdown.Strike), l.Href
	switch {
	case l.Href != "":
		look.Role = Link
	case has(markdown.Code):
		look.Role = Code
	}
	return look
}

// code writes a block of code, which may be cut anywhere.
func (w *writer) code(b *markdown.Block) {
	lines := Highlight(b.Text, cmp.Or(b.Language, w.language))
	for i := range lines {
		for _, l := range lines[i].Chop(w.room() - len(codeIndent)) {
			w.line(joined(Text(codeIndent, Plain), l))
		}
	}
}
