package table

import (
	"bytes"

	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/session/kv"
)

// The marks of a history entry, and the original of its message, are records beside it, under
// the same key: an earlier build reads the entries as before. Most entries have neither. Entries
// that are undone have one record together, under the key of the first.

const (
	markOutside = 1 << iota
	markSummary
	markSchedule
	markSequel
)

// PutMarks stores the marks and the original of an entry of a session, if it has any.
func PutMarks(t *Tx, sess uint64, e *session.Entry) error {
	key := NumKey(sess, e.Seq)
	if e.Message.Original != nil {
		if err := t.Put(Originals, key, e.Message.Original); err != nil {
			return err
		}
	}
	var m uint64
	if e.Outside {
		m |= markOutside
	}
	if e.Summary {
		m |= markSummary
	}
	switch e.Start {
	case session.StartSchedule:
		m |= markSchedule
	case session.StartSequel:
		m |= markSequel
	case session.StartMessage:
	}
	if m == 0 {
		return nil
	}
	return t.PutRaw(Marks, key, appendNumbers(nil, m))
}

// MarksBack reads the marks and the originals of a session's entries while these are read from
// their end, and which of them are undone.
type MarksBack struct{ marks, originals, undone besideBack }

// NewMarksBack begins before a key of [History].
func NewMarksBack(t *Tx, key []byte) *MarksBack {
	return &MarksBack{besideFrom(t, Marks, key), besideFrom(t, Originals, key), besideFrom(t, Undone, key)}
}

// Set sets the marks of the entry under a key, which is before that of the last call.
func (b *MarksBack) Set(key []byte, e *session.Entry) {
	if v := b.marks.under(key); v != nil {
		setMarks(key, v, e)
	}
	if v := b.originals.under(key); v != nil {
		setOriginal(key, v, e)
	}
	b.undone.down(key)
	setUndone(key, b.undone.k, b.undone.v, e)
}

// besideBack reads the records of a bucket beside entries, from the end.
type besideBack struct {
	c    kv.Cursor
	k, v []byte
}

func besideFrom(t *Tx, bucket Bucket, key []byte) besideBack {
	b := besideBack{c: t.Cursor(bucket)}
	b.at(b.c.SeekBefore(key))
	if Num(b.k, 0) != Num(key, 0) {
		b.k = nil // no entry of the session has one
	}
	return b
}

func (b *besideBack) at(k, v []byte) { b.k, b.v = k, v }

// down goes to the last record that is not behind a key, which is before that of the last call.
func (b *besideBack) down(key []byte) {
	for b.k != nil && bytes.Compare(b.k, key) > 0 {
		b.at(b.c.Prev())
	}
}

// under is the record under a key, which is before that of the last call, or nil.
func (b *besideBack) under(key []byte) []byte {
	b.down(key)
	if b.k != nil && bytes.Equal(b.k, key) {
		return b.v
	}
	return nil
}

// SetMarks sets the marks and the original of one entry, which was read under a key.
func SetMarks(t *Tx, key []byte, e *session.Entry) {
	if v := t.Value(Marks, key); v != nil {
		setMarks(key, v, e)
	}
	if v := t.Value(Originals, key); v != nil {
		setOriginal(key, v, e)
	}
	c := t.Cursor(Undone)
	k, v := c.SeekBefore(NumKey(Num(key, 0), Num(key, 1)+1))
	setUndone(key, k, v, e)
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
	switch {
	case m&markSchedule != 0:
		e.Start = session.StartSchedule
	case m&markSequel != 0:
		e.Start = session.StartSequel
	}
}

// setUndone reads a record of [Undone], the last one that begins with the entry or before it. With
// a damaged one the entries are as if they had never been undone.
func setUndone(key, first, rec []byte, e *session.Entry) {
	if e.Summary || first == nil || Num(first, 0) != Num(key, 0) {
		return
	}
	last, err := Unseal(Undone, first, rec)
	e.Undone = err == nil && Num(last, 0) >= e.Seq
}

// setOriginal reads a record of [Originals]. Without it, people read the words for the model.
func setOriginal(key, rec []byte, e *session.Entry) {
	if o, err := Read[providers.Original](Originals, key, rec); err == nil {
		e.Message.Original = o
	}
}
