package gemini

import (
	"encoding/json"
	"slices"
	"unicode/utf8"

	"parley/pkg/providers"
	"parley/pkg/providers/internal/exchange"
)

// A model of this protocol signs its thoughts, and wants each signature back with the
// part that it came with. The signature of a call travels with the call; those of texts
// travel with the message, as the layout of its parts.

// skipCheck stands for the signature of a call that this model did not make. The protocol
// documents it for calls of other models.
const skipCheck = "skip_thought_signature_validator"

// callExtra is data about a call that the server sees again.
type callExtra struct {
	ID        string `json:"id,omitempty"`
	Signature string `json:"thoughtSignature,omitempty"`
}

func wrapCall(m exchange.Mark, e callExtra) json.RawMessage {
	fields := map[string]json.RawMessage{}
	put(fields, "id", e.ID)
	put(fields, "thoughtSignature", e.Signature)
	return m.Wrap(fields)
}

func put(fields map[string]json.RawMessage, name, value string) {
	if value != "" {
		fields[name] = exchange.AppendString(nil, value)
	}
}

func unwrapCall(m exchange.Mark, raw json.RawMessage) (e callExtra) {
	if fields := m.Unwrap(raw); fields != nil {
		_ = json.Unmarshal(fields, &e) // fields of another form are not ours
	}
	return e
}

// The kinds of a [piece].
const (
	pieceText    = "text"
	pieceThought = "thought"
	pieceCall    = "call"
)

// piece is one part of an answer: so many bytes of its text or of its thoughts, or its
// next call.
type piece struct {
	Kind      string `json:"kind"`
	Bytes     int    `json:"bytes,omitempty"`
	Signature string `json:"signature,omitempty"`
}

// layout is the order of an answer's parts.
type layout []piece

// with appends a part. Pieces of one kind are one part until a signature seals it.
func (l layout) with(kind string, n int, signature string) layout {
	if n == 0 && signature == "" && kind != pieceCall {
		return l
	}
	if last := len(l) - 1; last >= 0 && kind != pieceCall && signature == "" {
		if p := &l[last]; p.Kind == kind && p.Signature == "" {
			p.Bytes += n
			return l
		}
	}
	return append(l, piece{Kind: kind, Bytes: n, Signature: signature})
}

// wrap makes an Extra of a layout. It is nil for a layout that can do without it: one with
// no signatures, and with the text before the calls.
func (l layout) wrap(m exchange.Mark) json.RawMessage {
	needed, called := false, false
	for _, p := range l {
		called = called || p.Kind == pieceCall
		needed = needed || p.Signature != "" || called && p.Kind == pieceText
	}
	if !needed {
		return nil
	}
	b, err := json.Marshal(l)
	if err != nil {
		return nil
	}
	return m.Wrap(map[string]json.RawMessage{"parts": b})
}

// layoutOf gives the parts of a message. If its Extra is of another model, or its text is
// not as it was, the text is one part, with the last of its signatures.
func layoutOf(m exchange.Mark, msg *providers.Message) layout {
	var e struct {
		Parts layout `json:"parts"`
	}
	if fields := m.Unwrap(msg.Extra); fields != nil {
		_ = json.Unmarshal(fields, &e) // fields of another form are not ours
	}
	if e.Parts.fits(msg) {
		return e.Parts
	}
	signature := ""
	for _, p := range e.Parts {
		if p.Kind == pieceText && p.Signature != "" {
			signature = p.Signature
		}
	}
	usual := layout{}.with(pieceText, len(msg.Content), signature)
	for range msg.ToolCalls {
		usual = usual.with(pieceCall, 0, "")
	}
	return usual
}

// fits says whether a layout describes the text and the calls of a message.
func (l layout) fits(msg *providers.Message) bool {
	text, thought, calls := 0, 0, 0
	for _, p := range l {
		switch p.Kind {
		case pieceText:
			if p.Bytes < 0 || p.Bytes > len(msg.Content)-text || !boundary(msg.Content, text) {
				return false
			}
			text += p.Bytes
		case pieceThought:
			if p.Bytes < 0 || p.Bytes > len(msg.Reasoning)-thought || !boundary(msg.Reasoning, thought) {
				return false
			}
			thought += p.Bytes
		case pieceCall:
			calls++
		default:
			return false
		}
	}
	return len(l) > 0 && text == len(msg.Content) && calls == len(msg.ToolCalls)
}

// boundary says whether a letter begins at byte i of s, or s ends there.
func boundary(s string, i int) bool { return i == len(s) || utf8.RuneStart(s[i]) }

// signed says whether the calls of a message carry a signature of this model: one of them,
// or a part behind them.
func signed(l layout, calls []callExtra) bool {
	called := false
	for _, p := range l {
		called = called || p.Kind == pieceCall
		if called && p.Signature != "" {
			return true
		}
	}
	return slices.ContainsFunc(calls, func(c callExtra) bool { return c.Signature != "" })
}
