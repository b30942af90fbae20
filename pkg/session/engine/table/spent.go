package table

import (
	"maps"
	"slices"

	"parley/pkg/session"
)

// SpentRecord is the use of a chat on one day. It is stored as fields: the number of
// purposes, and of each its name, turns, input, output and money.
type SpentRecord map[session.Purpose]session.Usage

// MarshalBinary is the stored form.
func (s *SpentRecord) MarshalBinary() ([]byte, error) {
	b := appendNumbers(nil, uint64(len(*s)))
	for _, p := range slices.Sorted(maps.Keys(*s)) {
		u := (*s)[p]
		b = appendInts(appendTexts(b, string(p)), int64(u.Turns), int64(u.Input), int64(u.Output), u.Money)
	}
	return b, nil
}

// UnmarshalBinary reads the stored form.
func (s *SpentRecord) UnmarshalBinary(payload []byte) error {
	r := readFields(payload)
	*s = SpentRecord{}
	for i := r.number(); i > 0 && !r.bad; i-- {
		p := session.Purpose(r.next())
		(*s)[p] = session.Usage{Turns: int(r.int()), Input: int(r.int()), Output: int(r.int()), Money: r.int()}
	}
	return r.end()
}

// SpentKey is the key of a day in a chat.
func SpentKey(chat uint64, day string) []byte { return append(NumKey(chat), day...) }
