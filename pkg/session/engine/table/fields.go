package table

import (
	"encoding/binary"
	"encoding/json"
	"time"
)

// Records that every turn reads have a form of their own, without names: fields in a
// fixed order, numbers as varints, texts with their length before them, and JSON only
// for the fields of few records.

// usualRecord is the room that a record begins with, in bytes: most take less.
const usualRecord = 96

// begun is b with room for a usual record.
func begun(b []byte) []byte {
	if b == nil {
		return make([]byte, 0, usualRecord)
	}
	return b
}

func appendTexts(b []byte, texts ...string) []byte {
	b = begun(b)
	for _, s := range texts {
		b = binary.AppendUvarint(b, uint64(len(s)))
		b = append(b, s...)
	}
	return b
}

func appendNumbers(b []byte, ns ...uint64) []byte {
	b = begun(b)
	for _, n := range ns {
		b = binary.AppendUvarint(b, n)
	}
	return b
}

func appendInts(b []byte, ns ...int64) []byte {
	for _, n := range ns {
		b = binary.AppendVarint(b, n)
	}
	return b
}

// appendTimes writes times to the nanosecond; 0 is no time.
func appendTimes(b []byte, ts ...time.Time) []byte {
	for _, t := range ts {
		var at int64
		if !t.IsZero() {
			at = t.UnixNano()
		}
		b = appendInts(b, at)
	}
	return b
}

// encodeSome is v as JSON, empty when v has no elements.
func encodeSome(n int, v any) (string, error) {
	if n == 0 {
		return "", nil
	}
	b, err := Encode(v)
	return string(b), err
}

// fields reads the form that was written. Its texts are parts of one copy, so that the
// database's own memory is not kept.
type fields struct {
	raw  []byte
	text string // the same bytes
	bad  bool   // something was not as it should be
}

func readFields(payload []byte) fields { return fields{raw: payload, text: string(payload)} }

// end says whether everything was read and as it should be.
func (r *fields) end() error {
	if r.bad || len(r.raw) > 0 {
		return errFields
	}
	return nil
}

// start says whether the fields that were read are as they should be. More may follow.
func (r *fields) start() error {
	if r.bad {
		return errFields
	}
	return nil
}

func (r *fields) skip(size int) bool {
	if r.bad || size <= 0 {
		r.bad = true
		return false
	}
	r.raw, r.text = r.raw[size:], r.text[size:]
	return true
}

func (r *fields) number() uint64 {
	n, size := binary.Uvarint(r.raw)
	if !r.skip(size) {
		return 0
	}
	return n
}

func (r *fields) int() int64 {
	n, size := binary.Varint(r.raw)
	if !r.skip(size) {
		return 0
	}
	return n
}

func (r *fields) time() time.Time {
	at := r.int()
	if at == 0 {
		return time.Time{}
	}
	return time.Unix(0, at)
}

func (r *fields) next() string {
	n := r.number()
	if n > uint64(len(r.raw)) {
		r.bad = true
		return ""
	}
	s := r.text[:n]
	r.raw, r.text = r.raw[n:], r.text[n:]
	return s
}

func (r *fields) texts(to ...*string) {
	for _, s := range to {
		*s = r.next()
	}
}

// json is a value that stays encoded, or nil.
func (r *fields) json() json.RawMessage {
	if s := r.next(); s != "" {
		return json.RawMessage(s)
	}
	return nil
}

// decodeSome reads a JSON value, or gives the zero value.
func decodeSome[T any](r *fields) (v T) {
	s := r.next()
	if s == "" {
		return v
	}
	to := new(T)
	if json.Unmarshal([]byte(s), to) != nil {
		r.bad = true
	}
	return *to
}
