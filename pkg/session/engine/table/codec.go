package table

import (
	"parley/pkg/channels"
	"parley/pkg/session"
)

// The stored forms of the records that every turn writes.

// MarshalBinary is the stored form.
func (s *SeenRecord) MarshalBinary() ([]byte, error) {
	return appendTimes(appendNumbers(nil, s.Chat, s.Seq), s.Time), nil
}

// UnmarshalBinary reads the stored form. It passes over the sum that the build of
// 2026-11-23 stored behind it.
func (s *SeenRecord) UnmarshalBinary(payload []byte) error {
	r := readFields(payload)
	s.Chat, s.Seq, s.Time = r.number(), r.number(), r.time()
	return r.start()
}

// MarshalBinary is the stored form.
func (t *TurnRecord) MarshalBinary() ([]byte, error) {
	b := appendTexts(appendNumbers(nil, t.Session), string(t.Outcome), t.Reason)
	b = appendNumbers(appendNumbers(b, uint64(len(t.Seqs))), t.Seqs...)
	b = appendTexts(appendNumbers(b, uint64(len(t.Messages))), t.Messages...)
	return appendTimes(b, t.Time), nil
}

// UnmarshalBinary reads the stored form. It passes over the use of models that the build of
// 2026-11-23 stored behind it.
func (t *TurnRecord) UnmarshalBinary(payload []byte) error {
	r := readFields(payload)
	t.Session, t.Outcome, t.Reason = r.number(), session.Outcome(r.next()), r.next()
	for i := r.number(); i > 0 && !r.bad; i-- {
		t.Seqs = append(t.Seqs, r.number())
	}
	for i := r.number(); i > 0 && !r.bad; i-- {
		t.Messages = append(t.Messages, r.next())
	}
	t.Time = r.time()
	return r.start()
}

// MarshalBinary is the stored form.
func (s *SentRecord) MarshalBinary() ([]byte, error) {
	b := appendTexts(appendNumbers(nil, s.Chat, s.Seq), string(s.State))
	b = appendNumbers(b, uint64(len(s.Receipts)))
	for i := range s.Receipts {
		b = appendTimes(appendTexts(b, s.Receipts[i].MessageID), s.Receipts[i].Time)
	}
	return appendTimes(appendTexts(b, s.Reason), s.Time), nil
}

// UnmarshalBinary reads the stored form.
func (s *SentRecord) UnmarshalBinary(payload []byte) error {
	r := readFields(payload)
	s.Chat, s.Seq, s.State = r.number(), r.number(), channels.OutcomeState(r.next())
	for i := r.number(); i > 0 && !r.bad; i-- {
		s.Receipts = append(s.Receipts, channels.Receipt{MessageID: r.next(), Time: r.time()})
	}
	s.Reason, s.Time = r.next(), r.time()
	return r.end()
}
