package markup

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"parley/pkg/channels/markdown"
)

const (
	rule = "———"
	// A list lies this far to the right of its container, up to maxIndentation; a space
	// is about half as wide as a letter.
	indentation, maxIndentation = "    ", 8 * len("    ")
	tab                         = 4
	maxTarget                   = 2048 // bytes of a target that is linked
)

// dialect is the set of forms that Telegram can show.
func dialect() markdown.Dialect {
	return markdown.Dialect{Spoilers: true, Removed: removed, Link: linked, ExtraCells: true}
}

// removed names the characters that Telegram removes beside those of [markdown.Clean]: three
// marks that draw lines through other lines.
func removed(r rune) bool { return r == '\u030A' || r == '\u0333' || r == '\u033F' }

// linked is a target that leads to the web, "" for another one.
func linked(target string) string {
	u, err := url.Parse(target)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || len(target) > maxTarget {
		return ""
	}
	return target
}

// layout turns blocks into lines: Telegram has no lists and no headings.
type layout struct {
	blocks []block
	gap    int // line ends that the next block stands off
}

// lay makes lines of the blocks of a text.
func lay(tree []markdown.Block) []block {
	var l layout
	for i := range tree {
		if i > 0 {
			l.gap = max(l.gap, gap(&tree[i-1], &tree[i]))
		}
		l.block(&tree[i])
	}
	return l.blocks
}

// gap is how many line ends stand between two blocks: one within a list without blank lines
// and before a list in an item, else two.
func gap(before, b *markdown.Block) int {
	same := 0
	for same < len(before.In) && same < len(b.In) && before.In[same] == b.In[same] {
		same++
	}
	if same < len(before.In) && same < len(b.In) {
		if list := before.In[same].List; list != nil && list == b.In[same].List {
			return min(spacing(b.In[same]), nested(b.In[same:]))
		}
	}
	lines := 2
	if same > 0 && b.In[same-1].List != nil {
		lines = spacing(b.In[same-1])
		if same < len(before.In) {
			lines = max(lines, spacing(before.In[same]))
		}
	}
	return min(lines, nested(b.In[max(0, same-1):]))
}

// spacing is how many line ends stand between the blocks of a container.
func spacing(c *markdown.Container) int {
	if c.List != nil && c.List.Tight {
		return 1
	}
	return 2
}

// nested is 1 where an item begins with a list, else 2.
func nested(in []*markdown.Container) int {
	for i := 1; i < len(in); i++ {
		if in[i-1].List != nil && in[i].List != nil {
			return 1
		}
	}
	return 2
}

// position is where the lines of a block begin.
type position struct {
	marker string // of the items that begin with it, or ""
	indent string // of the other lines
	quote  *markdown.Container
}

// positionOf finds the containers of b. Telegram does not nest quotations, so an inner one is
// part of the outer one.
func positionOf(b *markdown.Block) position {
	var p position
	depth := 0
	for i, c := range b.In {
		if c.List == nil {
			if p.quote == nil {
				p.quote, p.indent = c, ""
			}
			continue
		}
		if i >= b.Begins {
			if p.marker == "" {
				p.marker = p.indent
			}
			p.marker += marker(c, depth)
		}
		depth++
		if len(p.indent) < maxIndentation {
			p.indent += indentation
		}
	}
	return p
}

// marker is the beginning of an item.
func marker(c *markdown.Container, depth int) string {
	box := []string{markdown.OpenBox: "☐ ", markdown.TickedBox: "☑ "}[c.Box]
	switch {
	case c.List.Ordered:
		return strconv.Itoa(c.Number) + string(c.List.Delimiter) + " " + box
	case box != "":
		return box
	default:
		return []string{"• ", "◦ ", "▪ "}[min(depth, 2)]
	}
}

// block lays out b.
func (l *layout) block(b *markdown.Block) {
	at := positionOf(b)
	switch b.Kind {
	case markdown.Fenced, markdown.Table:
		if at.marker != "" {
			l.prose(at, markdown.Prose{}, false)
			l.gap = 1
		}
		if b.Kind == markdown.Table {
			l.table(at, b)
			return
		}
		code := markdown.Prose{Text: expanded(strings.TrimRight(b.Text, "\n"))}
		l.emit(at, block{pre: true, language: b.Language, Prose: code})
	case markdown.Rule:
		l.prose(at, markdown.Prose{Text: rule}, false)
	case markdown.Heading:
		l.prose(at, b.Emboldened(), true)
	case markdown.Paragraph:
		l.prose(at, b.Prose, false)
	}
}

// prose adds text with its looks.
func (l *layout) prose(at position, text markdown.Prose, heading bool) {
	p := paragraph{indent: at.indent}
	first := at.marker
	if first == "" {
		first = at.indent
	}
	p.put(first, look{})
	p.add(text)
	b := p.block()
	b.keep = heading
	l.emit(at, b)
}

// emit adds a block if it shows something.
func (l *layout) emit(at position, b block) {
	if !markdown.Visible(b.head + b.Text) {
		return
	}
	b.gap, b.quote = l.gap, at.quote
	l.gap = 0
	l.blocks = append(l.blocks, b)
}

// expanded is code with as many spaces as a tab stands for: Telegram shows one.
func expanded(code string) string {
	var b strings.Builder
	column := 0
	for _, c := range code {
		switch c {
		case '\t':
			width := tab - column%tab
			b.WriteString(strings.Repeat(" ", width))
			column += width
			continue
		case '\n':
			column = -1
		}
		b.WriteRune(c)
		column++
	}
	return b.String()
}

// table adds the rows of a table in letters of one width, and below them the links that are
// in it, for which there is no place in such text.
func (l *layout) table(at position, b *markdown.Block) {
	links := &paragraph{indent: at.indent}
	rows := slices.Concat([][]markdown.Cell{b.Head}, b.Rows)
	for _, row := range rows {
		for _, c := range row {
			links.links(c)
		}
	}
	widths := markdown.Widths(rows)
	lines := make([]string, len(rows))
	for i, row := range rows {
		lines[i] = markdown.Line(row, widths)
	}
	head := lines[0] + "\n" + markdown.Underline(b.Head, widths)
	if body := strings.Join(lines[1:], "\n"); strings.TrimSpace(body) != "" {
		l.emit(at, block{pre: true, head: head + "\n", Prose: markdown.Prose{Text: body}})
	} else {
		l.emit(at, block{pre: true, Prose: markdown.Prose{Text: head}})
	}
	if links.Text.Len() > 0 {
		l.gap = max(l.gap, 1)
		l.emit(at, links.block())
	}
}
