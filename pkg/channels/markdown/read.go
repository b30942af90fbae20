package markdown

import (
	"bytes"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"

	"parley/pkg/text"
)

// HardBreak is a line end in the text of a block that is one in Markdown too.
const HardBreak = '\u2028'

// Targets take as many bytes as the text itself and these at most: one definition may serve
// many links.
const freeTargets = 64 << 10

// Dialect lists the forms that a platform can show.
type Dialect struct {
	// Spoilers reads ||this|| as a spoiler.
	Spoilers bool
	// Removed names further characters that are left out, see [Clean].
	Removed func(rune) bool
	// Link is the target as a link has it, "" if it cannot be linked.
	Link func(target string) string
	// ExtraCells gives the rest of a row beyond the last column a cell of its own.
	// Otherwise it belongs to the last cell.
	ExtraCells bool
	// BlankCode keeps blocks of code without visible text.
	BlankCode bool
}

// reader walks over the tree of a text and makes blocks of it.
type reader struct {
	Dialect

	source []byte
	blocks []Block
	in     []*Container
	fresh  int             // the containers from here on have no block yet
	used   map[string]bool // labels of definitions
	budget int             // bytes of targets to go
}

// Read makes blocks of Markdown. A text that shows something has a block.
func Read(md string, d Dialect) []Block {
	md = Clean(md, d.Removed)
	r := &reader{Dialect: d}
	if isWords(md) {
		r.plain(md)
		return r.blocks
	}
	r.source, r.used, r.budget = []byte(md), map[string]bool{}, len(md)+freeTargets
	read := Parse
	if d.Spoilers {
		read = ParseSpoilers
	}
	root := read(r.source)
	r.findUsed(root)
	r.children(root)
	if len(r.blocks) == 0 && Visible(md) {
		r.plain(strings.TrimSpace(md))
	}
	return r.blocks
}

// isWords reports whether s is a line of words, which stand for themselves in Markdown: a
// short answer needs no parser. A point or a colon within a word may belong to an address.
func isWords(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', c >= utf8.RuneSelf:
		case i == 0: // of a list, a heading, code
			return false
		case '0' <= c && c <= '9', strings.IndexByte(` ,;!?'"()-/%`, c) >= 0:
		case (c == '.' || c == ':') && (i == len(s)-1 || s[i+1] == ' '):
		default:
			return false
		}
	}
	return s != "" && s[len(s)-1] != ' '
}

// findUsed notes which definitions links refer to.
func (r *reader) findUsed(n ast.Node) {
	var ref *ast.ReferenceLink
	switch n := n.(type) {
	case *ast.Link:
		ref = n.Reference
	case *ast.Image:
		ref = n.Reference
	}
	if ref != nil {
		r.used[util.ToLinkReference(ref.Value)] = true
	}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		r.findUsed(c)
	}
}

// children reads the blocks within n.
func (r *reader) children(n ast.Node) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		r.node(c)
	}
}

// node reads one node that is a block.
func (r *reader) node(n ast.Node) {
	switch n := n.(type) {
	case *ast.Heading:
		r.prose(n, Heading, n.Level)
	case *ast.Paragraph, *ast.TextBlock:
		r.prose(n, Paragraph, 0)
	case *ast.Blockquote:
		r.within(&Container{}, n)
	case *ast.List:
		r.list(n)
	case *ast.FencedCodeBlock:
		r.code(n, language(n.Language(r.source)))
	case *ast.CodeBlock:
		r.code(n, "")
	case *ast.HTMLBlock:
		code := string(n.Lines().Value(r.source))
		if n.HasClosure() {
			code += string(n.ClosureLine.Value(r.source))
		}
		r.plain(code)
	case *ast.LinkReferenceDefinition:
		if !r.used[util.ToLinkReference(n.Label)] {
			r.plain(string(n.Lines().Value(r.source)))
		}
	case *ast.ThematicBreak:
		r.emit(Block{Kind: Rule})
	case *extast.Table:
		r.table(n)
	default:
		r.children(n)
	}
}

// within reads the content of a container.
func (r *reader) within(c *Container, n ast.Node) {
	r.in = append(slices.Clip(r.in), c)
	r.children(n)
	if r.fresh < len(r.in) && c.List != nil {
		r.emit(Block{}) // an empty item
	}
	r.in = r.in[:len(r.in)-1]
	r.fresh = min(r.fresh, len(r.in))
}

