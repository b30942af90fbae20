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
	// unseen is how many elements that are not shown are open.
	unseen int
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

// void are the elements that have no end, or whose end may be left out.
func void(a atom.Atom) bool {
	return slices.Contains([]atom.Atom{
		atom.Area, atom.Base, atom.Br, atom.Col, atom.Embed, atom.Hr, atom.Img, atom.Input, atom.Link, atom.Meta, atom.Source, atom.Track,
		atom.Wbr, atom.P, atom.Li, atom.Dt, atom.Dd, atom.Tr, atom.Td, atom.Th, atom.Option,
	}, a)
}

// levelOf is the level of a heading; 0 of another element.
func levelOf(a atom.Atom) int {
	return slices.Index([]atom.Atom{atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6}, a) + 1
}

func (p *page) open(a atom.Atom, closed, hidden bool) { //nolint:revive // flag-parameter: properties of the element
	if p.unseen > 0 || unshown(a) || hidden && !void(a) {
		if !closed && !void(a) {
			p.unseen++
		}
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
	case p.unseen > 0:
		if !void(a) {
			p.unseen--
		}
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
	if p.unseen > 0 {
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
