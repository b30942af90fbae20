package markdown

// maxParentheses is how deep parentheses nest in the target of a link; CommonMark
// demands at least three, and its reference implementations take 32.
const maxParentheses = 32

// tooNested says that the parentheses in the target of a link nest so deep that the
// link is text. The parser takes any number.
func tooNested(target []byte) bool {
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
