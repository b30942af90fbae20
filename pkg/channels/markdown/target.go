package markdown

import "unicode/utf8"

// maxParentheses is how deep parentheses nest in the target of a link; CommonMark
// demands at least three, and its reference implementations take 32.
const maxParentheses = 32

// TooNested says that the parentheses in the target of a link nest so deep that the
// link is text. The parser takes any number.
func TooNested(target []byte) bool {
	depth := 0
	for i := 0; i < len(target); i++ {
		switch target[i] {
		case '\\':
			i++
		case '(':
			if depth++; depth > maxParentheses {
				return true
			}
		case ')':
			depth--
		}
	}
	return false
}

// Cut is s, or where it has more than n bytes as many whole characters as these hold,
// and an ellipsis.
func Cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
