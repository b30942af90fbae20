package text

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

const ellipsis = "…"

// Clip is s, or its first most characters and an ellipsis where it has more. Bytes
// that are no UTF-8 become U+FFFD.
func Clip(s string, most int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= most {
		return s
	}
	n := 0
	for i := range s {
		if n == most {
			return s[:i] + ellipsis
		}
		n++
	}
	return s
}

// ClipBytes is s, or where it has more than most bytes the whole characters that
// these hold and an ellipsis. Bytes that are no UTF-8 become U+FFFD.
func ClipBytes(s string, most int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= most {
		return s
	}
	return Head(s, most) + ellipsis
}

// Head is the beginning of s: the whole characters that most bytes hold.
func Head(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most]
}

// Quote shows up to most characters of s on one line, in quotes and without
// invisible characters.
func Quote(s string, most int) string { return strconv.Quote(Clip(s, most)) }
