package exchange

import (
	"bytes"
	"slices"
)

// maxDepth bounds the values within values that a [Scan] follows.
const maxDepth = 16

// Scan reads the usual JSON of an answer's pieces without reflection. It reads a part of
// the language and gives up on the rest, which encoding/json then reads: a value that
// Scan has read counts only if [Scan.Done] is true at the end, and is then the value that
// encoding/json reads.
type Scan struct {
	text  []byte
	at    int
	depth int
	// off says that the text is not of the usual kind.
	off bool
}

// NewScan reads one JSON text and does not keep its bytes.
func NewScan(text []byte) Scan { return Scan{text: text} }

// Done says that one value was read, and that at most space follows it.
func (s *Scan) Done() bool {
	s.space()
	return !s.off && s.at == len(s.text)
}

// GiveUp leaves the text to encoding/json.
func (s *Scan) GiveUp() { s.off = true }

// Fields reads an object: value is called for each of the names that is in it, and has to
// read the field's value; the other fields are skipped. An object that has one of them
// twice is not read, nor one with letters in its names that encoding/json might fold.
func (s *Scan) Fields(names []string, value func(name string)) {
	seen := 0
	s.object(func(name []byte) {
		at := slices.IndexFunc(names, func(n string) bool { return n == string(name) })
		switch {
		case at < 0:
			s.Skip()
		case seen&(1<<at) != 0:
			s.off = true
		default:
			seen |= 1 << at
			value(names[at])
		}
	})
}

func (s *Scan) object(value func(name []byte)) {
	if s.depth++; s.depth > maxDepth || !s.take('{') {
		s.off = true
	}
	for more := !s.take('}'); more && !s.off; more = s.further('}') {
		name := s.name()
		if s.off || !s.take(':') {
			s.off = true
			return
		}
		value(name)
	}
	s.depth--
}

// Array reads an array: value is called before each element, and has to read it.
func (s *Scan) Array(value func()) {
	if s.depth++; s.depth > maxDepth || !s.take('[') {
		s.off = true
	}
	for more := !s.take(']'); more && !s.off; more = s.further(']') {
		value()
	}
	s.depth--
}

// further says whether another member follows; end closes the list.
func (s *Scan) further(end byte) bool {
	if s.off || s.take(end) {
		return false
	}
	if !s.take(',') {
		s.off = true
	}
	return !s.off
}

// Null says whether the next value is null, and reads it then.
func (s *Scan) Null() bool {
	if s.peek() != 'n' {
		return false
	}
	s.word("null")
	return true
}

// Text reads a string, or null as an empty one.
func (s *Scan) Text() string {
	if s.Null() {
		return ""
	}
	literal := s.literal()
	if s.off {
		return ""
	}
	text, err := Unquote(literal)
	s.off = err != nil
	return text
}

// Same reads a string, or null as an empty one, and gives known if it is the same text.
func (s *Scan) Same(known string) string {
	if s.peek() == '"' {
		from := s.at
		if literal := s.literal(); !s.off && string(literal[1:len(literal)-1]) == known && bytes.IndexByte(literal, '\\') < 0 {
			return known
		}
		s.at = from
	}
	return s.Text()
}

// Int reads a number without sign and fraction, or null as 0.
func (s *Scan) Int() int {
	const digits = 9 // any more might not fit
	if s.Null() {
		return 0
	}
	from, n := s.at, 0
	for ; s.at < len(s.text) && isDigit(s.text[s.at]); s.at++ {
		if s.at-from >= digits {
			s.off = true
			return 0
		}
		n = n*10 + int(s.text[s.at]-'0')
	}
	if s.at == from || s.at-from > 1 && s.text[from] == '0' || s.at < len(s.text) && bytes.IndexByte([]byte(".eE"), s.text[s.at]) >= 0 {
		s.off = true
	}
	return n
}

// Skip reads any value.
func (s *Scan) Skip() {
	switch s.peek() {
	case '"':
		s.literal()
	case '{':
		s.object(func([]byte) { s.Skip() })
	case '[':
		s.Array(s.Skip)
	case 't':
		s.word("true")
	case 'f':
		s.word("false")
	case 'n':
		s.word("null")
	default:
		s.number()
	}
}

// number reads a number without an exponent.
func (s *Scan) number() {
	s.take('-')
	whole := s.digits()
	s.off = s.off || whole == 0 || whole > 1 && s.text[s.at-whole] == '0'
	if s.at < len(s.text) && s.text[s.at] == '.' {
		s.at++
		s.off = s.off || s.digits() == 0
	}
	if s.at < len(s.text) && (s.text[s.at] == 'e' || s.text[s.at] == 'E') {
		s.off = true
	}
}

func (s *Scan) digits() int {
	from := s.at
	for s.at < len(s.text) && isDigit(s.text[s.at]) {
		s.at++
	}
	return s.at - from
}

func isDigit(b byte) bool { return b >= '0' && b <= '9' }

// literal reads a string, and gives it with its quotes.
func (s *Scan) literal() []byte {
	if !s.take('"') {
		s.off = true
		return nil
	}
	from := s.at - 1
	for ; s.at < len(s.text); s.at++ {
		switch c := s.text[s.at]; {
		case c == '"':
			s.at++
			return s.text[from:s.at]
		case c < ' ':
			s.off = true
			return nil
		case c == '\\':
			s.escape()
		}
	}
	s.off = true
	return nil
}

// escape reads an escape up to its last byte.
func (s *Scan) escape() {
	const hexes = 4
	if s.at++; s.at >= len(s.text) {
		s.off = true
		return
	}
	if s.text[s.at] != 'u' {
		s.off = s.off || bytes.IndexByte([]byte(`"\/bfnrt`), s.text[s.at]) < 0
		return
	}
	for range hexes {
		if s.at++; s.at >= len(s.text) || !isHex(s.text[s.at]) {
			s.off = true
			return
		}
	}
}

func isHex(b byte) bool { return isDigit(b) || b|0x20 >= 'a' && b|0x20 <= 'f' }

// name reads a member's name, which has small letters of ASCII alone.
func (s *Scan) name() []byte {
	if !s.take('"') {
		s.off = true
		return nil
	}
	from := s.at
	for ; s.at < len(s.text); s.at++ {
		switch c := s.text[s.at]; {
		case c == '"':
			s.at++
			return s.text[from : s.at-1]
		case c < ' ', c == '\\', c >= 'A' && c <= 'Z', c >= 0x80:
			s.off = true
			return nil
		}
	}
	s.off = true
	return nil
}

// word reads a word of the language.
func (s *Scan) word(w string) {
	if !bytes.HasPrefix(s.text[s.at:], []byte(w)) {
		s.off = true
		return
	}
	s.at += len(w)
}

// take reads one byte, if it is the next one behind spaces.
func (s *Scan) take(b byte) bool {
	if s.peek() != b {
		return false
	}
	s.at++
	return true
}

// peek gives the next byte behind spaces; 0 at the end, and after giving up.
func (s *Scan) peek() byte {
	if s.space(); s.off || s.at >= len(s.text) {
		return 0
	}
	return s.text[s.at]
}

func (s *Scan) space() {
	for s.at < len(s.text) {
		switch s.text[s.at] {
		case ' ', '\t', '\n', '\r':
			s.at++
		default:
			return
		}
	}
}
