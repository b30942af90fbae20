package exchange

import (
	"bytes"
	"encoding/json"
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
	case '{', 'n', 't', 'f': // nothing that could be a text
	default:
		*t = LooseText(b)
	}
	return nil
}

// Unquote decodes a string that a decoder has found, which is mostly plain text: the
// pieces of a stream are many, and a second decoder for each costs more than the text.
func Unquote(literal []byte) (string, error) {
	if n := len(literal); n >= 2 && bytes.IndexByte(literal, '\\') < 0 && utf8.Valid(literal) {
		return string(literal[1 : n-1]), nil
	}
	var s string
	err := json.Unmarshal(literal, &s)
	return s, err
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
