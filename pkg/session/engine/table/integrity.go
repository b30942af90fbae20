package table

import (
	"bytes"
	"errors"

	"parley/pkg/session"
)

// Walked has the findings of a full read of the store.
type Walked struct {
	Records int
	Bad     []*RecordError
}

// Walk reads every record of every bucket. Its error is structural; records
// with a wrong checksum are listed.
func Walk(t *Tx, w *Walked) error {
	for _, b := range Buckets() {
		var last []byte
		var err error
		t.Each(b, nil, func(k, v []byte) bool {
			if last != nil && bytes.Compare(last, k) >= 0 {
				err = Damagedf("bucket %s: keys are out of order", b)
				return false
			}
			last = append(last[:0], k...)
			w.Records++
			if isIndex(b) || b == Bad {
				return true
			}
			if _, err := Unseal(b, k, v); err != nil {
				w.Bad = append(w.Bad, &RecordError{Bucket: b, Key: bytes.Clone(k), Why: "wrong checksum"})
			}
			return true
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// markUnknown makes the sending of every queued message doubtful: the store comes from
// a snapshot, and time has gone on since.
func markUnknown(t *Tx) error {
	for _, k := range t.Keys(Outbox, nil) {
		rec, err := Get[OutRecord](t, Outbox, k)
		if errors.Is(err, session.ErrCorrupt) {
			continue
		}
		if err != nil {
			return err
		}
		rec.Mark = otherEpoch
		if err := t.Put(Outbox, k, rec); err != nil {
			return err
		}
	}
	return nil
}

// otherEpoch is no process's epoch.
const otherEpoch = ^uint64(0)

// Collect calls f with every readable record of a bucket and returns the others.
func Collect[T any](t *Tx, b Bucket, f func(*T)) (bad []*RecordError) {
	t.Each(b, nil, func(k, _ []byte) bool {
		if rec, err := Get[T](t, b, k); err == nil {
			f(rec)
		} else {
			bad = append(bad, &RecordError{Bucket: b, Key: bytes.Clone(k)})
		}
		return true
	})
	return bad
}
