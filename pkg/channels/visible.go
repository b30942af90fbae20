package channels

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxMarks is how many marks of a script may stand on one letter.
const maxMarks = 4

// Visible writes s so that a person sees all of it. What shows nothing, or shows as
// something else, becomes an escape with its number: control characters but the
// line end, bidirectional and zero-width marks, every space but the plain one, code
// points without a shape or a meaning, and marks that draw over the letters of any
// script. \u{202e} is a code point, \x{ff} a byte that is no UTF-8. So is a space or
// a line end that nothing follows, or a line end that nothing precedes: nobody would
// see them, and platforms take them off.
//
// Two texts never become the same: what is an escape already has its backslash
// escaped. Letters stay, also those that are written from right to left or look like
// letters of another script.
func Visible(s string) string {
	var b strings.Builder
	begin, end := len(s)-len(strings.TrimLeft(s, "\n")), len(strings.TrimRight(s, "\n"))
	marks := 0 // how many more the letter before takes
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		rest := s[i+size:]
		marks = marksAfter(r, marks)
		seen := marks >= 0 && shows(r)
		switch r {
		case '\n':
			seen = i >= begin && i < end
		case ' ':
			seen = rest != "" && rest[0] != '\n'
		case '\\':
			seen = !strings.HasPrefix(rest, "u{") && !strings.HasPrefix(rest, "x{")
		}
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x{%02x}`, s[i])
		case seen:
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, `\u{%x}`, r)
		}
		i += size
	}
	return b.String()
}

// marksAfter is how many marks may follow r, of which left might; less than none
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

// Verbatim is [Visible] as a block of code in Markdown, which shows it as it is:
// nothing in s can end the block.
func Verbatim(s string) string {
	longest, run := 0, 0
	for i := range len(s) {
		if s[i] == '`' {
			run++
		} else {
			run = 0
		}
		longest = max(longest, run)
	}
	fence := strings.Repeat("`", max(3, longest+1))
	return fence + "\n" + Visible(s) + "\n" + fence
}
