package files

import "bytes"

// Secrets knows texts that no tool may show. The registry takes whole ones out of each result; a part of one
// looks like any text, so that it is taken out where a text is cut. It may be used from many goroutines.
type Secrets interface {
	// Redact replaces the secrets in a text.
	Redact(text string) string
	// Find returns where Redact finds them, each by its begin and its end, from the left.
	Find(text string) [][2]int
}

// secretMargin is how much is looked at beside a part of a text: no secret is longer.
const secretMargin = 4 << 10

// covered is the part of a text between two places, with stars for the bytes of secrets that it has in part.
func (a *access) covered(text []byte, from, to int) []byte {
	part := bytes.Clone(text[from:to])
	if a.options.Secrets == nil {
		return part
	}
	for _, s := range a.options.Secrets.Find(string(text)) {
		if s[0] >= from && s[1] <= to {
			continue
		}
		for i := max(s[0], from); i < min(s[1], to); i++ {
			part[i-from] = '*'
		}
	}
	return part
}

// redacted is a text without its secrets.
func (a *access) redacted(text []byte) []byte {
	if a.options.Secrets == nil {
		return text
	}
	return []byte(a.options.Secrets.Redact(string(text)))
}
