package web

import (
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"parley/pkg/text"
)

// kept says which elements become part of the tree; of all others the content does.
func kept(a atom.Atom) bool { return block(a) || inline(a) || void(a) && a != atom.Base }

func block(a atom.Atom) bool {
	switch a {
	case atom.Address, atom.Article, atom.Aside, atom.Blockquote, atom.Caption, atom.Center, atom.Dd, atom.Details, atom.Dialog,
		atom.Div, atom.Dl, atom.Dt, atom.Fieldset, atom.Figcaption, atom.Figure, atom.Footer, atom.Form, atom.H1, atom.H2, atom.H3,
		atom.H4, atom.H5, atom.H6, atom.Header, atom.Hgroup, atom.Hr, atom.Li, atom.Main, atom.Menu, atom.Nav, atom.Ol, atom.P,
		atom.Pre, atom.Section, atom.Summary, atom.Table, atom.Tbody, atom.Td, atom.Tfoot, atom.Th, atom.Thead, atom.Tr, atom.Ul:
		return true
	default:
		return false
	}
}

func inline(a atom.Atom) bool {
	switch a {
	case atom.A, atom.Abbr, atom.B, atom.Cite, atom.Code, atom.Del, atom.Em, atom.I, atom.Ins, atom.Kbd, atom.Mark, atom.Q,
		atom.S, atom.Samp, atom.Small, atom.Span, atom.Strike, atom.Strong, atom.Sub, atom.Sup, atom.Time, atom.Tt, atom.U, atom.Var:
		return true
	default:
		return false
	}
}

func void(a atom.Atom) bool { return a == atom.Br || a == atom.Hr || a == atom.Img || a == atom.Base }

// attributes makes the element of a start tag with the useful attributes: a link's
// address, made absolute, and attributes that help to find the article and the
// language of code.
func (t *tree) attributes(a atom.Atom, z *html.Tokenizer, hasAttr bool) *html.Node {
	n := element(a)
	span := map[string]int{}
	for more := hasAttr; more; {
		var k, v []byte
		k, v, more = z.TagAttr()
		key := string(clipBytes(k, maxAttribute))
		switch key {
		case "class", "id", "role", "itemprop", "rel", "align":
			n.Attr = set(n.Attr, key, text.Head(clean(string(v)), maxAttribute))
		case "alt":
			n.Attr = set(n.Attr, key, line(string(v), maxAttribute))
		case "href", "src":
			if a == atom.Base && key == "href" {
				t.rebase(string(v))
			} else if to := t.absolute(string(v)); to != "" {
				n.Attr = set(n.Attr, key, to)
			}
		case "colspan", "rowspan":
			if i, err := strconv.Atoi(string(v)); err == nil && i > 1 {
				span[key] = min(i, maxColumns)
			}
		}
	}
	if a == atom.Td || a == atom.Th {
		t.spread(n, span)
	}
	return n
}

// spread lets a cell take several columns or rows, while there is room for that.
func (t *tree) spread(cell *html.Node, span map[string]int) {
	area := max(1, span["colspan"]) * max(1, span["rowspan"])
	if area == 1 {
		return
	}
	if t.span += area; t.span <= maxSpan {
		for key, i := range span {
			cell.Attr = set(cell.Attr, key, strconv.Itoa(i))
		}
	}
}

// set keeps the first of equal attributes.
func set(attrs []html.Attribute, key, value string) []html.Attribute {
	for _, a := range attrs {
		if a.Key == key {
			return attrs
		}
	}
	return append(attrs, html.Attribute{Key: key, Val: value})
}

func get(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// rebase takes the address to which the page says first that its links are relative.
func (t *tree) rebase(href string) {
	if t.rebased {
		return
	}
	t.rebased = true
	if u, err := url.Parse(t.absolute(href)); err == nil && u.Host != "" {
		t.base = u
	}
}

// absolute is the address of a link; "" for one within the page, and for text that is
// no address of the web or of mail.
func (t *tree) absolute(href string) string {
	href = strings.TrimSpace(clean(href))
	if href == "" || href[0] == '#' || len(href) > maxURL {
		return ""
	}
	u, err := url.Parse(href)
	if err != nil {
		return ""
	}
	if t.base != nil {
		u = t.base.ResolveReference(u)
	}
	switch u.Scheme {
	case "http", "https":
		if u.Host == "" || u.User != nil {
			return ""
		}
	case "mailto", "tel":
	default:
		return ""
	}
	if s := u.String(); len(s) <= maxURL {
		return s
	}
	return ""
}

// flattenTables makes plain blocks of the tables that are too large to be
// tables in Markdown, where every row is as wide as the widest.
func (t *tree) flattenTables() {
	for n := range t.body.Descendants() {
		if n.DataAtom != atom.Table {
			continue
		}
		rows, widest := size(n)
		if widest <= maxColumns && rows*widest <= maxCells {
			continue
		}
		for c := range n.Descendants() {
			switch c.DataAtom {
			case atom.Tr, atom.Thead, atom.Tbody, atom.Tfoot, atom.Caption:
				rename(c, atom.Div)
			case atom.Td, atom.Th:
				rename(c, atom.Span)
			default:
			}
		}
		rename(n, atom.Div)
	}
}

func rename(n *html.Node, a atom.Atom) { n.DataAtom, n.Data, n.Attr = a, a.String(), nil }

// size counts the rows of a table and the cells of its longest one.
func size(table *html.Node) (rows, widest int) {
	for n := range table.Descendants() {
		if n.DataAtom != atom.Tr {
			continue
		}
		rows++
		cells := 0
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			cells += max(1, atoi(get(c, "colspan")))
		}
		widest = max(widest, cells)
	}
	return rows, widest
}

func atoi(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}
