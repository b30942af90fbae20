package faketelegram

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strconv"
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

// until moves on to the next white space, end or one of stops, and returns what it passed.
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
		return nil // around nothing it is nothing
	}
	return p.close(&t)
}

// close makes the entity of a tag whose text is complete.
func (p *htmlParser) close(t *openTag) error {
	e := Entity{Offset: t.units, Length: p.units - t.units}
	switch t.name {
	case "b", "strong":
		e.Type = "bold"
	case "i", "em":
		e.Type = "italic"
	case "u", "ins":
		e.Type = "underline"
	case "s", "strike", "del":
		e.Type = "strikethrough"
	case "span", "tg-spoiler":
		e.Type = "spoiler"
	case "blockquote":
		e.Type = "blockquote"
		if _, ok := t.attrs["expandable"]; ok {
			e.Type = "expandable_blockquote"
		}
	case "a":
		return p.closeLink(t, e)
	case "tg-emoji":
		id, err := strconv.ParseInt(t.attrs["emoji-id"], 10, 64)
		if err != nil || id == 0 {
			return says("Invalid custom emoji identifier specified")
		}
		e.Type, e.CustomEmojiID = "custom_emoji", strconv.FormatInt(id, 10)
	case "tg-time":
		return p.closeTime(t, e)
	case "pre", "code":
		p.closeCode(t, e)
		return nil
	}
	p.entities = append(p.entities, e)
	return nil
}

// closeLink makes a link of e, or nothing of one that leads nowhere.
func (p *htmlParser) closeLink(t *openTag, e Entity) error {
	target := t.attrs["href"]
	if target == "" {
		target = p.out.String()[t.bytes:]
	}
	if id, ok := mentioned(target); ok {
		e.Type, e.User = "text_mention", &User{ID: id}
	} else if e.URL = checkedLink(target); e.URL != "" {
		e.Type = "text_link"
	} else {
		return nil
	}
	p.entities = append(p.entities, e)
	return nil
}

// closeTime makes a point in time of e, in a format of: r alone, or w, d or D, t or T.
func (p *htmlParser) closeTime(t *openTag, e Entity) error {
	format := t.attrs["format"]
	if format != "r" && strings.Trim(format, "wWdDtT") != "" {
		return says("Invalid date format used")
	}
	seconds, err := strconv.ParseInt(t.attrs["unix"], 10, 32)
	if err != nil || seconds <= 0 {
		return nil //nolint:nilerr // Telegram drops a time that is none and keeps its text
	}
	e.Type, e.UnixTime, e.DateFormat = "date_time", seconds, format
	p.entities = append(p.entities, e)
	return nil
}

// closeCode makes one entity of a pre and a code with a language around the same text.
func (p *htmlParser) closeCode(t *openTag, e Entity) {
	language := strings.TrimPrefix(t.attrs["class"], "language-")
	e.Type = t.name
	if t.name == "code" {
		e.Language = language
	}
	if n := len(p.entities); n > 0 {
		last := &p.entities[n-1]
		same := last.Offset == e.Offset && last.Length == e.Length
		if same && e.Type == "pre" && last.Type == "code" && last.Language != "" {
			last.Type = "pre"
			return
		}
		if same && e.Type == "code" && last.Type == "pre" && last.Language == "" && language != "" {
			last.Language = language
			return
		}
	}
	p.entities = append(p.entities, e)
}

// reference decodes the character reference that s begins with; n is its length, 0 without one.
func reference(s string) (r rune, n int) {
	if !strings.HasPrefix(s, "&") {
		return 0, 0
	}
	if strings.HasPrefix(s, "&#") {
		return numbered(s)
	}
	end := 1
	for end < len(s) && ('a' <= s[end]|0x20 && s[end]|0x20 <= 'z') {
		end++
	}
	switch s[1:end] {
	case "lt":
		r = '<'
	case "gt":
		r = '>'
	case "amp":
		r = '&'
	case "quot":
		r = '"'
	default:
		return 0, 0
	}
	return r, semicolon(s, end)
}

// maxReference is where the digits of a reference must have ended.
const maxReference = 10

func numbered(s string) (r rune, n int) {
	digits, base, start := "0123456789", 10, 2
	if strings.HasPrefix(s, "&#x") {
		digits, base, start = "0123456789abcdefABCDEF", 16, 3
	}
	end := start
	for end < len(s) && strings.IndexByte(digits, s[end]) >= 0 {
		end++
	}
	code, err := strconv.ParseUint(s[start:end], base, 32)
	if err != nil || code == 0 || code >= utf8.MaxRune || end >= maxReference {
		return 0, 0
	}
	return rune(code), semicolon(s, end)
}

func semicolon(s string, end int) int {
	if end < len(s) && s[end] == ';' {
		return end + 1
	}
	return end
}

// sortEntities orders by offset, then the longer, then as Telegram nests them.
func sortEntities(list []Entity) {
	slices.SortStableFunc(list, func(a, b Entity) int {
		return cmp.Or(
			cmp.Compare(a.Offset, b.Offset), cmp.Compare(b.Length, a.Length), cmp.Compare(rank(a.Type), rank(b.Type)))
	})
	for i := range list {
		if list[i].Type == "code" {
			list[i].Language = ""
		}
	}
}

// rank says which of two entities around the same text is the outer one.
func rank(kind string) int {
	outer := []string{
		"blockquote", "expandable_blockquote", "pre", "code", "text_link", "text_mention", "", "bold", "italic",
		"underline", "strikethrough", "spoiler", "custom_emoji", "date_time",
	}
	if i := slices.Index(outer, kind); i >= 0 {
		return i
	}
	return slices.Index(outer, "")
}
