package documents

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/transform"
)

// page reads HTML from its tokens: no tree is built, so that deep nesting costs nothing.
type page struct {
	b builder
	// veil are the open elements from the outermost one that is not shown to the innermost.
	veil []atom.Atom
	// heading is the open heading's level, and words its text.
	heading int
	words   strings.Builder
	// verbatim: the text is preformatted.
	verbatim int
	// lines is how many line breaks, and spaced whether a space, come before the next word.
	lines  int
	spaced bool
}

func readHTML(data []byte) (*Document, error) {
	z := html.NewTokenizer(transform.NewReader(bytes.NewReader(data), encodingOf(data).NewDecoder()))
	const longest = 4 << 20
	z.SetMaxBuf(longest)
	var p page
	for p.b.room() {
		switch z.Next() {
		case html.ErrorToken:
			if errors.Is(z.Err(), html.ErrBufferExceeded) {
				return nil, &Error{Reason: fmt.Sprintf("The HTML has a tag or a text of more than the %d MB that are read.", longest>>20)}
			}
			if !errors.Is(z.Err(), io.EOF) {
				return nil, &Error{Reason: "The file is damaged: it is no HTML that can be read.", cause: z.Err()}
			}
			p.close()
			return p.b.done(HTML), nil
		case html.TextToken:
			p.say(string(z.Text()))
		case html.StartTagToken, html.SelfClosingTagToken:
			t := z.Token()
			p.open(t.DataAtom, t.Type == html.SelfClosingTagToken, hidden(t.Attr))
		case html.EndTagToken:
			name, _ := z.TagName()
			p.end(atom.Lookup(name))
		case html.CommentToken, html.DoctypeToken:
		}
	}
	return p.b.done(HTML), nil
}

// encodingOf tells the encoding of a page by its beginning, as browsers do. They take a page for Windows-1252 if its beginning
// does not tell; one that is UTF-8 to its end is read as such.
func encodingOf(data []byte) encoding.Encoding {
	e, name, _ := charset.DetermineEncoding(data, "")
	if name == "windows-1252" && utf8.Valid(data) {
		return encoding.Nop
	}
	return e
}

// hidden says whether a browser does not show an element, by its own attributes.
func hidden(attributes []html.Attribute) bool {
	for _, a := range attributes {
		style := strings.ReplaceAll(strings.ToLower(a.Val), " ", "")
		if a.Key == "hidden" || a.Key == "style" && (strings.Contains(style, "display:none") || strings.Contains(style, "visibility:hidden")) {
			return true
		}
	}
	return false
}

// unshown are the elements whose text is not shown.
func unshown(a atom.Atom) bool {
	return slices.Contains([]atom.Atom{atom.Script, atom.Style, atom.Template, atom.Noscript, atom.Svg, atom.Iframe, atom.Object}, a)
}

// void are the elements that have no end.
func void(a atom.Atom) bool {
	return slices.Contains([]atom.Atom{
		atom.Area, atom.Base, atom.Br, atom.Col, atom.Embed, atom.Hr, atom.Img, atom.Input, atom.Link, atom.Meta, atom.Source, atom.Track,
		atom.Wbr,
	}, a)
}

// block are the elements that end a paragraph whose own end was left out.
func block(a atom.Atom) bool {
	return levelOf(a) > 0 || ofTable(a) > 0 || slices.Contains([]atom.Atom{
		atom.Address, atom.Article, atom.Aside, atom.Blockquote, atom.Center, atom.Dd, atom.Details, atom.Dialog, atom.Div, atom.Dl, atom.Dt,
		atom.Fieldset, atom.Figcaption, atom.Figure, atom.Footer, atom.Form, atom.Header, atom.Hgroup, atom.Hr, atom.Li, atom.Main, atom.Menu,
		atom.Nav, atom.Ol, atom.P, atom.Pre, atom.Section, atom.Summary, atom.Table, atom.Ul,
	}, a)
}

// ofTable says how much of a table an element is: a cell, a row or a group of rows; 0 for another element.
func ofTable(a atom.Atom) int {
	const cell, row, group = 1, 2, 3
	switch a {
	case atom.Td, atom.Th:
		return cell
	case atom.Tr:
		return row
	case atom.Thead, atom.Tbody, atom.Tfoot:
		return group
	default:
		return 0
	}
}

// endsWith says whether an element, whose end may be left out, ends where the next one begins.
func endsWith(a, next atom.Atom) bool {
	switch a {
	case atom.P:
		return block(next)
	case atom.Li:
		return next == atom.Li
	case atom.Option:
		return next == atom.Option || next == atom.Optgroup
	case atom.Dt, atom.Dd:
		return next == atom.Dt || next == atom.Dd
	default:
		return ofTable(a) > 0 && ofTable(next) >= ofTable(a)
	}
}