// emit adds a block.
func (r *reader) emit(b Block) {
	b.In, b.Begins = r.in, r.fresh
	r.fresh = len(r.in)
	r.blocks = append(r.blocks, b)
}

// plain adds text as it is.
func (r *reader) plain(s string) {
	var t Builder
	r.add(&t, strings.Trim(s, "\n"), Look{})
	if p := t.Prose(); Visible(p.Text) {
		r.emit(Block{Prose: p})
	}
}

// prose reads a block of inline nodes.
func (r *reader) prose(n ast.Node, k Kind, level int) {
	var t Builder
	r.inline(&t, n, Look{})
	p := t.Prose()
	p.Text = strings.TrimRight(p.Text, " \t\n"+string(HardBreak))
	if Visible(p.Text) {
		r.emit(Block{Kind: k, Level: level, Prose: p})
	}
}

// list reads a list.
func (r *reader) list(n *ast.List) {
	l := &List{Ordered: n.IsOrdered(), Delimiter: n.Marker, Tight: n.IsTight}
	number := n.Start
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		r.within(&Container{List: l, Number: number, First: c == n.FirstChild(), Box: boxOf(c)}, c)
		number++
	}
}

// boxOf is the box of a task, [NoBox] for another item.
func boxOf(item ast.Node) Box {
	if item.FirstChild() == nil {
		return NoBox
	}
	box, ok := item.FirstChild().FirstChild().(*extast.TaskCheckBox)
	switch {
	case !ok:
		return NoBox
	case box.IsChecked:
		return TickedBox
	default:
		return OpenBox
	}
}

// code reads a block of code.
func (r *reader) code(n ast.Node, language string) {
	code := strings.TrimSuffix(Clean(string(n.Lines().Value(r.source)), r.Removed), "\n")
	if r.BlankCode || Visible(code) {
		r.emit(Block{Kind: Fenced, Language: language, Prose: Prose{Text: code}})
	}
}

// language is the name of a language as far as it can be one.
func language(name []byte) string {
	const longest = 32
	strange := bytes.ContainsFunc(name, func(c rune) bool {
		isWord := c < utf8.RuneSelf && (unicode.IsLetter(c) || unicode.IsDigit(c))
		return !isWord && !strings.ContainsRune("+-#._", c)
	})
	if strange || len(name) > longest {
		return ""
	}
	return string(name)
}

// table reads a table.
func (r *reader) table(n *extast.Table) {
	var rows [][]Cell
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		rows = append(rows, r.row(row))
	}
	r.emit(Block{Kind: Table, Head: rows[0], Rows: rows[1:]})
}

// row reads a row, with the rest of its line beyond the last column.
func (r *reader) row(n ast.Node) []Cell {
	var cells []Cell
	end := n.Pos()
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		var t Builder
		r.inline(&t, c, Look{})
		one := Cell{Text: t.Text.String(), Spans: t.Spans}
		if c, ok := c.(*extast.TableCell); ok {
			one.Align = c.Alignment
		}
		cells = append(cells, one)
		if c.Lines().Len() > 0 {
			end = c.Lines().At(0).Stop
		}
	}
	if end >= 0 && len(cells) > 0 {
		rest, _, _ := bytes.Cut(r.source[end:], []byte("\n"))
		cells = r.extended(cells, Clean(string(bytes.Trim(rest, "| \t")), r.Removed))
	}
	for i := range cells {
		cells[i].Width = Columns(cells[i].Text)
	}
	return cells
}

// extended is a row with the rest of its line.
func (r *reader) extended(cells []Cell, rest string) []Cell {
	switch {
	case rest == "":
		return cells
	case r.ExtraCells:
		return append(cells, Cell{Text: rest})
	}
	last := &cells[len(cells)-1]
	last.Spans = append(last.Spans, Span{End: len(last.Text)}, Span{End: len(last.Text) + len(CellGap) + len(rest)})
	last.Text += CellGap + rest
	return cells
}

// href is the target as a link has it, "" if it cannot be linked.
func (r *reader) href(target string) string {
	if len(target) > r.budget {
		return ""
	}
	target = r.Link(target)
	r.budget -= len(target)
	return target
}

// shown is a target that cannot be linked as it is shown: whole, as long as the
// budget lasts.
func (r *reader) shown(target string) string {
	if readable, err := url.PathUnescape(target); err == nil {
		target = readable
	}
	target = text.ClipBytes(target, r.budget)
	r.budget = max(0, r.budget-len(target))
	return target
}
