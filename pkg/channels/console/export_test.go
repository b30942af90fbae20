package console

// SanitizePieces is [Sanitize] of a text that comes in pieces.
func SanitizePieces(pieces ...string) string {
	var s sanitizer
	var all string
	for _, p := range pieces {
		all += s.push(p)
	}
	return all + s.flush()
}
