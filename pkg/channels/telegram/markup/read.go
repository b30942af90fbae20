package markup

import (
	"bufio"
	"bytes"
	"html"
	"net/url"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	mdhtml "github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/util"

	"parley/pkg/channels/markdown"
	"parley/pkg/text"
)

const (
	rule = "———"
	// A list lies this far to the right of its container, up to maxIndentation; a space
	// is about half as wide as a letter.
	indentation, maxIndentation = "    ", 8 * len("    ")
	tab                         = 4
	maxTarget                   = 2048 // bytes of a target that is linked
	// Targets take as many bytes as the text itself and these at most: one
	// definition may serve many links.
	freeTargets = 64 << 10
)

// reader walks over the tree of a text and makes blocks of it.
type reader struct {
	source []byte
	blocks []block
	gap    int             // line ends that the next block stands off
	indent string          // the beginning of a list's lines
	marker string          // the beginning of the next line instead: an item's marker
	quote  int             // the number of the quotation, or 0
	quotes int             // how many there were
	lists  int             // how many lists lie in one another
	used   map[string]bool // labels of definitions
	budget int             // bytes of targets to go
}

// read makes blocks of Markdown.
func read(md string) []block {
	r := &reader{source: []byte(md), used: map[string]bool{}, budget: len(md) + freeTargets}
	root := markdown.ParseSpoilers(r.source)
	r.findUsed(root)
	r.node(root)
	return r.blocks
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

// node reads one node that is a block.
func (r *reader) node(n ast.Node) {
	switch n := n.(type) {
	case *ast.Heading:
		r.paragraph(n, look{style: bold}, true)
	case *ast.Paragraph, *ast.TextBlock:
		r.paragraph(n, look{}, false)
	case *ast.Blockquote:
		r.quotation(n)
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
		r.plain(rule)
	case *extast.Table:
		r.table(n)
	default:
		r.children(n)
	}
}

// children reads the blocks within n, with a blank line between them.
func (r *reader) children(n ast.Node) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		r.node(c)
		r.space(2)
	}
}

// space keeps the next block at least gap lines off.
func (r *reader) space(gap int) { r.gap = max(r.gap, gap) }

// emit adds a block if it shows something.
func (r *reader) emit(b block) {
	if !visible(b.head + b.text) {
		return
	}
	if b.pre && r.marker != "" {
		r.plain("")
		r.space(1)
	}
	b.gap, b.quote = r.gap, r.quote
	r.gap = 0
	r.blocks = append(r.blocks, b)
}

// plain adds text as it is.
func (r *reader) plain(s string) {
	w := r.line()
	w.add(strings.Trim(s, "\n"), look{})
	r.emit(w.block())
}

// line begins a paragraph, with the marker of its item if that is due.
func (r *reader) line() *paragraph {
	w := &paragraph{indent: r.indent}
	prefix := r.marker
	if prefix == "" {
		prefix = r.indent
	}
	r.marker = ""
	w.put(prefix, look{})
	return w
}

// paragraph reads a block of inline nodes that all look at least like l.
func (r *reader) paragraph(n ast.Node, l look, heading bool) {
	w := r.line()
	r.inline(w, n, l)
	b := w.block()
	b.keep = heading
	r.emit(b)
}

// quotation reads a quotation. Telegram does not nest quotations, so an inner one becomes part
// of the outer one.
func (r *reader) quotation(n ast.Node) {
	quote, indent := r.quote, r.indent
	if r.quote == 0 {
		r.quotes++
		r.quote, r.indent = r.quotes, ""
	}
	r.children(n)
	r.quote, r.indent = quote, indent
}

// list reads a list. Blank lines between its items are kept.
func (r *reader) list(n *ast.List) {
	indent, gap := r.indent, 2
	if n.IsTight {
		gap = 1
	}
	number := n.Start
	bullets := []string{"• ", "◦ ", "▪ "}
	bullet := bullets[min(r.lists, len(bullets)-1)]
	r.lists++
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		marker := bullet
		if n.IsOrdered() {
			marker = strconv.Itoa(number) + string(n.Marker) + " "
			number++
		}
		if box := checkBox(c); box != nil {
			marker = strings.TrimPrefix(marker, bullet) + boxMark(box)
		}
		if r.marker == "" {
			marker = indent + marker
		}
		r.marker += marker
		if len(indent) < maxIndentation {
			r.indent = indent + indentation
		}
		r.item(c, gap)
		r.indent, r.gap = indent, gap
	}
	r.lists--
}

