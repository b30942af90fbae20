package markup

import (
	"strings"

	"parley/pkg/channels/markdown"
)

const (
	messageUnits = 4096 // of UTF-16, entities parsed
	maxEntities  = 100  // Telegram ignores further ones
	// Bytes of HTML for each unit of the limit; text alone takes 5 at most ("&amp;").
	bytesPerUnit = 6
	// Bytes of HTML that a part may have whatever its limit: enough for one
	// character with all its tags and the longest target.
	minBytes = 4096
)

// Render turns Markdown into Telegram HTML, as parts that are complete by themselves
// and show at most limit UTF-16 units each; 0 or less means 4096. A code point
// outside the basic plane stays whole, even for a limit of 1. A text without a
// visible character has no parts.
func Render(md string, limit int) []string {
	if limit <= 0 {
		limit = messageUnits
	}
	bounds := size{units: limit, bytes: max(bytesPerUnit*limit, minBytes), entities: maxEntities}
	return pack(lay(markdown.Read(md, dialect())), bounds)
}

// Plain is the text that one rendered part shows.
func Plain(html string) string {
	var b strings.Builder
	for at := strings.IndexAny(html, "<&"); at >= 0; at = strings.IndexAny(html, "<&") {
		b.WriteString(html[:at])
		html = html[at:]
		if html[0] == '&' {
			char, n := reference(html)
			b.WriteString(char)
			html = html[n:]
			continue
		}
		_, html, _ = strings.Cut(html, ">")
	}
	b.WriteString(html)
	return b.String()
}

// reference decodes the form that escape wrote for one character, or takes the &
// itself.
func reference(html string) (char string, n int) {
	for _, c := range `<>&"` {
		if name := escapeOf(c); strings.HasPrefix(html, name) {
			return string(c), len(name)
		}
	}
	return "&", 1
}

// Units counts the UTF-16 code units of s, as Telegram does.
func Units(s string) int {
	n := 0
	for _, r := range s {
		n += unitsOf(r)
	}
	return n
}

func unitsOf(r rune) int {
	if r > 0xFFFF {
		return 2
	}
	return 1
}
