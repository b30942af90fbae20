package spoken

import (
	"html"
	"strings"
	"unicode"

	"parley/pkg/providers"
)

// maxUnwrapped is how often the escapes of a message are undone: a page may come in JSON, and
// that JSON in JSON.
const maxUnwrapped = 3

// Echoes says whether one of the texts, each of which says a call, occurs in a message that
// the model did not write. Spaces, marks, letter case and escapes make no difference.
func Echoes(messages []providers.Message, texts []string) bool {
	var bones []string
	for _, text := range texts {
		bones = append(bones, skeleton(text), skeleton(unescape(text)))
	}
	for i := range messages {
		if m := &messages[i]; m.Role != providers.RoleAssistant && holds(m.Content, bones) {
			return true
		}
	}
	return false
}

func holds(content string, bones []string) bool {
	for range maxUnwrapped {
		all := skeleton(content)
		for _, b := range bones {
			if b != "" && strings.Contains(all, b) {
				return true
			}
		}
		unwrapped := html.UnescapeString(unescape(content))
		if unwrapped == content {
			return false
		}
		content = unwrapped
	}
	return false
}

// skeleton is a text's letters and digits.
func skeleton(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, text)
}

// unescape undoes one level of the escapes of JSON.
func unescape(text string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	for {
		n := strings.IndexByte(text, '\\')
		if n < 0 || n+1 >= len(text) {
			b.WriteString(text)
			return b.String()
		}
		b.WriteString(text[:n])
		letter := text[n+1]
		text = text[n+2:]
		switch letter {
		case 'n', 'r', 't', 'b', 'f':
			b.WriteByte(' ')
		case 'u':
			unit, ok := codeUnit(text)
			if !ok {
				b.WriteByte('u')
				continue
			}
			b.WriteRune(unit)
			text = text[4:]
		default:
			b.WriteByte(letter)
		}
	}
}

// codeUnit reads four hexadecimal digits.
func codeUnit(text string) (rune, bool) {
	const digits = 4
	if len(text) < digits {
		return 0, false
	}
	var r rune
	for _, c := range []byte(text[:digits]) {
		switch {
		case c >= '0' && c <= '9':
			r = r<<4 | rune(c-'0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return r, true
}
