package blocks

import "encoding/binary"

// Fields reads numbers and bytes one behind the other. After the first fault all are zero.
type Fields struct {
	b   []byte
	bad bool
}

// NewFields reads b.
func NewFields(b []byte) Fields { return Fields{b: b} }

// Number reads a number up to most.
func (f *Fields) Number(most int64) int64 {
	v, n := binary.Uvarint(f.b)
	if n <= 0 || most < 0 || v > uint64(most) {
		f.bad, f.b = true, nil
		return 0
	}
	f.b = f.b[n:]
	return int64(v) //nolint:gosec // most is an int64
}

// Bytes reads bytes behind their length. They belong to the source.
func (f *Fields) Bytes() []byte {
	n := f.Number(int64(len(f.b)))
	if n > int64(len(f.b)) {
		f.bad, f.b = true, nil
		return nil
	}
	v := f.b[:n:n]
	f.b = f.b[n:]
	return v
}

// Ref reads a place in a part of size bytes.
func (f *Fields) Ref(size int64) Ref {
	off := f.Number(size)
	return Ref{Off: off, Len: f.Number(size - off)}
}

// Rest is all that is left.
func (f *Fields) Rest() []byte {
	rest := f.b
	f.b = nil
	return rest
}

// Empty says that all was read.
func (f *Fields) Empty() bool { return len(f.b) == 0 }

// Err is the first fault.
func (f *Fields) Err() error {
	if f.bad {
		return damaged("a field is wrong")
	}
	return nil
}

// AppendBytes encodes bytes behind their length.
func AppendBytes(b, v []byte) []byte { return append(binary.AppendUvarint(b, uint64(len(v))), v...) }

// AppendNumber encodes a number, which is not negative.
func AppendNumber(b []byte, n int64) []byte { return binary.AppendUvarint(b, uint64(n)) } //nolint:gosec // not negative
