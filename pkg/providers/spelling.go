package providers

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
)

// Settle makes the parts of a call agree: if there are RawArguments, they determine
// the Arguments, and an object of arguments that was encoded twice replaces its text.
// A text that cannot be decoded becomes BadArguments; a call that has these already
// stays as it is.
func (c *ToolCall) Settle() {
	if c.BadArguments != "" || c.RawArguments == "" {
		return
	}
	text, args, err := readArguments(c.RawArguments)
	if err != nil {
		c.BadArguments = err.Error()
		return
	}
	if c.Arguments = args; text != "" && text != strings.Trim(c.RawArguments, jsonSpace) {
		c.RawArguments = text
	}
}

// Spelled gives the arguments of a call as a person should read them, and as they can be
// decoded again: the object itself if they were encoded twice, on one line, with keys in
// their order, each letter as itself, and each number with its own digits. It gives "{}"
// for no arguments, and the error of [DecodeArguments] for arguments that this refuses.
func (c *ToolCall) Spelled() (string, error) {
	raw := c.RawArguments
	if raw == "" && len(c.Arguments) > 0 {
		b, err := encodePlainly(c.Arguments)
		if err != nil {
			return "", err
		}
		raw = string(b)
	}
	text, _, err := readArguments(raw)
	if err != nil || text == "" {
		return "{}", err
	}
	s := speller{dec: json.NewDecoder(strings.NewReader(text))}
	s.dec.UseNumber()
	if err := s.value(); err != nil {
		return "", err
	}
	return s.out.String(), nil
}

// speller copies JSON token by token.
type speller struct {
	dec *json.Decoder
	out bytes.Buffer
}

func (s *speller) value() error {
	t, err := s.dec.Token()
	if err != nil {
		return err
	}
	delim, ok := t.(json.Delim)
	if !ok {
		return s.write(t)
	}
	s.out.WriteString(delim.String())
	for n := 0; s.dec.More(); n++ {
		if n > 0 {
			s.out.WriteByte(',')
		}
		if delim == '{' {
			if err := s.value(); err != nil { // the key
				return err
			}
			s.out.WriteByte(':')
		}
		if err := s.value(); err != nil {
			return err
		}
	}
	if t, err = s.dec.Token(); err != nil {
		return err
	}
	if delim, ok = t.(json.Delim); ok {
		s.out.WriteString(delim.String())
	}
	return nil
}

func (s *speller) write(v any) error {
	b, err := encodePlainly(v)
	s.out.Write(b)
	return err
}

// encodePlainly is v as JSON on one line, with < as itself.
func encodePlainly(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// hasHalfPair says whether some escape in a JSON text is half of a surrogate pair,
// which is no letter.
func hasHalfPair(text string) bool {
	const digits = 4
	for {
		i := strings.IndexByte(text, '\\')
		if i < 0 || i+2 > len(text) {
			return false
		}
		escaped := text[i+1]
		text = text[i+2:]
		unit := hexUnit(text)
		if escaped != 'u' || !utf16.IsSurrogate(unit) {
			continue
		}
		rest, _ := strings.CutPrefix(text[digits:], `\u`)
		if len(rest) == len(text[digits:]) || utf16.DecodeRune(unit, hexUnit(rest)) == unicode.ReplacementChar {
			return true
		}
		text = rest
	}
}

// hexUnit is the code unit of the four digits at the beginning of a text, or 0.
func hexUnit(text string) rune {
	const digits, base, bits = 4, 16, 16
	if len(text) < digits {
		return 0
	}
	n, _ := strconv.ParseUint(text[:digits], base, bits)
	return rune(n)
}
