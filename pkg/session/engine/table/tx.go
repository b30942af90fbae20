package table

import (
	"bytes"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"parley/pkg/session"
	"parley/pkg/session/kv"
)

// Tx is one transaction, for reading or for writing.
type Tx struct {
	k   kv.Reader
	Now time.Time

	// The rest is for writing, with w. Changed says that the write under way has put
	// something; Meta is stored at the end when it differs.
	w       kv.Tx
	Changed bool
	Meta    MetaRecord
	Epoch   uint64

	// next is the highest number that was given out, once it is known; it is stored at the
	// end when numbered.
	next     uint64
	known    bool
	numbered bool
	// above is the number above which all that it gives out are.
	above uint64

	Added        int      // records that may be pruned when they are old
	Removed      int      // entries of history that went with forgotten sessions
	RemovedBytes int      // of those entries, in bytes
	Fresh        []uint64 // chats that this transaction created

	OnCommit    []func() // runs once the transaction is durable
	OnDoubt     []func() // runs when the commit has failed, and may have reached the disk all the same
	OnEnd       []func() // runs when the transaction has ended, also one that failed
	Speculative []Speculation
}

// Speculation is work that begins before the transaction that it depends on is durable.
type Speculation interface {
	// Start begins the work; the write that caused it has run without an error.
	Start(t *Tx)
	// Publish lets its results count: the transaction is durable.
	Publish()
	// Rollback makes sure that they do not count.
	Rollback()
}

// NewTx is a transaction that reads.
func NewTx(k kv.Reader, now time.Time) *Tx { return &Tx{k: k, Now: now} }

// NewWrite is a transaction that writes, too.
func NewWrite(w kv.Tx, now time.Time) *Tx { return &Tx{k: w, w: w, Now: now} }

// Has says that a key is there.
func (t *Tx) Has(b Bucket, key []byte) bool { return t.k.Get(b, key) != nil }

// Value is a stored value, with its checksum, or nil.
func (t *Tx) Value(b Bucket, key []byte) []byte { return t.k.Get(b, key) }

// Cursor walks over a bucket.
func (t *Tx) Cursor(b Bucket) kv.Cursor { return t.k.Cursor(b) }

// Raw is a record's payload; [session.ErrNotFound] when it is missing.
func (t *Tx) Raw(b Bucket, key []byte) ([]byte, error) {
	rec := t.k.Get(b, key)
	if rec == nil {
		return nil, session.ErrNotFound
	}
	return Unseal(b, key, rec)
}

// Get decodes a record.
func Get[T any](t *Tx, b Bucket, key []byte) (*T, error) {
	payload, err := t.Raw(b, key)
	if err != nil {
		return nil, err
	}
	return Decode[T](b, key, payload)
}

// Read decodes a record that a cursor has come to.
func Read[T any](b Bucket, key, rec []byte) (*T, error) {
	payload, err := Unseal(b, key, rec)
	if err != nil {
		return nil, err
	}
	return Decode[T](b, key, payload)
}

// Decode makes a record of an unsealed payload.
func Decode[T any](b Bucket, key, payload []byte) (*T, error) {
	v := new(T)
	var err error
	if m, ok := any(v).(encoding.BinaryUnmarshaler); ok {
		err = m.UnmarshalBinary(payload)
	} else {
		err = json.Unmarshal(payload, v)
	}
	if err != nil {
		return nil, &RecordError{Bucket: b, Key: key, Why: "cannot be decoded"}
	}
	return v, nil
}

// PutRaw stores an encoded payload.
func (t *Tx) PutRaw(b Bucket, key, payload []byte) error {
	t.Changed = true
	if err := t.w.Put(b, key, Seal(b, key, payload)); err != nil {
		return fmt.Errorf("put %s: %w", b, err)
	}
	return nil
}

// Put stores a record.
func (t *Tx) Put(b Bucket, key []byte, v any) error {
	payload, err := Encode(v)
	if err != nil {
		return err
	}
	return t.PutRaw(b, key, payload)
}

// PutIndex stores keys that only say that they are there.
func (t *Tx) PutIndex(b Bucket, keys ...[]byte) error {
	for _, key := range keys {
		t.Changed = true
		if err := t.w.Put(b, key, []byte{recordVersion}); err != nil {
			return fmt.Errorf("put %s: %w", b, err)
		}
	}
	return nil
}

// Delete removes a key.
func (t *Tx) Delete(b Bucket, key []byte) error {
	t.Changed = true
	if err := t.w.Delete(b, key); err != nil {
		return fmt.Errorf("delete %s: %w", b, err)
	}
	return nil
}

// The highest number that was given out stands under NumberKey of [Meta], in the last
// NumberLen bytes of its value.
const (
	NumberKey = "number"
	NumberLen = 8
)