// holds says whether an element keeps what begins in it from ending an element around it.
func holds(a atom.Atom) bool {
	switch a {
	case atom.Ul, atom.Ol, atom.Menu, atom.Dl, atom.Table, atom.Select, atom.Button, atom.Object, atom.Template:
		return true
	default:
		return false
	}
}

// levelOf is the level of a heading; 0 of another element.
func levelOf(a atom.Atom) int {
	return slices.Index([]atom.Atom{atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6}, a) + 1
}

// veiled takes the begin of an element, and says whether it is not shown.
func (p *page) veiled(a atom.Atom, closed, hidden bool) bool { //nolint:revive // flag-parameter: properties of the element
	for i := len(p.veil) - 1; i >= p.outermost(); i-- {
		if endsWith(p.veil[i], a) {
			p.veil = p.veil[:i]
		} else if holds(p.veil[i]) {
			break
		}
	}
	if len(p.veil) == 0 {
		if !unshown(a) && (!hidden || void(a)) {
			return false
		}
		p.separate(a)
	}
	if !closed && !void(a) {
		p.veil = append(p.veil, a)
	}
	return true
}

// outermost is the place of the outermost open element that is looked at, so that deep nesting takes no time.
func (p *page) outermost() int {
	const most = 100
	return max(0, len(p.veil)-most)
}

// unveil takes the end of an element, and says whether it belongs to those that are not shown.
func (p *page) unveil(a atom.Atom) bool {
	if len(p.veil) == 0 {
		return false
	}
	for i := len(p.veil) - 1; i >= p.outermost(); i-- {
		if p.veil[i] == a {
			p.veil = p.veil[:i]
			if i == 0 {
				p.separate(a)
			}
			return true
		}
	}
	if !block(a) && a != atom.Select || a == atom.P { // it ends none of the open ones
		return true
	}
	p.veil = p.veil[:0] // it is the end of an element around them
	return false
}

func (p *page) open(a atom.Atom, closed, hidden bool) { //nolint:revive // flag-parameter: properties of the element
	if p.veiled(a, closed, hidden) {
		return
	}
	if level := levelOf(a); level > 0 {
		p.close()
		p.heading = level
		return
	}
	p.separate(a)
	if a == atom.Pre {
		p.verbatim++
	}
	if a == atom.Li {
		p.say("- ")
	}
}

func (p *page) end(a atom.Atom) {
	switch {
	case p.unveil(a):
	case levelOf(a) > 0:
		p.close()
	default:
		if a == atom.Pre && p.verbatim > 0 {
			p.verbatim--
		}
		if a != atom.Br {
			p.separate(a)
		}
	}
}

// separate begins a new line or paragraph before or after an element, or a new cell.
func (p *page) separate(a atom.Atom) {
	const line, paragraph = 1, 2
	switch {
	case slices.Contains([]atom.Atom{
		atom.P, atom.Blockquote, atom.Pre, atom.Ul, atom.Ol, atom.Dl, atom.Table, atom.Section, atom.Article, atom.Hr, atom.Title,
	}, a):
		p.lines = max(p.lines, paragraph)
	case slices.Contains([]atom.Atom{
		atom.Div, atom.Br, atom.Li, atom.Dt, atom.Dd, atom.Tr, atom.Caption, atom.Header, atom.Footer, atom.Nav, atom.Main, atom.Figure,
		atom.Option, atom.Form, atom.Address,
	}, a):
		p.lines = max(p.lines, line)
	case a == atom.Td || a == atom.Th:
		p.spaced = true
	}
}

// close ends a heading, which begins a section.
func (p *page) close() {
	if p.heading == 0 {
		return
	}
	if words := strings.Join(strings.Fields(p.words.String()), " "); words != "" {
		p.b.begin(Section{Heading: words, Level: p.heading})
	}
	p.words.Reset()
	p.heading, p.lines, p.spaced = 0, 0, false
}

// say adds text.
func (p *page) say(s string) {
	if len(p.veil) > 0 {
		return
	}
	if p.heading > 0 {
		const longest = 1000
		if p.words.Len() < longest {
			p.words.WriteString(s)
		} else {
			p.close() // it has no end
			p.say(s)
		}
		return
	}
	if p.verbatim > 0 {
		p.gap()
		p.b.add(s)
		return
	}
	words := strings.Fields(s)
	if len(words) == 0 {
		p.spaced = p.spaced || s != ""
		return
	}
	p.spaced = p.spaced || strings.TrimLeft(s, " \t\r\n\f") != s
	p.gap()
	p.b.add(strings.Join(words, " "))
	p.spaced = strings.TrimRight(s, " \t\r\n\f") != s
}

// gap writes the line breaks or the space before a word.
func (p *page) gap() {
	switch {
	case p.lines > 0:
		p.b.add(strings.Repeat("\n", p.lines))
	case p.spaced:
		p.b.add(" ")
	}
	p.lines, p.spaced = 0, false
}
