package exchange

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"

	"parley/pkg/providers"
)

// How much is kept of a server's opaque fields.
const maxExtra = 256 << 10

// Mark tells which server and model the Extra of a message or call came from; only they
// see it again.
type Mark struct{ Server, Model string }

// extra is the content of a message's or call's Extra.
type extra struct {
	Server string          `json:"server"`
	Model  string          `json:"model"`
	Fields json.RawMessage `json:"fields"`
}

// Wrap makes an Extra of fields of the wire; nil for an empty list, and for more than
// 256 KiB.
func (m Mark) Wrap(fields map[string]json.RawMessage) json.RawMessage {
	if len(fields) == 0 {
		return nil
	}
	object, err := json.Marshal(fields)
	if err != nil {
		return nil
	}
	b, err := json.Marshal(extra{Server: m.Server, Model: m.Model, Fields: object})
	if err != nil || len(b) > maxExtra {
		return nil
	}
	return b
}

// Unwrap gives the object of fields in an Extra that came from this server and model; nil
// for any other.
func (m Mark) Unwrap(raw json.RawMessage) json.RawMessage {
	var e extra
	if len(raw) == 0 || json.Unmarshal(raw, &e) != nil || e.Server != m.Server || e.Model != m.Model {
		return nil
	}
	return e.Fields
}

// OwnID makes an id for call n of an answer, if the server gave none. It is the same
// when the same answer to the same conversation is read again, and another in a later
// turn.
func OwnID(messages []providers.Message, n int) string {
	h := sha256.New()
	var count [8]byte
	binary.BigEndian.PutUint64(count[:], uint64(len(messages))<<16|uint64(n)) //nolint:gosec // both are small
	h.Write(count[:])
	if len(messages) > 0 {
		last := &messages[len(messages)-1]
		h.Write([]byte(last.Role + "\x00" + last.ToolCallID + "\x00" + last.Content))
	}
	return "call_" + hex.EncodeToString(h.Sum(nil)[:12])
}