// item reads the content of one item of a list.
func (r *reader) item(n ast.Node, gap int) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if c.Kind() == ast.KindList {
			r.gap = min(r.gap, 1)
		}
		r.node(c)
		r.space(gap)
	}
	if r.marker != "" {
		r.plain("")
	}
}

// checkBox is the box of a task, nil for another item.
func checkBox(item ast.Node) *extast.TaskCheckBox {
	if item.FirstChild() == nil {
		return nil
	}
	box, _ := item.FirstChild().FirstChild().(*extast.TaskCheckBox)
	return box
}

func boxMark(box *extast.TaskCheckBox) string {
	if box.IsChecked {
		return "☑ "
	}
	return "☐ "
}

// code reads a block of code. Telegram shows a tab as one space, so that tabs
// become as many as they stand for.
func (r *reader) code(n ast.Node, language string) {
	var b strings.Builder
	column := 0
	for _, c := range strings.TrimRight(clean(string(n.Lines().Value(r.source))), "\n") {
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
	r.emit(block{pre: true, language: language, text: b.String()})
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

// inline reads the content of n into w.
func (r *reader) inline(w *paragraph, n ast.Node, l look) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		r.span(w, c, l)
	}
}

func (r *reader) span(w *paragraph, n ast.Node, l look) {
	switch n := n.(type) {
	case *ast.Text:
		r.text(w, n, l)
	case *ast.String:
		w.add(string(n.Value), l)
	case *ast.CodeSpan:
		r.codeSpan(w, n, l)
	case *ast.Emphasis:
		l.style |= []style{1: italic, 2: bold, markdown.SpoilerLevel: spoiler}[n.Level]
		r.inline(w, n, l)
	case *extast.Strikethrough:
		l.style |= strike
		r.inline(w, n, l)
	case *ast.Link:
		r.link(w, n, n.Destination, l)
	case *ast.Image:
		r.link(w, n, n.Destination, l)
	case *ast.AutoLink:
		r.address(w, n, l)
	case *ast.RawHTML:
		w.add(string(n.Segments.Value(r.source)), l)
	case *extast.TaskCheckBox: // is the marker of its item
	default:
		r.inline(w, n, l)
	}
}

// codeSpan reads code within a line; where it goes on in the next one is a space.
func (r *reader) codeSpan(w *paragraph, n ast.Node, l look) {
	l.style |= code
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			w.add(strings.ReplaceAll(string(t.Value(r.source)), "\n", " "), l)
		}
	}
}

// address reads an address that links to itself; Telegram links those of mail on its own.
func (r *reader) address(w *paragraph, n *ast.AutoLink, l look) {
	if l.href == "" && n.AutoLinkType == ast.AutoLinkURL {
		l.href = r.href(string(util.URLEscape(n.URL(r.source), false)))
	}
	w.add(string(n.Label(r.source)), l)
}

// text reads text, with its escapes resolved.
func (r *reader) text(w *paragraph, n *ast.Text, l look) {
	value := n.Value(r.source)
	if !n.IsRaw() && bytes.ContainsAny(value, `\&`) {
		var b bytes.Buffer
		resolved := bufio.NewWriter(&b)
		mdhtml.DefaultWriter.Write(resolved, value)
		_ = resolved.Flush() // a buffer takes everything
		value = []byte(html.UnescapeString(b.String()))
	}
	w.add(string(value), l)
	if n.SoftLineBreak() || n.HardLineBreak() {
		w.add("\n", l)
	}
}

// link reads a link or an image. Within another link it is its text alone. One
// that leads nowhere on the web is its text, and the target in brackets.
func (r *reader) link(w *paragraph, n ast.Node, destination []byte, l look) {
	if l.href != "" {
		r.inline(w, n, l)
		return
	}
	if markdown.TooNested(destination) {
		w.add("[", l)
		r.inline(w, n, l)
		w.add("]("+string(destination)+")", l)
		return
	}
	target := string(util.URLEscape(destination, true))
	l.href = r.href(target)
	before := w.text.Len()
	r.inline(w, n, l)
	label := w.text.String()[before:]
	switch shown := r.shown(target); {
	case l.href != "" && !visible(label):
		w.add(l.href, l)
	case l.href != "" || shown == "" || shown == label:
	case !visible(label):
		w.add(shown, l)
	default:
		w.add(" ("+shown+")", l)
	}
}

// href is the target if it can be linked, else "".
func (r *reader) href(target string) string {
	u, err := url.Parse(target)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	if len(target) > maxTarget || len(target) > r.budget {
		return ""
	}
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
