package channels

import (
	"slices"
	"strings"
	"unicode"

	"parley/pkg/text"
)

// maxLine is the longest line that [OneLine] gives, in code points.
const maxLine = 200

// OneLine is a name that somebody chose, as it may stand within a line: no line breaks,
// no control or invisible formatting characters, at most 200 code points.
func OneLine(s string) string {
	return text.Clip(clean(s), maxLine)
}

func clean(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.Is(unicode.C, r):
			return -1
		default:
			return r
		}
	}, s)
	return strings.Join(strings.Fields(s), " ")
}

// Bracket tells in a line of its own of a part of a message beside its text: [kind
// words].
func Bracket(kind string, words ...string) string {
	words = slices.DeleteFunc(append([]string{kind}, words...), func(w string) bool { return w == "" })
	return "[" + strings.Join(words, " ") + "]"
}

// Lines puts the texts that are not empty below each other.
func Lines(all ...string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(all), func(s string) bool { return s == "" }), "\n")
}
