package exchange

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"
)

// LooseText is a string that some hosts send as null, a number or a list of parts.
type LooseText string

// UnmarshalJSON takes a string, null, a number, a list of strings or of parts with a text.
func (t *LooseText) UnmarshalJSON(b []byte) error {
	b = bytes.TrimSpace(b)
	if len(b) == 0 {
		return nil
	}
	switch b[0] {
	case '"':
		s, err := Unquote(b)
		if err != nil {
			return err
		}
		*t = LooseText(s)
	case '[':
		var parts []json.RawMessage
		if err := json.Unmarshal(b, &parts); err != nil {
			return err
		}
		*t = LooseText(joinParts(parts))
	case '{', 'n', 't', 'f': // not a text
	default:
		*t = LooseText(b)
	}
	return nil
}

// Count is a number of tokens, or the place of a piece. An answer counts more than its bill:
// anything that is no number above 0 is 0.
type Count int

// mostCounted is the most that is believed of one count.
const mostCounted = 1 << 30

// UnmarshalJSON takes a number, also as a text or with a fraction; it has no error.
func (c *Count) UnmarshalJSON(b []byte) error {
	*c = 0
	if len(b) == 1 { // the usual place
		*c = Count(max(0, int(b[0])-'0'))
	} else if n, err := strconv.ParseFloat(string(bytes.Trim(b, `"`)), 64); err == nil && n > 0 { // NaN is not
		*c = Count(min(n, mostCounted))
	}
	return nil
}

// Unquote decodes a string that a decoder has found, which is mostly plain text with an
// escaped line here and there: the pieces of a stream are many, and a second decoder for
// each costs more than the text.
func Unquote(literal []byte) (string, error) {
	if n := len(literal); n >= 2 && utf8.Valid(literal) {
		inner := literal[1 : n-1]
		first := bytes.IndexByte(inner, '\\')
		if first < 0 {
			return string(inner), nil
		}
		if text, ok := unescaped(inner, first); ok {
			return text, nil
		}
	}
	var s string
	err := json.Unmarshal(literal, &s)
	return s, err
}

// unescaped undoes escapes, the first of which is at first; false for one by a number.
func unescaped(text []byte, first int) (string, bool) {
	out := append(make([]byte, 0, len(text)), text[:first]...)
	for i := first; i < len(text); i++ {
		if text[i] != '\\' {
			out = append(out, text[i])
			continue
		}
		i++
		if i == len(text) {
			return "", false
		}
		at := bytes.IndexByte([]byte(`"\/nrtbf`), text[i])
		if at < 0 {
			return "", false
		}
		out = append(out, "\"\\/\n\r\t\b\f"[at])
	}
	return string(out), true
}

func joinParts(parts []json.RawMessage) string {
	var b strings.Builder
	for _, part := range parts {
		var s string
		if json.Unmarshal(part, &s) == nil {
			b.WriteString(s)
			continue
		}
		var p struct {
			Type string `json:"type"`
			Text string `json:"text"`
		}
		if json.Unmarshal(part, &p) == nil && (p.Type == "" || p.Type == "text" || p.Type == "output_text") {
			b.WriteString(p.Text)
		}
	}
	return b.String()
}
