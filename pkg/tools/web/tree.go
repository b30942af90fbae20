package web

import (
	"bytes"
	"errors"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// tree is a page as elements. It is built from the tokens of golang.org/x/net/html and
// not by its parser, which repairs misnested elements and lets some bytes become any
// number of elements; here each tag becomes at most one.
type tree struct {
	root, body *html.Node
	title      string
	// cut says that a limit ended it before the page's end.
	cut bool

	base    *url.URL
	rebased bool
	open    []*html.Node // from body to the innermost element
	nodes   int
	text    int
	weight  int
	span    int
	// preformatted counts the open elements in which white space stays.
	preformatted int
}

// parsePage builds the tree of a page that was found at base.
func parsePage(page []byte, base *url.URL) *tree {
	t := &tree{root: &html.Node{Type: html.DocumentNode}, base: base}
	root := element(atom.Html)
	t.body = element(atom.Body)
	root.AppendChild(element(atom.Head))
	root.AppendChild(t.body)
	t.root.AppendChild(root)
	t.open = []*html.Node{t.body}
	t.read(page)
	t.flattenTables()
	return t
}

func element(a atom.Atom) *html.Node {
	return &html.Node{Type: html.ElementNode, DataAtom: a, Data: a.String()}
}

// read takes the page token by token. The tokenizer gives up at a token that is
// too long; reading goes on behind it.
func (t *tree) read(page []byte) {
	for len(page) > 0 && !t.cut {
		z := html.NewTokenizer(bytes.NewReader(page))
		z.SetMaxBuf(maxToken)
		read, again := 0, false
		for !again {
			kind := z.Next()
			if kind == html.ErrorToken {
				break
			}
			read += len(z.Raw())
			skip, more := t.token(z, kind, page[read:])
			if !more {
				t.cut = true
				return
			}
			read += skip
			again = skip > 0
		}
		if !again {
			if !errors.Is(z.Err(), html.ErrBufferExceeded) {
				return
			}
			read += overlong(page[read:])
		}
		page = page[read:]
	}
}

// overlong says how many bytes a token has that is too long for the tokenizer.
func overlong(rest []byte) int {
	if len(rest) == 0 {
		return 0
	}
	if end := bytes.IndexByte(rest, '>'); rest[0] == '<' && end >= 0 {
		return end + 1
	}
	return len(rest)
}

// token takes one token. Skip is how much of rest belongs to an element that is
// left out; more is false at a limit.
func (t *tree) token(z *html.Tokenizer, kind html.TokenType, rest []byte) (skip int, more bool) {
	switch kind {
	case html.TextToken:
		return 0, t.addText(z.Text())
	case html.EndTagToken:
		name, _ := z.TagName()
		t.end(atom.Lookup(name))
		return 0, true
	case html.StartTagToken, html.SelfClosingTagToken:
		name, hasAttr := z.TagName()
		a := atom.Lookup(name)
		switch {
		case a == atom.Title && kind == html.StartTagToken:
			skip := rawText(a, rest)
			if text, _, _ := bytes.Cut(clipBytes(rest[:skip], 2*maxURL), []byte("</")); t.title == "" {
				t.title = line(html.UnescapeString(string(text)), maxTitle)
			}
			return skip, true
		case dropped(a):
			if kind == html.SelfClosingTagToken && a != atom.Script && a != atom.Style {
				return 0, true
			}
			t.nodes += anewWeight // reading begins anew behind it, which has its price
			return rawText(a, rest), t.nodes <= maxNodes
		}
		return 0, t.start(a, z, hasAttr)
	default:
		return 0, true
	}
}

func clipBytes(b []byte, n int) []byte { return b[:min(len(b), n)] }

// dropped says which elements are left out with all that is in them.
func dropped(a atom.Atom) bool {
	switch a {
	case atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Iframe, atom.Noembed, atom.Noframes, atom.Svg, atom.Math,
		atom.Textarea, atom.Select, atom.Object, atom.Canvas, atom.Audio, atom.Video, atom.Datalist:
		return true
	default:
		return false
	}
}

// rawText is the distance to the end of an element with skipped content: behind its end
// tag, or to the end of the page.
func rawText(a atom.Atom, rest []byte) int {
	name := a.String()
	for at := 0; ; {
		i := bytes.Index(rest[at:], []byte("</"))
		if i < 0 {
			return len(rest)
		}
		at += i + len("</")
		behind := at + len(name)
		if len(rest) <= behind || !strings.EqualFold(string(rest[at:behind]), name) || !strings.ContainsRune(" \t\n\f\r/>", rune(rest[behind])) {
			continue
		}
		end := bytes.IndexByte(rest[at:], '>')
		if end < 0 {
			return len(rest)
		}
		return at + end + 1
	}
}

func (t *tree) top() *html.Node { return t.open[len(t.open)-1] }

// add hangs n into the innermost open element. It is false at the limit.
func (t *tree) add(n *html.Node) bool {
	t.nodes++
	t.weight += (len(n.Data) + nodeWeight) * len(t.open)
	if t.nodes > maxNodes || t.weight > maxWeight {
		return false
	}
	t.top().AppendChild(n)
	return true
}

func (t *tree) addText(text []byte) bool {
	if t.preformatted == 0 && len(bytes.TrimSpace(text)) == 0 {
		if prev := t.top().LastChild; prev == nil || prev.Type == html.TextNode {
			return true
		}
		text = []byte(" ")
	}
	t.text += len(text)
	if t.text > maxText {
		return false
	}
	return t.add(&html.Node{Type: html.TextNode, Data: clean(string(text))})
}

// start opens an element. Where the page is too deep, its content stays without it.
func (t *tree) start(a atom.Atom, z *html.Tokenizer, hasAttr bool) bool {
	if a == atom.Base {
		t.attributes(a, z, hasAttr)
	}
	if !kept(a) {
		return true
	}
	t.imply(a)
	switch {
	case void(a):
		return t.add(t.attributes(a, z, hasAttr))
	case len(t.open) >= maxDepth:
		return true
	}
	return t.enter(t.attributes(a, z, hasAttr))
}

// enter adds an element and makes it the innermost.
func (t *tree) enter(n *html.Node) bool {
	if !t.add(n) {
		return false
	}
	t.open = append(t.open, n)
	if n.DataAtom == atom.Pre {
		t.preformatted++
	}
	return true
}

func (t *tree) pop() {
	if t.top().DataAtom == atom.Pre {
		t.preformatted--
	}
	t.open = t.open[:len(t.open)-1]
}

// imply ends the elements that a beginning element ends: a paragraph before a block,
// a cell before the next one.
func (t *tree) imply(a atom.Atom) {
	if block(a) {
		t.endWithin(block, atom.P)
	}
	switch a {
	case atom.A:
		t.endWithin(block, atom.A)
	case atom.Li:
		t.endWithin(inList, atom.Li)
	case atom.Dt, atom.Dd:
		t.endWithin(inList, atom.Dt, atom.Dd)
	case atom.Thead, atom.Tbody, atom.Tfoot:
		t.endWithin(inTable, atom.Thead, atom.Tbody, atom.Tfoot, atom.Caption)
	case atom.Tr:
		t.endWithin(inTable, atom.Tr, atom.Caption)
	case atom.Td, atom.Th:
		t.endWithin(inTable, atom.Td, atom.Th, atom.Caption)
		if slices.Contains([]atom.Atom{atom.Table, atom.Tbody, atom.Thead, atom.Tfoot}, t.top().DataAtom) && len(t.open) < maxDepth {
			t.enter(element(atom.Tr))
		}
	default:
	}
}

// endWithin ends the innermost open element of these names, unless one at which
// the search stops lies in between.
func (t *tree) endWithin(stop func(atom.Atom) bool, names ...atom.Atom) {
	for i := len(t.open) - 1; i > 0; i-- {
		a := t.open[i].DataAtom
		if slices.Contains(names, a) {
			t.cutTo(i)
			return
		}
		if stop(a) {
			return
		}
	}
}

// inTable and inList are where the search for a cell or an item ends.
func inTable(a atom.Atom) bool { return a == atom.Table }

func inList(a atom.Atom) bool {
	return scope(a) || a == atom.Ul || a == atom.Ol || a == atom.Dl || a == atom.Menu
}

// scope says which elements keep an end tag inside them from ending outer elements.
func scope(a atom.Atom) bool {
	return a == atom.Table || a == atom.Td || a == atom.Th || a == atom.Caption
}

func (t *tree) cutTo(n int) {
	for len(t.open) > n {
		t.pop()
	}
}

// end takes an end tag. One without an open element is left out; an inline one does
// not end blocks.
func (t *tree) end(a atom.Atom) {
	table := a == atom.Table || a == atom.Tr || a == atom.Tbody || a == atom.Thead || a == atom.Tfoot
	for i := len(t.open) - 1; i > 0; i-- {
		at := t.open[i].DataAtom
		if at == a {
			t.cutTo(i)
			return
		}
		if scope(at) && (!table || at == atom.Table) || !block(a) && block(at) {
			return
		}
	}
}
