package exchange

// mostValues bounds the values of one frame, or of a whole answer, which take many times
// the memory of their text.
const mostValues = 200_000

// crowded says whether a JSON text has more values than an answer has.
func crowded(b []byte) bool {
	if len(b) <= mostValues {
		return false
	}
	values, inText := 0, false
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case inText && c == '\\':
			i++
		case c == '"':
			inText = !inText
		case c == ',' && !inText:
			values++
		}
	}
	return values > mostValues
}
