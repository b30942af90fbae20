package console

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sanitize makes text safe to show on a terminal. Controlling characters are made
// visible: C0 and DEL become their pictures (␛ for escape, ␍ for a carriage return
// that is not part of a line break), C1 and the marks that reorder or hide text
// become <U+009B> and the like, invalid UTF-8 becomes U+FFFD. Line breaks and tabs
// stay. Without its escape, a sequence is plain text.
func Sanitize(text string) string {
	var s sanitizer
	return s.push(text) + s.flush()
}

// sanitizer is [Sanitize] for text that comes in pieces.
type sanitizer struct {
	// held is text that cannot be judged yet: a carriage return, or the start of a code
	// point.
	held string
}

// push takes a piece and returns the part of all so far that can be shown.
func (s *sanitizer) push(piece string) string {
	text := s.held + piece
	s.held = ""
	var b strings.Builder
	b.Grow(len(text))
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		switch {
		case r == utf8.RuneError && size == 1 && !utf8.FullRuneInString(text),
			text == "\r":
			s.held = text
			return b.String()
		case strings.HasPrefix(text, "\r\n"):
			size = 2
			b.WriteByte('\n')
		default:
			writeVisible(&b, r)
		}
		text = text[size:]
	}
	return b.String()
}

// flush returns the held text, at the end of the text.
func (s *sanitizer) flush() string {
	held := s.held
	s.held = ""
	switch held {
	case "":
		return ""
	case "\r":
		return "␍"
	default:
		return string(utf8.RuneError)
	}
}

func writeVisible(b *strings.Builder, r rune) {
	const pictures, pictureOfDel = 0x2400, 0x2421
	switch {
	case r == '\n' || r == '\t':
		b.WriteRune(r)
	case r < 0x20:
		b.WriteRune(pictures + r)
	case r == 0x7f:
		b.WriteRune(pictureOfDel)
	case misleading(r):
		fmt.Fprintf(b, "<U+%04X>", r)
	default:
		b.WriteRune(r)
	}
}

// misleading says that a code point controls a terminal (C1), reorders its
// neighbours, breaks lines, or hides text.
func misleading(r rune) bool {
	switch {
	case r < 0x80:
		return false
	case r <= 0x9f:
		return true
	case r == 0x2028 || r == 0x2029:
		return true
	}
	return unicode.Is(unicode.Bidi_Control, r) || r >= 0xfff9 && r <= 0xfffb
}
