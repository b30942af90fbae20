package pdf

import (
	"bytes"
	"errors"
	"strconv"
)

// The objects of a file are nil, bool, int, float64, text, name, array, dict, ref and *stream.
type (
	name  string
	text  string
	array []any
	dict  map[name]any
	ref   int
	// An operator is a bare word, of a content stream or of the file's syntax.
	operator string
)

// stream is a dictionary with data, still encoded.
type stream struct {
	dict dict
	raw  []byte
}

const maxNesting = 100

var (
	errEnd    = errors.New("the data ends")
	errNested = errors.New("too many objects in each other")
)

// parser reads objects.
type parser struct {
	b     []byte
	pos   int
	depth int
	// refs says that two numbers and an R are a reference.
	refs bool
}

func isSpace(c byte) bool {
	return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f' || c == 0
}

func isDelimiter(c byte) bool { return bytes.IndexByte([]byte("()<>[]{}/%"), c) >= 0 }

func (p *parser) skipSpace() {
	for p.pos < len(p.b) {
		switch c := p.b[p.pos]; {
		case isSpace(c):
			p.pos++
		case c == '%':
			for p.pos < len(p.b) && p.b[p.pos] != '\n' && p.b[p.pos] != '\r' {
				p.pos++
			}
		default:
			return
		}
	}
}

// next reads an object or an operator.
func (p *parser) next() (any, error) {
	p.skipSpace()
	if p.pos >= len(p.b) {
		return nil, errEnd
	}
	switch c := p.b[p.pos]; c {
	case '/':
		p.pos++
		return p.name(), nil
	case '(':
		p.pos++
		return p.literal(), nil
	case '<':
		if p.pos+1 < len(p.b) && p.b[p.pos+1] == '<' {
			p.pos += 2
			return p.dict()
		}
		p.pos++
		return p.hex(), nil
	case '[':
		p.pos++
		return p.array()
	case ']', '{', '}', ')':
		p.pos++
		return operator(c), nil
	case '>':
		p.pos++
		if p.pos < len(p.b) && p.b[p.pos] == '>' {
			p.pos++
		}
		return operator(">>"), nil
	}
	return p.word(), nil
}

func (p *parser) token() []byte {
	start := p.pos
	for p.pos < len(p.b) && !isSpace(p.b[p.pos]) && !isDelimiter(p.b[p.pos]) {
		p.pos++
	}
	return p.b[start:p.pos]
}

// word reads a number, a reference, true, false, null or an operator.
func (p *parser) word() any {
	w := p.token()
	if c := w[0]; c != '+' && c != '-' && c != '.' && (c < '0' || c > '9') {
		return bare(string(w))
	}
	v, ok := number(w)
	if !ok {
		return operator(w)
	}
	if n, whole := v.(int); whole && n >= 0 && p.refs && p.reference() {
		return ref(n)
	}
	return v
}

// bare gives the object that a word names, or the operator.
func bare(s string) any {
	switch s {
	case "true":
		return true
	case "false":
		return false
	case "null":
		return nil
	}
	return operator(s)
}

// reference reads the rest of a reference behind its first number, if it is one.
func (p *parser) reference() bool {
	back := p.pos
	p.skipSpace()
	const digits = 5
	if generation := p.token(); len(generation) > 0 && len(generation) <= digits && generation[0] >= '0' && generation[0] <= '9' {
		p.skipSpace()
		if r := p.token(); string(r) == "R" {
			return true
		}
	}
	p.pos = back
	return false
}

// number reads a number as files have them; several signs and a trailing sign are read as others do.
func number(w []byte) (any, bool) {
	s := string(w)
	for len(s) > 1 && (s[0] == '+' || s[0] == '-' && s[1] == '-') {
		s = s[1:]
	}
	if n, err := strconv.Atoi(s); err == nil {
		return n, true
	}
	for _, c := range s {
		if c != '.' && c != '-' && (c < '0' || c > '9') {
			return nil, false
		}
	}
	if i := bytes.IndexByte([]byte(s[1:]), '-'); i >= 0 {
		s = s[:i+1]
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		f = 0
	}
	const huge = 1e12
	return min(max(f, -huge), huge), true
}

