package spoken

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxNesting bounds the lists and dictionaries within each other.
const maxNesting = 32

// pythonBlock is calls as Python writes them, with named arguments that are constants: one
// to a line, or as a list; they may be in a block of code.
func pythonBlock(s *scanner) bool {
	fence := s.after("```python") || s.is("```")
	inList := s.after("[")
	for more := true; more; {
		if !pythonCall(s) {
			return false
		}
		if inList {
			more = s.after(",")
		} else {
			s.space()
			more = s.rest != "" && isName(s.rest[:1])
		}
	}
	return (!inList || s.after("]")) && (!fence || s.after("```"))
}

// pythonCall is NAME(key=constant, …).
func pythonCall(s *scanner) bool {
	s.space()
	before := s.rest
	name, ok := s.until("(")
	if !ok {
		return false
	}
	var a arguments
	for comma := false; !s.after(")"); comma = true {
		if comma && !s.is(",") {
			return false
		}
		if s.space(); comma && s.is(")") { // a comma may end the list
			break
		}
		key, ok := s.until("=")
		key = strings.TrimSpace(key)
		if !ok || !isName(key) {
			return false
		}
		value, ok := s.constant(0)
		if !ok {
			return false
		}
		a.add(key, value)
	}
	return s.call(name, a.object(), s.took(before))
}

// constant takes a constant of Python and gives it as JSON.
func (s *scanner) constant(depth int) (json.RawMessage, bool) {
	if s.space(); s.rest == "" || depth > maxNesting {
		return nil, false
	}
	switch c := s.rest[0]; c {
	case '"', '\'':
		text, ok := s.quoted()
		return jsonText(text), ok
	case '[', '(':
		s.rest = s.rest[1:]
		return s.sequence(depth, string("])"[strings.IndexByte("[(", c)]))
	case '{':
		s.rest = s.rest[1:]
		return s.dictionary(depth)
	}
	n := strings.IndexAny(s.rest, ",)]}: \t\r\n")
	if n < 0 {
		return nil, false
	}
	word := s.rest[:n]
	s.rest = s.rest[n:]
	switch word {
	case "True", "true":
		return json.RawMessage("true"), true
	case "False", "false":
		return json.RawMessage("false"), true
	case "None", "null":
		return json.RawMessage("null"), true
	}
	return json.RawMessage(word), json.Valid([]byte(word))
}

func (s *scanner) sequence(depth int, end string) (json.RawMessage, bool) {
	out := []byte{'['}
	for !s.after(end) {
		if len(out) > 1 {
			if !s.is(",") {
				return nil, false
			}
			if s.after(end) {
				break
			}
			out = append(out, ',')
		}
		v, ok := s.constant(depth + 1)
		if !ok {
			return nil, false
		}
		out = append(out, v...)
	}
	return append(out, ']'), true
}

func (s *scanner) dictionary(depth int) (json.RawMessage, bool) {
	var a arguments
	for comma := false; !s.after("}"); comma = true {
		if comma && !s.is(",") {
			return nil, false
		}
		if s.space(); comma && s.is("}") {
			break
		}
		key, ok := s.quoted()
		if !ok || !s.after(":") {
			return nil, false
		}
		v, ok := s.constant(depth + 1)
		if !ok {
			return nil, false
		}
		a.add(key, v)
	}
	return json.RawMessage(a.object()), true
}

// quoted takes a text between quotation marks, one or three on each side.
func (s *scanner) quoted() (string, bool) {
	if s.rest == "" || s.rest[0] != '"' && s.rest[0] != '\'' {
		return "", false
	}
	mark := s.rest[:1]
	if triple := strings.Repeat(mark, 3); strings.HasPrefix(s.rest, triple) {
		mark = triple
	}
	s.rest = s.rest[len(mark):]
	var b strings.Builder
	for {
		switch {
		case s.rest == "" || len(mark) == 1 && s.rest[0] == '\n':
			return "", false
		case s.is(mark):
			return b.String(), utf8.ValidString(b.String())
		case s.rest[0] == '\\':
			if !s.escaped(&b) {
				return "", false
			}
		default:
			b.WriteByte(s.rest[0])
			s.rest = s.rest[1:]
		}
	}
}

// escaped takes a backslash with the letter that it changes.
func (s *scanner) escaped(b *strings.Builder) bool {
	if len(s.rest) > 1 && s.rest[1] == '\n' { // a line that goes on
		s.rest = s.rest[2:]
		return true
	}
	r, _, rest, err := strconv.UnquoteChar(s.rest, 0)
	if err == nil {
		b.WriteRune(r)
		s.rest = rest
		return true
	}
	if len(s.rest) < 2 {
		return false
	}
	if s.rest[1] != '\'' && s.rest[1] != '"' {
		b.WriteByte('\\') // Python keeps the backslash of an escape that it does not know
	}
	b.WriteByte(s.rest[1])
	s.rest = s.rest[2:]
	return true
}
