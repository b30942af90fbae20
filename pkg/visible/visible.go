package visible

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// maxMarks is how many marks of a script may stand on one letter.
const maxMarks = 4

// Text writes s so that a person sees all of it. A character that is invisible, or
// shows as another, becomes an escape with its number: control characters but the line
// end, bidirectional and zero-width marks, every space but the plain one, code points
// without a shape or a meaning, and marks that draw over the letters of any script.
// \u{202e} is a code point, \x{ff} a byte that is no UTF-8. So is a space or a line end
// at the end, or a line end at the beginning: they would be invisible, and platforms
// take them off.
//
// A run of blanks that would push text out of sight is counted instead: more than 8
// within a line, or more than 40 at its start, are \u{20}×N, and more than 8 line ends
// are \u{a}×N with one line end behind it.
//
// Different texts stay different: an escape in the text already has its backslash
// escaped, and so have a digit behind a count and a × that could begin one. Letters
// stay, also those that are written from right to left or look like letters of another
// script.
func Text(s string) string {
	v := rewriting{text: s, begin: len(s) - len(strings.TrimLeft(s, "\n")), end: len(strings.TrimRight(s, "\n")), fresh: true}
	for i := 0; i < len(s); {
		if n := v.countBlanks(i); n > 0 {
			i += n
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case !v.seen(i, size, r):
			fmt.Fprintf(&v.out, `\u{%x}`, r)
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&v.out, `\x{%02x}`, s[i])
		default:
			v.out.WriteRune(r)
		}
		v.fresh, v.count = r == '\n' || v.fresh && r == ' ', false
		i += size
	}
	return v.out.String()
}

// rewriting is a text that is being rewritten. Its line ends before begin and from end
// on stand round the text, not in it.
type rewriting struct {
	text       string
	begin, end int
	out        strings.Builder
	marks      int  // how many more the letter before takes
	fresh      bool // only blanks stand before it in its line
	count      bool // a count stands before it
}

// countBlanks writes the count of a run of blanks at i that is too long, and returns
// its length; else 0.
func (v *rewriting) countBlanks(i int) int {
	n := tooMany(v.text[i:], v.fresh)
	if n == 0 || v.text[i] != ' ' && (i < v.begin || i >= v.end) {
		return 0
	}
	fmt.Fprintf(&v.out, `\u{%x}×%d`, v.text[i], n)
	if v.fresh = v.text[i] == '\n'; v.fresh {
		v.out.WriteByte('\n')
	}
	v.marks, v.count = 0, !v.fresh
	return n
}

// seen says whether the character at i is seen as itself; a byte outside of UTF-8 is
// written as its number.
func (v *rewriting) seen(i, size int, r rune) bool {
	v.marks = marksAfter(r, v.marks)
	switch {
	case r == '\n':
		return i >= v.begin && i < v.end
	case r == '×':
		return i == 0 || i != v.begin
	case r == utf8.RuneError && size == 1:
		return true
	default:
		return v.marks >= 0 && shows(r) && !misleads(r, v.text[i+size:], v.count)
	}
}

// misleads says of a character that has a shape whether it would be taken for another
// one, or be overlooked, before rest: in an escape, behind a count, at the end of a
// line.
func misleads(r rune, rest string, count bool) bool {
	switch r {
	case ' ':
		return rest == "" || rest[0] == '\n'
	case '\\':
		return strings.HasPrefix(rest, "u{") || strings.HasPrefix(rest, "x{")
	default:
		return count && r >= '0' && r <= '9'
	}
}

// tooMany is how many blanks, or line ends, a text begins with, where they are so many
// that they push the rest out of sight; else 0.
func tooMany(s string, fresh bool) int { //nolint:revive // flag-parameter: where the text stands decides
	const within, atStart = 8, 40
	if s[0] != ' ' && s[0] != '\n' {
		return 0
	}
	n := len(s) - len(strings.TrimLeft(s, s[:1]))
	if n > within && (!fresh || s[0] == '\n') || n > atStart {
		return n
	}
	return 0
}

// marksAfter is how many marks may follow r, of which left might; a negative number
// says that r is a mark itself and one too many.
func marksAfter(r rune, left int) int {
	switch {
	case unicode.IsMark(r):
		return max(left, 0) - 1
	case unicode.IsLetter(r):
		return maxMarks
	default:
		return 0
	}
}

// shows says whether r has a shape of its own wherever it stands.
func shows(r rune) bool {
	switch r {
	case '\u2800', '\uFFFC', '\U00013441', '\U00013442', '\U00016FE4', '\U0001D159':
		return false // blanks that count as letters and symbols
	}
	overAny := unicode.IsMark(r) && unicode.In(r, unicode.Inherited, unicode.Me)
	return unicode.IsPrint(r) && !overAny && !unicode.In(r, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// JSON is a JSON text of the same value, in which a character without a shape of its own is an escape of JSON.
func JSON(raw string) string {
	var out strings.Builder
	for _, r := range raw {
		switch {
		case shows(r) || r < ' ': // the white space between values; in a value it is an escape already
			out.WriteRune(r)
		case r > 0xFFFF:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&out, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&out, `\u%04x`, r)
		}
	}
	return out.String()
}

// Verbatim is [Text] as a block of code in Markdown.
func Verbatim(s string) string { return Fenced(Text(s)) }

// Fenced is a text as a block of code in Markdown, which no text in it can end.
func Fenced(s string) string {
	longest, run := 0, 0
	for _, c := range []byte(s) {
		run++
		if c != '`' {
			run = 0
		}
		longest = max(longest, run)
	}
	fence := strings.Repeat("`", max(3, longest+1))
	return fence + "\n" + s + "\n" + fence
}
