package web

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/pkg/text"
)

// hidden says whether a character is left out of all that comes from the web:
// control characters but line breaks and tabs, those that turn the direction of
// text round, those without any width, and the tags by which text is smuggled.
func hidden(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case unicode.IsControl(r), r == 0xad, r == 0x61c, r == 0xfeff, r == 0x180e, r == 0x3164, r == 0xffa0:
		return true
	case r >= 0x200e && r <= 0x200f, r == 0x200b, r >= 0x2028 && r <= 0x202e, r >= 0x2060 && r <= 0x206f:
		return true
	case r >= 0xfff9 && r <= 0xfffb, r >= 0xe0000 && r <= 0xe0fff:
		return true
	default:
		return false
	}
}

// clean makes text of content from the web.
func clean(s string) string {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	if !strings.ContainsFunc(s, hidden) {
		return s
	}
	s = strings.ReplaceAll(s, "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\r' || r == 0x2028 || r == 0x2029 || r == 0x85:
			return '\n'
		case hidden(r):
			return -1
		default:
			return r
		}
	}, s)
}

// line is text of one line, at most n bytes long.
func line(s string, n int) string {
	return text.ClipBytes(strings.Join(strings.Fields(clean(text.Head(s, 4*n))), " "), n)
}
