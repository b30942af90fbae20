package toolmode

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// place is where an [answerReader] is.
type place int

const (
	ahead   place = iota // of the text, in the object before it
	within               // the text
	behind               // the text
	plain                // an answer that is no object
	foreign              // an object of another form
)

// answerReader finds the text in {"answer":"…"} while it grows.
type answerReader struct {
	at      place
	head    string // what came before the text
	escape  string // an escape that is not complete
	partial string // the bytes of a letter that is not complete
	high    rune   // the first half of a pair
	passed  int    // bytes that were given as they came
}

// maxHead bounds the object's beginning; a longer one has another form.
const maxHead = 256

// add takes the next piece and gives the text in it.
func (a *answerReader) add(piece string) string {
	switch a.at {
	case ahead:
		a.head += piece
		return a.begin()
	case within:
		return a.decode(piece)
	case plain:
		a.passed += len(piece)
		return piece
	default:
		return ""
	}
}

// begin decides by the answer's beginning.
func (a *answerReader) begin() string {
	rest := strings.TrimLeft(a.head, " \t\r\n")
	if rest == "" {
		if len(a.head) > maxHead {
			a.at = foreign
		}
		return ""
	}
	if rest[0] != '{' && rest[0] != '`' {
		a.at, a.passed = plain, len(a.head)
		return a.head
	}
	for _, token := range []string{"{", `"answer"`, ":", `"`} {
		rest = strings.TrimLeft(rest, " \t\r\n")
		after, ok := strings.CutPrefix(rest, token)
		if !ok {
			if !strings.HasPrefix(token, rest) || len(a.head) > maxHead {
				a.at = foreign
			}
			return ""
		}
		rest = after
	}
	a.at = within
	return a.decode(rest)
}

// decode gives the letters of a piece of the text.
func (a *answerReader) decode(piece string) string {
	var b strings.Builder
	piece, a.partial = a.partial+piece, ""
	for i := 0; i < len(piece); i++ {
		c := piece[i]
		switch {
		case a.escape != "":
			a.escape += string(c)
			a.unescape(&b)
		case c == '\\':
			a.escape = `\`
		case c == '"':
			a.at = behind
			a.lone(&b)
			return b.String()
		default:
			n := i + 1
			for n < len(piece) && piece[n] != '\\' && piece[n] != '"' {
				n++
			}
			a.lone(&b)
			text := piece[i:n]
			if n == len(piece) {
				text = a.whole(text)
			}
			b.WriteString(strings.ToValidUTF8(text, "\uFFFD"))
			i = n - 1
		}
	}
	return b.String()
}

// whole is a text up to its last letter that is complete; the other bytes wait.
func (a *answerReader) whole(text string) string {
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		tail := text[len(text)-n:]
		if !utf8.RuneStart(tail[0]) {
			continue
		}
		if !utf8.FullRuneInString(tail) {
			a.partial = tail
			return text[:len(text)-n]
		}
		break
	}
	return text
}

// unescape writes the letter of an escape that is complete.
func (a *answerReader) unescape(b *strings.Builder) {
	const whole = len(`\u0000`)
	if a.escape[1] == 'u' {
		if len(a.escape) < whole {
			return
		}
		unit, err := strconv.ParseUint(a.escape[2:], 16, 16)
		a.escape = ""
		if err != nil {
			unit = utf8.RuneError
		}
		a.unit(b, rune(unit))
		return
	}
	letter := a.escape[1]
	a.escape = ""
	a.lone(b)
	if i := strings.IndexByte("nrtbf", letter); i >= 0 {
		letter = "\n\r\t\b\f"[i]
	}
	b.WriteByte(letter)
}

// unit writes a code unit, or keeps it for its second half.
func (a *answerReader) unit(b *strings.Builder, unit rune) {
	if a.high != 0 {
		r := utf16.DecodeRune(a.high, unit)
		if r != utf8.RuneError {
			a.high = 0
			b.WriteRune(r)
			return
		}
		a.lone(b)
	}
	if utf16.IsSurrogate(unit) {
		a.high = unit
		return
	}
	b.WriteRune(unit)
}

// lone writes the mark for the first half of a pair without a second.
func (a *answerReader) lone(b *strings.Builder) {
	if a.high != 0 {
		a.high = 0
		b.WriteRune(utf8.RuneError)
	}
}

// answering says whether the text of the answer has begun.
func (a *answerReader) answering() bool { return a.at == within || a.at == behind }

// structured says whether the answer is an object.
func (a *answerReader) structured() bool { return a.at == ahead || a.at == foreign }

// rest is the part of an answer of another form that was not given yet.
func (a *answerReader) rest(raw string) string { return raw[a.passed:] }
