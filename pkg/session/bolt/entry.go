package bolt

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"parley/pkg/providers"
	"parley/pkg/session"
)

// A history entry has a form of its own, because every turn reads many of them:
// plain fields with their lengths, and JSON only for what few messages have.
//
//	seq, nanoseconds since 1970 (0: no time), turn, role, content, rest
//
// Numbers are varints, texts have their length before them. The rest is
// the message as JSON without role and content, empty when these are all.

var errEntry = errors.New("an entry cannot be decoded")

func encodeEntry(e *session.Entry) ([]byte, error) {
	m := e.Message
	role, content := m.Role, m.Content
	m.Role, m.Content = "", ""
	var rest []byte
	if len(m.ToolCalls) > 0 || m.ToolCallID != "" || m.Name != "" || len(m.Images) > 0 || m.Reasoning != "" || len(m.Extra) > 0 {
		var err error
		if rest, err = json.Marshal(m); err != nil {
			return nil, fmt.Errorf("encode: %w", err)
		}
	}
	const numbers = 6 * binary.MaxVarintLen64
	b := make([]byte, 0, numbers+len(e.Turn)+len(role)+len(content)+len(rest))
	b = binary.AppendUvarint(b, e.Seq)
	var at int64
	if !e.Time.IsZero() {
		at = e.Time.UnixNano()
	}
	b = binary.AppendVarint(b, at)
	for _, s := range []string{e.Turn, role, content, string(rest)} {
		b = binary.AppendUvarint(b, uint64(len(s)))
		b = append(b, s...)
	}
	return b, nil
}

// decodeEntry copies everything out of payload, which is the database's own memory.
func decodeEntry(payload []byte) (session.Entry, error) {
	var e session.Entry
	seq, n := binary.Uvarint(payload)
	if n <= 0 {
		return e, errEntry
	}
	at, m := binary.Varint(payload[n:])
	if m <= 0 {
		return e, errEntry
	}
	payload = payload[n+m:]
	var fields [4][]byte
	for i := range fields {
		size, n := binary.Uvarint(payload)
		if n <= 0 || size > uint64(len(payload)-n) { //nolint:gosec // G115: n is not above the payload's length
			return e, errEntry
		}
		end := n + int(size) //nolint:gosec // G115: not above the payload's length
		fields[i], payload = payload[n:end], payload[end:]
	}
	if len(payload) > 0 {
		return e, errEntry
	}
	if rest := fields[3]; len(rest) > 0 {
		if err := json.Unmarshal(rest, &e.Message); err != nil {
			return e, errors.Join(errEntry, err)
		}
	}
	e.Seq, e.Turn = seq, string(fields[0])
	if at != 0 {
		e.Time = time.Unix(0, at)
	}
	e.Message.Role, e.Message.Content = roleOf(fields[1]), string(fields[2])
	return e, nil
}

// roleOf saves the common roles a copy.
func roleOf(b []byte) string {
	for _, role := range [...]string{providers.RoleUser, providers.RoleAssistant, providers.RoleTool} {
		if string(b) == role {
			return role
		}
	}
	return string(b)
}
