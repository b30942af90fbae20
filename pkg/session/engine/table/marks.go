package table

import (
	"bytes"

	"parley/pkg/session"
	"parley/pkg/session/kv"
)

// The marks of a history entry are a record beside it, under the same key: an earlier
// build reads the entries as before. Most entries have none.

const (
	markOutside = 1 << iota
	markSummary
)

// PutMarks stores the marks of an entry of a session, if it has any.
func PutMarks(t *Tx, sess uint64, e *session.Entry) error {
	var m uint64
	if e.Outside {
		m |= markOutside
	}
	if e.Summary {
		m |= markSummary
	}
	if m == 0 {
		return nil
	}
	return t.PutRaw(Marks, NumKey(sess, e.Seq), appendNumbers(nil, m))
}

// MarksBack reads the marks of a session's entries while these are read from their end.
type MarksBack struct {
	c    kv.Cursor
	k, v []byte
}

// NewMarksBack begins before a key of [History].
func NewMarksBack(t *Tx, key []byte) *MarksBack {
	b := &MarksBack{c: t.Cursor(Marks)}
	b.at(b.c.SeekBefore(key))
	if Num(b.k, 0) != Num(key, 0) {
		b.k = nil // no entry of the session has a mark
	}
	return b
}

func (b *MarksBack) at(k, v []byte) { b.k, b.v = k, v }

// Set sets the marks of the entry under a key, which is before that of the last call.
func (b *MarksBack) Set(key []byte, e *session.Entry) {
	for b.k != nil && bytes.Compare(b.k, key) > 0 {
		b.at(b.c.Prev())
	}
	if b.k != nil && bytes.Equal(b.k, key) {
		setMarks(key, b.v, e)
	}
}

// SetMarks sets the marks of one entry, which was read under a key.
func SetMarks(t *Tx, key []byte, e *session.Entry) {
	if v := t.Value(Marks, key); v != nil {
		setMarks(key, v, e)
	}
}

// setMarks reads a record of [Marks]. A damaged one counts as the mark of content from
// outside: then more calls ask.
func setMarks(key, rec []byte, e *session.Entry) {
	payload, err := Unseal(Marks, key, rec)
	r := readFields(payload)
	m := r.number()
	if err != nil || r.end() != nil {
		m = markOutside
	}
	e.Outside, e.Summary = m&markOutside != 0, m&markSummary != 0
}