// unhex gives the value of a digit; -1 for another character.
func unhex(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

func (p *parser) name() name {
	w := p.token()
	if bytes.IndexByte(w, '#') < 0 {
		return name(w)
	}
	out := make([]byte, 0, len(w))
	for i := 0; i < len(w); i++ {
		if w[i] == '#' && i+2 < len(w) && unhex(w[i+1]) >= 0 && unhex(w[i+2]) >= 0 {
			out = append(out, byte(unhex(w[i+1])<<4|unhex(w[i+2])&0xf)) //nolint:gosec // G115: two digits
			i += 2
			continue
		}
		out = append(out, w[i])
	}
	return name(out)
}

func (p *parser) hex() text {
	var out []byte
	high := -1
	for p.pos < len(p.b) {
		c := p.b[p.pos]
		p.pos++
		if c == '>' {
			break
		}
		switch v := unhex(c); {
		case v < 0:
		case high < 0:
			high = v
		default:
			out = append(out, byte(high<<4|v)) //nolint:gosec // G115: two digits
			high = -1
		}
	}
	if high >= 0 {
		out = append(out, byte(high<<4)) //nolint:gosec // G115: a digit
	}
	return text(out)
}

func (p *parser) literal() text {
	var out []byte
	for open := 1; p.pos < len(p.b); {
		c := p.b[p.pos]
		p.pos++
		switch c {
		case '(':
			open++
		case ')':
			if open--; open == 0 {
				return text(out)
			}
		case '\r':
			if p.pos < len(p.b) && p.b[p.pos] == '\n' {
				p.pos++
			}
			c = '\n'
		case '\\':
			if b, ok := p.escape(); ok {
				out = append(out, b)
			}
			continue
		}
		out = append(out, c)
	}
	return text(out)
}

// escape reads the rest of an escape sequence; false for a line break that does not count.
func (p *parser) escape() (byte, bool) {
	if p.pos >= len(p.b) {
		return 0, false
	}
	c := p.b[p.pos]
	p.pos++
	switch c {
	case '\n':
		return 0, false
	case '\r':
		if p.pos < len(p.b) && p.b[p.pos] == '\n' {
			p.pos++
		}
		return 0, false
	}
	if i := bytes.IndexByte([]byte("nrtbf"), c); i >= 0 {
		return "\n\r\t\b\f"[i], true
	}
	if c < '0' || c > '7' {
		return c, true
	}
	v := int(c - '0')
	for n := 1; n < 3 && p.pos < len(p.b) && p.b[p.pos] >= '0' && p.b[p.pos] <= '7'; n++ {
		v = v<<3 | int(p.b[p.pos]-'0')
		p.pos++
	}
	return byte(v), true
}

func (p *parser) enter() error {
	if p.depth++; p.depth > maxNesting {
		return errNested
	}
	return nil
}

func (p *parser) array() (any, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	out := array{}
	for {
		v, err := p.next()
		if err != nil {
			return out, err
		}
		if op, ok := v.(operator); ok {
			if op == "]" {
				return out, nil
			}
			if op == "endobj" || op == "endstream" || op == ">>" {
				return out, nil
			}
			continue
		}
		out = append(out, v)
	}
}

func (p *parser) dict() (any, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	out := dict{}
	for {
		k, err := p.next()
		if err != nil {
			return out, err
		}
		switch k := k.(type) {
		case operator:
			if k == ">>" || k == "endobj" || k == "stream" {
				return out, nil
			}
		case name:
			v, err := p.next()
			if err != nil {
				return out, err
			}
			if op, ok := v.(operator); ok {
				if op == ">>" {
					return out, nil
				}
				continue
			}
			out[k] = v
		}
	}
}
