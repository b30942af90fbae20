package bolt

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"time"

	"parley/pkg/providers"
	"parley/pkg/session"
)

// A history entry has a form of its own, because every turn reads many of them:
// plain fields with their lengths, and JSON only for what few messages have.
//
//	seq, nanoseconds since 1970 (0: no time), turn, message
//	message: role, content, tool call id, name, reasoning, extra, images as JSON, number of calls, calls
//	call:    id, type, name, raw arguments, what is wrong with them, arguments as JSON, extra
//
// Numbers are varints, texts have their length before them. A call's arguments
// are stored once: decoded only where there are no raw ones.

var errEntry = errors.New("an entry cannot be decoded")

func encodeEntry(e *session.Entry) ([]byte, error) {
	const numbers = 16 * binary.MaxVarintLen16
	m := &e.Message
	b := make([]byte, 0, 2*binary.MaxVarintLen64+numbers+len(e.Turn)+len(m.Role)+len(m.Content)+len(m.ToolCallID)+len(m.Name))
	b = binary.AppendUvarint(b, e.Seq)
	var at int64
	if !e.Time.IsZero() {
		at = e.Time.UnixNano()
	}
	b = binary.AppendVarint(b, at)
	images, err := encodeSome(len(m.Images), m.Images)
	if err != nil {
		return nil, err
	}
	b = appendTexts(b, e.Turn, m.Role, m.Content, m.ToolCallID, m.Name, m.Reasoning, string(m.Extra), images)
	b = binary.AppendUvarint(b, uint64(len(m.ToolCalls)))
	for i := range m.ToolCalls {
		c := &m.ToolCalls[i]
		arguments := ""
		if c.RawArguments == "" {
			if arguments, err = encodeSome(len(c.Arguments), c.Arguments); err != nil {
				return nil, err
			}
		}
		b = appendTexts(b, c.ID, c.Type, c.Name, c.RawArguments, c.BadArguments, arguments, string(c.Extra))
	}
	return b, nil
}

// encodeSome is v as JSON, empty when v has no elements.
func encodeSome(n int, v any) (string, error) {
	if n == 0 {
		return "", nil
	}
	b, err := encode(v)
	return string(b), err
}

func appendTexts(b []byte, texts ...string) []byte {
	for _, s := range texts {
		b = binary.AppendUvarint(b, uint64(len(s)))
		b = append(b, s...)
	}
	return b
}

// decodeEntry copies everything out of payload, which is the database's own memory.
func decodeEntry(payload []byte) (session.Entry, error) {
	var e session.Entry
	seq, n := binary.Uvarint(payload)
	if n <= 0 {
		return e, errEntry
	}
	at, k := binary.Varint(payload[n:])
	if k <= 0 {
		return e, errEntry
	}
	e.Seq = seq
	if at != 0 {
		e.Time = time.Unix(0, at)
	}
	r := entryReader{raw: payload[n+k:], text: string(payload[n+k:])}
	m := &e.Message
	r.texts(&e.Turn, &m.Role, &m.Content, &m.ToolCallID, &m.Name, &m.Reasoning)
	m.Extra = r.json()
	r.decode(&m.Images)
	for i := r.count(); i > 0 && !r.bad; i-- {
		var c providers.ToolCall
		r.texts(&c.ID, &c.Type, &c.Name, &c.RawArguments, &c.BadArguments)
		r.decode(&c.Arguments)
		c.Extra = r.json()
		m.ToolCalls = append(m.ToolCalls, c)
	}
	if r.bad || len(r.raw) > 0 {
		return session.Entry{}, errEntry
	}
	return e, nil
}

// entryReader reads the fields of an entry. Its texts are parts of one copy.
type entryReader struct {
	raw  []byte
	text string // the same bytes
	bad  bool   // something was not as it should be
}

// count is a number.
func (r *entryReader) count() uint64 {
	n, size := binary.Uvarint(r.raw)
	if r.bad || size <= 0 {
		r.bad = true
		return 0
	}
	r.raw, r.text = r.raw[size:], r.text[size:]
	return n
}

func (r *entryReader) next() string {
	n := r.count()
	if n > uint64(len(r.raw)) {
		r.bad = true
		return ""
	}
	s := r.text[:n]
	r.raw, r.text = r.raw[n:], r.text[n:]
	return s
}

func (r *entryReader) texts(to ...*string) {
	for _, s := range to {
		*s = r.next()
	}
}

// json is a value that stays encoded, nil for none.
func (r *entryReader) json() json.RawMessage {
	if s := r.next(); s != "" {
		return json.RawMessage(s)
	}
	return nil
}

// decode reads a JSON value; nothing leaves to as it is.
func (r *entryReader) decode(to any) {
	if s := r.next(); s != "" && json.Unmarshal([]byte(s), to) != nil {
		r.bad = true
	}
}
