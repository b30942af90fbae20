package bolt

import "parley/pkg/session"

// EncodeEntry and DecodeEntry are the form of a history entry.
func EncodeEntry(e *session.Entry) ([]byte, error)      { return encodeEntry(e) }
func DecodeEntry(payload []byte) (session.Entry, error) { return decodeEntry(payload) }
