package anthropic

import (
	"encoding/json"
	"fmt"
	"strings"

	"parley/pkg/providers"
	"parley/pkg/providers/internal/exchange"
)

// layout is the order of the blocks of an answer that has others than texts and calls.
// The server wants these back unchanged, at their places. Texts and calls are in the
// message itself: here a text has its length alone, and a call its kind.
type layout []json.RawMessage

// place is a text or a call in a layout.
type place struct {
	Type  string `json:"type"`
	Bytes int    `json:"bytes,omitempty"`
}

// layoutOf gives the layout of blocks; nil for texts and calls alone, and where a block
// cannot be encoded.
func layoutOf(blocks []*block) layout {
	l := make(layout, 0, len(blocks))
	opaque := false
	for _, b := range blocks {
		var raw json.RawMessage
		var err error
		switch b.kind {
		case kindText:
			if b.text.Len() == 0 {
				continue
			}
			raw, err = json.Marshal(place{Type: kindText, Bytes: b.text.Len()})
		case kindCall:
			raw, err = json.Marshal(place{Type: kindCall})
		default:
			opaque = true
			raw, err = b.whole()
		}
		if err != nil {
			return nil
		}
		l = append(l, raw)
	}
	if !opaque {
		return nil
	}
	return l
}

// whole is a block as the server wants it back: its first fields, and its grown ones.
func (b *block) whole() (json.RawMessage, error) {
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(b.raw, &fields); err != nil {
		return nil, fmt.Errorf("read a block: %w", err)
	}
	for _, grown := range []struct{ name, text string }{
		{"text", b.text.String()}, {"thinking", b.thinking.String()}, {"signature", b.signature.String()},
	} {
		if grown.text == "" {
			continue
		}
		raw, err := json.Marshal(grown.text)
		if err != nil {
			return nil, fmt.Errorf("encode a block: %w", err)
		}
		fields[grown.name] = raw
	}
	if input := b.input.String(); json.Valid([]byte(input)) {
		fields["input"] = json.RawMessage(input)
	}
	if len(b.citations) > 0 {
		raw, err := json.Marshal(b.citations)
		if err != nil {
			return nil, fmt.Errorf("encode the citations of a block: %w", err)
		}
		fields["citations"] = raw
	}
	raw, err := json.Marshal(fields)
	if err != nil {
		return nil, fmt.Errorf("encode a block: %w", err)
	}
	return raw, nil
}

// wrap makes the Extra of a message.
func (l layout) wrap(m exchange.Mark) json.RawMessage {
	if len(l) == 0 {
		return nil
	}
	raw, err := json.Marshal(l)
	if err != nil {
		return nil
	}
	return m.Wrap(map[string]json.RawMessage{"content": raw})
}

// unwrap gives the layout of a message of the same server and model; nil for any other.
func unwrap(m exchange.Mark, msg *providers.Message) layout {
	raw := m.Unwrap(msg.Extra)
	if raw == nil {
		return nil
	}
	var fields struct {
		Content layout `json:"content"`
	}
	if json.Unmarshal(raw, &fields) != nil {
		return nil
	}
	return fields.Content
}

// part is one block of an earlier answer, as it is sent back: an opaque one, a text, or
// the call of a number.
type part struct {
	kind   string
	opaque json.RawMessage
	text   string
	call   int
}

// partsOf gives the blocks of an earlier answer in their order. A message that has
// changed since it was laid out has its thinking first, then its text and its calls.
func partsOf(msg *providers.Message, l layout) []part {
	if parts, ok := l.apply(msg); ok {
		return parts
	}
	var parts []part
	for _, raw := range l {
		if p := (place{}); json.Unmarshal(raw, &p) == nil && (p.Type == kindThinking || p.Type == kindRedacted) {
			parts = append(parts, part{kind: p.Type, opaque: raw})
		}
	}
	parts = append(parts, part{kind: kindText, text: msg.Content})
	for i := range msg.ToolCalls {
		parts = append(parts, part{kind: kindCall, call: i})
	}
	return parts
}

// apply lays a message out; false where its text or its calls are not those of the layout.
func (l layout) apply(msg *providers.Message) (parts []part, ok bool) {
	text, calls := msg.Content, 0
	for _, raw := range l {
		var p place
		if json.Unmarshal(raw, &p) != nil {
			return nil, false
		}
		switch p.Type {
		case kindText:
			if p.Bytes < 0 || p.Bytes > len(text) {
				return nil, false
			}
			parts = append(parts, part{kind: kindText, text: text[:p.Bytes]})
			text = text[p.Bytes:]
		case kindCall:
			parts = append(parts, part{kind: kindCall, call: calls})
			calls++
		default:
			parts = append(parts, part{kind: p.Type, opaque: raw})
		}
	}
	return parts, len(l) > 0 && text == "" && calls == len(msg.ToolCalls)
}

// thinks says whether the first block of a layout is thinking.
func (l layout) thinks() bool {
	var p place
	return len(l) > 0 && json.Unmarshal(l[0], &p) == nil && (p.Type == kindThinking || p.Type == kindRedacted)
}

// unfinished are the blocks of a paused answer, as the server wants them back.
func (a *answer) unfinished() ([]part, error) {
	var parts []part
	for _, b := range a.blocks {
		p := part{kind: b.kind}
		var err error
		switch {
		case b.kind == kindText && strings.TrimSpace(b.text.String()) == "":
			continue
		default:
			p.opaque, err = b.whole()
		}
		if err != nil {
			return nil, err
		}
		parts = append(parts, p)
	}
	return parts, nil
}
