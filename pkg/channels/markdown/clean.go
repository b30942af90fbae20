package markdown

import (
	"strings"
	"unicode"
)

// Clean makes s valid UTF-8 with \n as its only line end, without control characters, without
// bidirectional embeddings and overrides, and without the characters that removed names.
func Clean(s string, removed func(rune) bool) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if strings.Contains(s, "\r") {
		s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r == '\u2028' || r == '\u2029' || r == '\u0085':
			return '\n'
		case unicode.IsControl(r), '\u202A' <= r && r <= '\u202E', removed(r):
			return -1
		}
		return r
	}, s)
}

// Visible reports whether s shows anything; platforms refuse a message that does not.
func Visible(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsSpace(r) && !hidden(r) })
}

// hidden reports whether r is invisible.
func hidden(r rune) bool {
	switch r {
	case '\u180E', '\u2800', '\u3164', '\uFEFF', '\uFFFC':
		return true
	}
	return unicode.Is(unicode.Cf, r)
}
