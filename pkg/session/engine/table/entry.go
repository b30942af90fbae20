package table

import (
	"encoding/binary"
	"errors"

	"parley/pkg/providers"
	"parley/pkg/session"
)

// A history entry is stored as fields, because every turn reads many of them:
//
//	seq, time, turn, message
//	message: role, content, tool call id, name, reasoning, extra, images as JSON, number of calls, calls
//	call:    id, type, name, raw arguments, what is wrong with them, arguments as JSON, extra
//
// A call's arguments are stored once: as JSON only where there are no raw ones, and
// read back as raw ones.

var errFields = errors.New("a record's fields cannot be read")

// EncodeEntry is the stored form of a history entry.
func EncodeEntry(e *session.Entry) ([]byte, error) {
	const numbers = 16 * binary.MaxVarintLen16
	m := &e.Message
	b := make([]byte, 0, 2*binary.MaxVarintLen64+numbers+len(e.Turn)+len(m.Role)+len(m.Content)+len(m.ToolCallID)+len(m.Name))
	b = appendTimes(appendNumbers(b, e.Seq), e.Time)
	images, err := encodeSome(len(m.Images), m.Images)
	if err != nil {
		return nil, err
	}
	b = appendTexts(b, e.Turn, m.Role, m.Content, m.ToolCallID, m.Name, m.Reasoning, string(m.Extra), images)
	b = appendNumbers(b, uint64(len(m.ToolCalls)))
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

// DecodeEntry reads it.
func DecodeEntry(payload []byte) (session.Entry, error) {
	r := readFields(payload)
	e := session.Entry{Seq: r.number(), Time: r.time()}
	m := &e.Message
	r.texts(&e.Turn, &m.Role, &m.Content, &m.ToolCallID, &m.Name, &m.Reasoning)
	m.Extra = r.json()
	m.Images = decodeSome[[]providers.Image](&r)
	for i := r.number(); i > 0 && !r.bad; i-- {
		var c providers.ToolCall
		r.texts(&c.ID, &c.Type, &c.Name, &c.RawArguments, &c.BadArguments)
		if text := r.next(); c.RawArguments == "" {
			c.RawArguments = text // with the numbers that it has
		}
		c.Extra = r.json()
		m.ToolCalls = append(m.ToolCalls, c)
	}
	if err := r.end(); err != nil {
		return session.Entry{}, err
	}
	return e, nil
}
