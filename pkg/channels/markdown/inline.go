package markdown

import (
	"bufio"
	"bytes"
	"html"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	mdhtml "github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/util"
)

// add goes on with text as it came from the Markdown.
func (r *reader) add(t *Builder, s string, l Look) { t.Put(Clean(s, r.Removed), l) }

// inline reads the content of n.
func (r *reader) inline(t *Builder, n ast.Node, l Look) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		r.span(t, c, l)
	}
}

func (r *reader) span(t *Builder, n ast.Node, l Look) {
	switch n := n.(type) {
	case *ast.Text:
		r.text(t, n, l)
	case *ast.String:
		r.add(t, string(n.Value), l)
	case *ast.CodeSpan:
		r.codeSpan(t, n, l)
	case *ast.Emphasis:
		l.Style |= []Style{1: Italic, 2: Bold, spoilerLevel: Spoiler}[n.Level]
		r.inline(t, n, l)
	case *extast.Strikethrough:
		l.Style |= Strike
		r.inline(t, n, l)
	case *ast.Link:
		r.link(t, n, n.Destination, l)
	case *ast.Image:
		r.link(t, n, n.Destination, l)
	case *ast.AutoLink:
		r.address(t, n, l)
	case *ast.RawHTML:
		r.add(t, string(n.Segments.Value(r.source)), l)
	case *extast.TaskCheckBox: // is the marker of its item
	default:
		r.inline(t, n, l)
	}
}

// codeSpan reads code within a line; a line end in it is a space.
func (r *reader) codeSpan(t *Builder, n ast.Node, l Look) {
	l.Style |= Code
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if s, ok := c.(*ast.Text); ok {
			r.add(t, strings.ReplaceAll(string(s.Value(r.source)), "\n", " "), l)
		}
	}
}

// address reads an address that links to itself; platforms link those of mail on their own.
func (r *reader) address(t *Builder, n *ast.AutoLink, l Look) {
	if l.Href == "" && n.AutoLinkType == ast.AutoLinkURL {
		l.Href = r.href(string(util.URLEscape(n.URL(r.source), false)))
	}
	r.add(t, string(n.Label(r.source)), l)
}

// text reads text, with its escapes resolved.
func (r *reader) text(t *Builder, n *ast.Text, l Look) {
	value := n.Value(r.source)
	if !n.IsRaw() && bytes.ContainsAny(value, `\&`) {
		var b bytes.Buffer
		resolved := bufio.NewWriter(&b)
		mdhtml.DefaultWriter.Write(resolved, value)
		_ = resolved.Flush() // a buffer takes everything
		value = []byte(html.UnescapeString(b.String()))
	}
	r.add(t, string(value), l)
	switch {
	case n.HardLineBreak():
		t.Put(string(HardBreak), l)
	case n.SoftLineBreak():
		t.Put("\n", l)
	}
}

// link reads a link or an image, which becomes one. Within another link it is its text
// alone. One with a target that is not linked is its text, and the target in brackets.
func (r *reader) link(t *Builder, n ast.Node, destination []byte, l Look) {
	if l.Href != "" {
		r.inline(t, n, l)
		return
	}
	if tooNested(destination) {
		r.add(t, "[", l)
		r.inline(t, n, l)
		r.add(t, "]("+string(destination)+")", l)
		return
	}
	target := string(util.URLEscape(destination, true))
	l.Href = r.href(target)
	before := t.Text.Len()
	r.inline(t, n, l)
	label := t.Text.String()[before:]
	switch shown := r.shown(target); {
	case l.Href != "" && !Visible(label):
		r.add(t, l.Href, l)
	case l.Href != "" || shown == "" || shown == label:
	case !Visible(label):
		r.add(t, shown, l)
	default:
		r.add(t, " ("+shown+")", l)
	}
}
