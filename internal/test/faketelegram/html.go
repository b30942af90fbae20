package faketelegram

import (
	"fmt"
	"net/http"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// ParseHTML parses a text as Telegram does for parse_mode HTML: it returns the
// text without markup and the entities in it, or an error with Telegram's words
// (without "Bad Request: can't parse entities: "). Entities are sorted by offset,
// the longer first.
func ParseHTML(s string) (text string, entities []Entity, err error) {
	p := &htmlParser{in: s}
	for p.pos < len(s) {
		if err := p.next(); err != nil {
			return "", nil, err
		}
	}
	if n := len(p.open); n > 0 {
		return "", nil, says("Can't find end tag corresponding to start tag \"%s\"", p.open[n-1].name)
	}
	if p.surrogate {
		return "", nil, says("Text contains invalid Unicode characters after decoding HTML entities, check for unmatched surrogate code units")
	}
	sortEntities(p.entities)
	return p.out.String(), p.entities, nil
}

// says is an error with Telegram's words, which are written as sentences.
func says(format string, args ...any) error {
	return &refusal{Code: http.StatusBadRequest, Description: fmt.Sprintf(format, args...)}
}

// htmlParser reads in from pos on.
type htmlParser struct {
	in        string
	pos       int
	out       strings.Builder
	units     int // of out
	open      []openTag
	entities  []Entity
	surrogate bool // a character reference named half of a pair
}

// openTag is a tag without its end yet.
type openTag struct {
	name  string
	attrs map[string]string
	units int // where its text begins, in UTF-16 units
	bytes int // and in bytes
}

// next takes one tag, reference or character.
func (p *htmlParser) next() error {
	switch {
	case strings.HasPrefix(p.in[p.pos:], "</"):
		return p.endTag()
	case p.in[p.pos] == '<':
		return p.startTag()
	}
	if r, n := reference(p.in[p.pos:]); n > 0 {
		p.pos += n
		p.surrogate = p.surrogate || utf16.IsSurrogate(r)
		p.out.WriteRune(r)
		p.units += max(1, utf16.RuneLen(r))
		return nil
	}
	r, n := utf8.DecodeRuneInString(p.in[p.pos:])
	p.out.WriteString(p.in[p.pos : p.pos+n])
	p.pos += n
	p.units += max(1, utf16.RuneLen(r))
	return nil
}

// peek is the byte at the position, 0 behind the end.
func (p *htmlParser) peek() byte {
	if p.pos < len(p.in) {
		return p.in[p.pos]
	}
	return 0
}

// until moves on to the next white space, end or one of stops, and returns the text
// that it passed.
func (p *htmlParser) until(stops string) string {
	from := p.pos
	for c := p.peek(); !blank(c) && c != 0 && strings.IndexByte(stops, c) < 0; c = p.peek() {
		p.pos++
	}
	return p.in[from:p.pos]
}

func (p *htmlParser) skipBlanks() {
	for blank(p.peek()) {
		p.pos++
	}
}

func blank(c byte) bool {
	return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f'
}

func (p *htmlParser) startTag() error {
	at := p.pos
	p.pos++
	name := strings.ToLower(p.until(">"))
	if p.peek() == 0 {
		return says("Unclosed start tag at byte offset %d", at)
	}
	if !known(name) {
		return says("Unsupported start tag \"%s\" at byte offset %d", name, at)
	}
	t := openTag{name: name, attrs: map[string]string{}, units: p.units, bytes: p.out.Len()}
	for {
		p.skipBlanks()
		if p.peek() == '>' {
			break
		}
		if err := p.attribute(&t, at); err != nil {
			return err
		}
	}
	p.pos++
	if name == "span" && t.attrs["class"] != "tg-spoiler" {
		return says("Tag \"span\" must have class \"tg-spoiler\" at byte offset %d", at)
	}
	p.open = append(p.open, t)
	return nil
}

// known says whether Telegram has a tag of the name.
func known(name string) bool {
	switch name {
	case "a", "b", "strong", "i", "em", "s", "strike", "del", "u", "ins", "tg-spoiler", "tg-emoji", "tg-time",
		"span", "pre", "code", "blockquote":
		return true
	}
	return false
}

// attribute takes one attribute of t, which begins at byte at.
func (p *htmlParser) attribute(t *openTag, at int) error {
	name := p.until("=>/\"'")
	if name == "" {
		return says("Empty attribute name in the tag \"%s\" at byte offset %d", t.name, at)
	}
	p.skipBlanks()
	if p.peek() != '=' {
		if p.peek() == 0 {
			return says("Unclosed start tag \"%s\" at byte offset %d", t.name, at)
		}
		if name == "expandable" {
			t.attrs[name] = ""
		}
		return nil
	}
	p.pos++
	p.skipBlanks()
	if p.peek() == 0 {
		return says("Unclosed start tag \"%s\" at byte offset %d", t.name, at)
	}
	value, err := p.value()
	if err != nil {
		return err
	}
	if p.peek() == 0 {
		return says("Unclosed start tag at byte offset %d", at)
	}
	if name != "class" || strings.HasPrefix(value, classPrefix(t.name)) {
		t.attrs[name] = value
	}
	return nil
}

// classPrefix is how a class of a tag begins that means something.
func classPrefix(tag string) string {
	if tag == "code" {
		return "language-"
	}
	return "tg-"
}

// value takes an attribute's value, in quotes or bare.
func (p *htmlParser) value() (string, error) {
	end := p.peek()
	if end != '"' && end != '\'' {
		at := p.pos
		for c := p.peek(); c == '.' || c == '-' || alphanumeric(c); c = p.peek() {
			p.pos++
		}
		if c := p.peek(); c != 0 && !blank(c) && c != '>' {
			return "", says("Unexpected end of name token at byte offset %d", at)
		}
		return strings.ToLower(p.in[at:p.pos]), nil
	}
	p.pos++
	var value strings.Builder
	for c := p.peek(); c != end && c != 0; c = p.peek() {
		if r, n := reference(p.in[p.pos:]); n > 0 {
			value.WriteRune(r)
			p.pos += n
			continue
		}
		value.WriteByte(c)
		p.pos++
	}
	if p.peek() == end {
		p.pos++
	}
	return value.String(), nil
}

func alphanumeric(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func (p *htmlParser) endTag() error {
	at := p.pos
	if len(p.open) == 0 {
		return says("Unexpected end tag at byte offset %d", at)
	}
	p.pos += len("</")
	name := strings.ToLower(p.until(">"))
	p.skipBlanks()
	if p.peek() != '>' {
		return says("Unclosed end tag at byte offset %d", at)
	}
	p.pos++
	t := p.open[len(p.open)-1]
	if name != "" && name != t.name {
		return says("Unmatched end tag at byte offset %d, expected \"</%s>\", found \"</%s>\"", at, t.name, name)
	}
	p.open = p.open[:len(p.open)-1]
	if p.units == t.units {
		return nil // without text there is no entity
	}
	return p.close(&t)
}
