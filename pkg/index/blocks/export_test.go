package blocks

// Unchecked reads blocks whatever their checksums.
func Unchecked(r Reader) Reader {
	r.unchecked = true
	return r
}
