package markup

import (
	"strings"
	"unicode"
)

// clean makes s valid UTF-8 with \n as its only line end and without the characters
// that Telegram removes: control characters, bidirectional embeddings and overrides,
// and the three marks that draw lines through other lines.
func clean(s string) string {
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
		case unicode.IsControl(r), '\u202A' <= r && r <= '\u202E', r == '\u030A', r == '\u0333', r == '\u033F':
			return -1
		}
		return r
	}, s)
}

// visible reports whether s shows anything; a message that does not is refused.
func visible(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsSpace(r) && !hidden(r) })
}

// hidden says that Telegram counts r as empty.
func hidden(r rune) bool {
	switch r {
	case '\u180E', '\u2800', '\u3164', '\uFEFF', '\uFFFC':
		return true
	}
	return unicode.Is(unicode.Cf, r)
}
