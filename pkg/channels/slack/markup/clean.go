package markup

import (
	"strings"
	"unicode"
)

const (
	// A zero-width space keeps two characters from being read together. Those in the text
	// are removed first, so that the remaining ones are ours.
	apart = "\u200B"
	// A line end that is one in Markdown too, in the text of a block.
	hardBreak = '\u2028'
)

// clean makes s valid UTF-8 with \n as its only line end and without invisible
// characters: control characters, zero-width spaces, bidirectional embeddings and
// overrides.
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
		case unicode.IsControl(r), '\u202A' <= r && r <= '\u202E', '\u2066' <= r && r <= '\u2069', r == '\u200B':
			return -1
		}
		return r
	}, s)
}

// visible reports whether s shows anything; Slack refuses a message that does not.
func visible(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsSpace(r) && !hidden(r) })
}

// hidden says that r is invisible.
func hidden(r rune) bool {
	switch r {
	case '\u180E', '\u2800', '\u3164', '\uFEFF', '\uFFFC':
		return true
	}
	return unicode.Is(unicode.Cf, r)
}

// isWord says whether r is a letter or a digit.
func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
