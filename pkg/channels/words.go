package channels

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxLine is the longest line that [OneLine] gives, in code points.
const maxLine = 200

// OneLine is what somebody chose to call something, as it may stand within a line: no
// line breaks, no control or invisible formatting characters, at most 200 code points.
func OneLine(s string) string {
	s = clean(s)
	if runes := []rune(s); len(runes) > maxLine {
		return string(runes[:maxLine]) + "…"
	}
	return s
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

// Bracket tells in a line of its own what a message holds beside its text: [kind words].
func Bracket(kind string, words ...string) string {
	words = slices.DeleteFunc(append([]string{kind}, words...), func(w string) bool { return w == "" })
	return "[" + strings.Join(words, " ") + "]"
}

// Lines puts what is not empty below each other.
func Lines(all ...string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(all), func(s string) bool { return s == "" }), "\n")
}

// FileName is the last element of a name that somebody chose, without what no
// file's name should hold and at most 120 bytes long; "" where nothing is left.
func FileName(name string) string {
	name = clean(path.Base(strings.ReplaceAll(name, `\`, "/")))
	name = strings.TrimLeft(strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/:*?"<>|[]`, r) {
			return '_'
		}
		return r
	}, name), ". ")
	const most = 120
	if len(name) <= most {
		return name
	}
	ext := path.Ext(name)
	if len(ext) > most/10 {
		ext = ""
	}
	end := most - len(ext)
	for !utf8.RuneStart(name[end]) {
		end--
	}
	return name[:end] + ext
}

// FileSize is a number of bytes in round figures; "" where it is not known.
func FileSize(n int64) string {
	switch {
	case n <= 0:
		return ""
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case n < 1000*1000:
		return fmt.Sprintf("%d kB", (n+500)/1000)
	default:
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	}
}
