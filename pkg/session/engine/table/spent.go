package table

import (
	"bytes"
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

// ShareRecord is the part of one person in the use of a chat on one day. It is stored as
// fields: the person, the number of rows, and of each its purpose, model and usage.
type ShareRecord struct {
	Person string
	Rows   []ShareRow
}

// ShareRow is the use of a model for a purpose; without a model it has the turns.
type ShareRow struct {
	Purpose session.Purpose
	Model   string
	Usage   session.Usage
}

// Add adds a use to its row.
func (s *ShareRecord) Add(more ShareRow) {
	if more.Usage == (session.Usage{}) {
		return
	}
	for i := range s.Rows {
		if r := &s.Rows[i]; r.Purpose == more.Purpose && r.Model == more.Model {
			r.Usage.Add(more.Usage)
			return
		}
	}
	s.Rows = append(s.Rows, more)
}

// MarshalBinary is the stored form.
func (s *ShareRecord) MarshalBinary() ([]byte, error) {
	b := appendNumbers(appendTexts(nil, s.Person), uint64(len(s.Rows)))
	for i := range s.Rows {
		r := &s.Rows[i]
		b = appendUsage(appendTexts(b, string(r.Purpose), r.Model), &r.Usage)
	}
	return b, nil
}

// UnmarshalBinary reads the stored form.
func (s *ShareRecord) UnmarshalBinary(payload []byte) error {
	r := readFields(payload)
	s.Person = r.next()
	for i := r.number(); i > 0 && !r.bad; i-- {
		s.Rows = append(s.Rows, ShareRow{Purpose: session.Purpose(r.next()), Model: r.next(), Usage: r.usage()})
	}
	return r.end()
}

// shareMark ends the day in the key of a share.
const shareMark = 0

// DayKey is what the keys of all shares of a day in a chat begin with.
func DayKey(chat uint64, day string) []byte { return append(SpentKey(chat, day), shareMark) }

// ShareKey is the key of a person's share of a day in a chat.
func ShareKey(chat uint64, day, person string) []byte {
	return append(DayKey(chat, day), IDKey(person)...)
}

// SpentDay is the day of a [SpentKey] or a [ShareKey].
func SpentDay(key []byte) string {
	day, _, _ := bytes.Cut(key[min(ChatKeyLen, len(key)):], []byte{shareMark})
	return string(day)
}

// Misplaced says that a key of [Spent] is that of a share, which the build of 2026-11-23 put
// there. Such a record is passed over until it is old.
func Misplaced(key []byte) bool {
	return bytes.IndexByte(key[min(ChatKeyLen, len(key)):], shareMark) >= 0
}

func appendUsage(b []byte, u *session.Usage) []byte {
	return appendInts(b, int64(u.Turns), int64(u.Answers), int64(u.Input), int64(u.Cached), int64(u.Output), int64(u.Reasoning), u.Money)
}

func (r *fields) usage() session.Usage {
	return session.Usage{
		Turns: int(r.int()), Answers: int(r.int()), Input: int(r.int()), Cached: int(r.int()),
		Output: int(r.int()), Reasoning: int(r.int()), Money: r.int(),
	}
}

// UseRecord is the use of models by an ended turn. It is stored as fields: the day, purpose,
// person and usage, the number of models, and of each its name and usage.
type UseRecord session.Spent

// MarshalBinary is the stored form.
func (s *UseRecord) MarshalBinary() ([]byte, error) {
	b := appendUsage(appendTexts(nil, s.Day, string(s.Purpose), s.Person), &s.Usage)
	b = appendNumbers(b, uint64(len(s.Models)))
	for i := range s.Models {
		b = appendUsage(appendTexts(b, s.Models[i].Model), &s.Models[i].Usage)
	}
	return b, nil
}

// UnmarshalBinary reads the stored form.
func (s *UseRecord) UnmarshalBinary(payload []byte) error {
	r := readFields(payload)
	s.Day, s.Purpose, s.Person, s.Usage = r.next(), session.Purpose(r.next()), r.next(), r.usage()
	for i := r.number(); i > 0 && !r.bad; i-- {
		s.Models = append(s.Models, session.ModelUsage{Model: r.next(), Usage: r.usage()})
	}
	return r.end()
}
