package markup

import (
	"bufio"
	"bytes"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	mdhtml "github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/util"

	"parley/pkg/channels/markdown"
	"parley/pkg/text"
)

const (
	maxTarget = 1000 // code points, escaped, of a target that is linked
	// Targets take as many bytes as the text itself and these at most: one
	// definition may serve many links.
	freeTargets = 64 << 10
	// The numbers of items that Markdown knows.
	maxNumber = 999_999_999
)

// reader walks over the tree of a text and makes blocks of it.
type reader struct {
	source []byte
	blocks []block
	in     []*container
	fresh  int             // the containers from here on have no block yet
	used   map[string]bool // labels of definitions
	budget int             // bytes of targets to go
}

// read makes blocks of Markdown. A text that shows something has a block.
func read(md string) []block {
	md = clean(md)
	r := &reader{source: []byte(md), used: map[string]bool{}, budget: len(md) + freeTargets}
	root := markdown.Parse(r.source)
	r.findUsed(root)
	r.children(root)
	if len(r.blocks) == 0 && visible(md) {
		r.plain(strings.TrimSpace(md))
	}
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
		r.prose(n, heading, n.Level)
	case *ast.Paragraph, *ast.TextBlock:
		r.prose(n, paragraph, 0)
	case *ast.Blockquote:
		r.within(&container{}, n)
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
		r.emit(block{kind: rule})
	case *extast.Table:
		r.table(n)
	default:
		r.children(n)
	}
}

// within reads the content of a container.
func (r *reader) within(c *container, n ast.Node) {
	r.in = append(slices.Clip(r.in), c)
	r.children(n)
	if r.fresh < len(r.in) && c.list != nil {
		r.emit(block{}) // an empty item
	}
	r.in = r.in[:len(r.in)-1]
	r.fresh = min(r.fresh, len(r.in))
}

// emit adds a block.
func (r *reader) emit(b block) {
	b.in, b.begins = r.in, r.fresh
	r.fresh = len(r.in)
	r.blocks = append(r.blocks, b)
}

// plain adds text as it is.
func (r *reader) plain(s string) {
	var t runs
	t.add(strings.Trim(s, "\n"), look{})
	if visible(t.text.String()) {
		r.emit(block{text: t.text.String(), spans: t.spans})
	}
}

// prose reads a block of inline nodes.
func (r *reader) prose(n ast.Node, k kind, level int) {
	var t runs
	r.inline(&t, n, look{})
	written := strings.TrimRight(t.text.String(), " \t\n"+string(hardBreak))
	if visible(written) {
		r.emit(block{kind: k, level: level, text: written, spans: t.spans})
	}
}

// list reads a list.
func (r *reader) list(n *ast.List) {
	l := &list{ordered: n.IsOrdered(), tight: n.IsTight}
	number := n.Start
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		r.within(&container{list: l, number: min(number, maxNumber), first: c == n.FirstChild(), box: boxOf(c)}, c)
		number++
	}
}

// boxOf is how a task begins, "" for another item.
func boxOf(item ast.Node) string {
	if item.FirstChild() == nil {
		return ""
	}
	box, ok := item.FirstChild().FirstChild().(*extast.TaskCheckBox)
	switch {
	case !ok:
		return ""
	case box.IsChecked:
		return "[x] "
	default:
		return "[ ] "
	}
}

// code reads a block of code.
func (r *reader) code(n ast.Node, language string) {
	r.emit(block{kind: fenced, language: language, text: strings.TrimSuffix(clean(string(n.Lines().Value(r.source))), "\n")})
}

// language is the name of a language as far as it can be one.
func language(name []byte) string {
	const longest = 32
	strange := bytes.ContainsFunc(name, func(c rune) bool {
		return c >= 0x80 || !isWord(c) && !strings.ContainsRune("+-#._", c)
	})
	if strange || len(name) > longest {
		return ""
	}
	return string(name)
}

// inline reads the content of n.
func (r *reader) inline(t *runs, n ast.Node, l look) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		r.span(t, c, l)
	}
}

