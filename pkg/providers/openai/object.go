package openai

// object follows the brackets of a text of JSON that grows, so that each piece is read once.
type object struct {
	depth           int
	quoted, escaped bool
	closed          bool
}

// read takes the next piece.
func (o *object) read(piece string) {
	for i := range len(piece) {
		switch c := piece[i]; {
		case o.escaped:
			o.escaped = false
		case o.quoted:
			o.escaped = c == '\\'
			o.quoted = c != '"'
		case c == '"':
			o.quoted = true
		case c == '{' || c == '[':
			o.depth++
		case c == '}' || c == ']':
			o.depth--
			o.closed = o.depth == 0
		}
	}
}

// complete says that the text is a whole object, if it is JSON at all.
func (o *object) complete() bool { return o.closed && o.depth == 0 && !o.quoted }