// number is the highest that was given out before this transaction.
func (t *Tx) number() (uint64, error) {
	payload, err := t.Raw(Meta, []byte(NumberKey))
	switch {
	case errors.Is(err, session.ErrNotFound):
		return 0, nil
	case err != nil:
		return 0, fmt.Errorf("next number: %w", err)
	}
	return Num(payload, 0), nil
}

// count makes n the highest number that was given out, unless a higher one was.
func (t *Tx) count(n uint64) error {
	last, err := t.number()
	if err != nil || last >= n {
		return err
	}
	return t.PutRaw(Meta, []byte(NumberKey), NumKey(n))
}

// Next is a new number, larger than all before. PutNumber has to store it.
func (t *Tx) Next() (uint64, error) {
	if !t.known {
		n, err := t.number()
		if err != nil {
			return 0, err
		}
		t.next, t.known = max(n, t.above), true
	}
	t.next++
	t.numbered, t.Changed = true, true
	return t.next, nil
}

// Above lets Next give out numbers above n alone.
func (t *Tx) Above(n uint64) { t.above = n }

// Given is the highest number that the transaction has given out, or 0.
func (t *Tx) Given() uint64 {
	if !t.numbered {
		return 0
	}
	return t.next
}

// PutNumber stores the highest number that the transaction has given out, if it gave any.
func (t *Tx) PutNumber() error {
	if !t.numbered {
		return nil
	}
	return t.PutRaw(Meta, []byte(NumberKey), NumKey(t.next))
}

// Each calls f for every key with prefix, in order, until f says no. Keys and
// values are valid during the transaction; f must not write.
func (t *Tx) Each(b Bucket, prefix []byte, f func(k, v []byte) bool) {
	c := t.k.Cursor(b)
	for k, v := c.Seek(prefix); k != nil && bytes.HasPrefix(k, prefix); k, v = c.Next() {
		if !f(k, v) {
			return
		}
	}
}

// Keys are the keys with prefix.
func (t *Tx) Keys(b Bucket, prefix []byte) [][]byte {
	var out [][]byte
	t.Each(b, prefix, func(k, _ []byte) bool {
		out = append(out, bytes.Clone(k))
		return true
	})
	return out
}

// DeleteAll deletes every key with prefix.
func (t *Tx) DeleteAll(b Bucket, prefix []byte) error {
	for _, k := range t.Keys(b, prefix) {
		if err := t.Delete(b, k); err != nil {
			return err
		}
	}
	return nil
}

// Heads calls f with each chat that has keys in b, and the first of them. It jumps from
// chat to chat, so chats without keys are free of cost.
func (t *Tx) Heads(b Bucket, f func(chat, first uint64)) {
	c := t.k.Cursor(b)
	for k, _ := c.Seek(nil); k != nil; {
		chat := Num(k, 0)
		f(chat, Num(k, 1))
		if chat == ^uint64(0) {
			return
		}
		k, _ = c.Seek(NumKey(chat + 1))
	}
}

// First is the first key and value with prefix, or nil.
func (t *Tx) First(b Bucket, prefix []byte) (key, value []byte) {
	k, v := t.k.Cursor(b).Seek(prefix)
	if k == nil || !bytes.HasPrefix(k, prefix) {
		return nil, nil
	}
	return k, v
}

// Last is the last key of a chat in a bucket of keys (chat, seq), or nil.
func (t *Tx) Last(b Bucket, chat uint64) []byte {
	c := t.k.Cursor(b)
	k, _ := c.SeekBefore(NumKey(chat + 1))
	if !bytes.HasPrefix(k, NumKey(chat)) {
		return nil
	}
	return k
}

// SetAside moves a damaged record out of the way and counts it.
func (t *Tx) SetAside(b Bucket, key []byte) error {
	rec := t.k.Get(b, key)
	if rec == nil {
		return nil
	}
	badKey := append([]byte(string(b)+"/"), key...)
	t.Changed = true
	if err := t.w.Put(Bad, badKey, bytes.Clone(rec)); err != nil {
		return fmt.Errorf("set aside: %w", err)
	}
	t.Meta.Corrupt++
	if err := t.unlist(b, key); err != nil {
		return err
	}
	return t.Delete(b, key)
}

// unlist takes a damaged record, of which only the key is known, out of the indexes
// that lead to it.
func (t *Tx) unlist(b Bucket, key []byte) error {
	for _, ix := range Indexes() {
		if ix.Records != b {
			continue
		}
		for _, k := range t.Keys(ix.Bucket, nil) {
			if len(k) > ix.Head && bytes.Equal(k[ix.Head:], key) {
				if err := t.Delete(ix.Bucket, k); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// IsBad says whether a record was set aside.
func (t *Tx) IsBad(b Bucket, key []byte) bool {
	return t.k.Get(Bad, append([]byte(string(b)+"/"), key...)) != nil
}

// AnyBad says whether any record with prefix was set aside.
func (t *Tx) AnyBad(b Bucket, prefix []byte) bool {
	k, _ := t.First(Bad, append([]byte(string(b)+"/"), prefix...))
	return k != nil
}