func (r *reader) span(t *runs, n ast.Node, l look) {
	switch n := n.(type) {
	case *ast.Text:
		r.text(t, n, l)
	case *ast.String:
		t.add(string(n.Value), l)
	case *ast.CodeSpan:
		l.style |= code
		for c := n.FirstChild(); c != nil; c = c.NextSibling() {
			if s, ok := c.(*ast.Text); ok {
				t.add(strings.ReplaceAll(string(s.Value(r.source)), "\n", " "), l)
			}
		}
	case *ast.Emphasis:
		l.style |= []style{1: italic, 2: bold}[n.Level]
		r.inline(t, n, l)
	case *extast.Strikethrough:
		l.style |= strike
		r.inline(t, n, l)
	case *ast.Link:
		r.link(t, n, n.Destination, l)
	case *ast.Image:
		r.link(t, n, n.Destination, l)
	case *ast.AutoLink:
		r.address(t, n, l)
	case *ast.RawHTML:
		t.add(string(n.Segments.Value(r.source)), l)
	case *extast.TaskCheckBox: // is the marker of its item
	default:
		r.inline(t, n, l)
	}
}

// address reads an address that links to itself; Slack links those of mail on its own.
func (r *reader) address(t *runs, n *ast.AutoLink, l look) {
	if l.href == "" && n.AutoLinkType == ast.AutoLinkURL {
		l.href = r.href(string(util.URLEscape(n.URL(r.source), false)))
	}
	t.add(string(n.Label(r.source)), l)
}

// text reads text, with its escapes resolved.
func (r *reader) text(t *runs, n *ast.Text, l look) {
	value := n.Value(r.source)
	if !n.IsRaw() && bytes.ContainsAny(value, `\&`) {
		var b bytes.Buffer
		resolved := bufio.NewWriter(&b)
		mdhtml.DefaultWriter.Write(resolved, value)
		_ = resolved.Flush() // a buffer takes everything
		value = []byte(html.UnescapeString(b.String()))
	}
	t.add(string(value), l)
	switch {
	case n.HardLineBreak():
		t.put(string(hardBreak), l)
	case n.SoftLineBreak():
		t.put("\n", l)
	}
}

// link reads a link or an image, which becomes one. Within another link it is its
// text alone. One whose target is not linked is its text, and the target in brackets.
func (r *reader) link(t *runs, n ast.Node, destination []byte, l look) {
	if l.href != "" {
		r.inline(t, n, l)
		return
	}
	if markdown.TooNested(destination) {
		t.add("[", l)
		r.inline(t, n, l)
		t.add("]("+string(destination)+")", l)
		return
	}
	target := string(util.URLEscape(destination, true))
	l.href = r.href(target)
	before := t.text.Len()
	r.inline(t, n, l)
	label := t.text.String()[before:]
	switch shown := r.shown(target); {
	case l.href != "" && !visible(label):
		t.add(l.href, l)
	case l.href != "" || shown == "" || shown == label:
	case !visible(label):
		t.add(shown, l)
	default:
		t.add(" ("+shown+")", l)
	}
}

// entity is a text that Markdown reads as a character.
var entity = regexp.MustCompile(`&#?[0-9A-Za-z]+;`)

// href is the target if it can be linked, else "". It is free of the characters that
// end a target or a link in Markdown or in Slack's markup.
func (r *reader) href(target string) string {
	u, err := url.Parse(target)
	if err != nil || len(target) > r.budget {
		return ""
	}
	switch u.Scheme {
	case "http", "https":
		if u.Host == "" {
			return ""
		}
	case "mailto":
		if u.Opaque == "" {
			return ""
		}
	default:
		return ""
	}
	target = u.Scheme + target[len(u.Scheme):] // in small letters
	target = strings.NewReplacer("<", "%3C", ">", "%3E", "|", "%7C", "(", "%28", ")", "%29", `\`, "%5C",
		`"`, "%22", "'", "%27", "`", "%60", "*", "%2A", " ", "%20").Replace(target)
	target = entity.ReplaceAllStringFunc(target, func(s string) string { return strings.TrimSuffix(s, ";") + "%3B" })
	if costOf(target) > maxTarget || strings.ContainsFunc(target, func(c rune) bool { return c <= ' ' || c >= 0x7F }) {
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
