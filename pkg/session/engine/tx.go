package engine

import (
	"bytes"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"parley/pkg/session"
	"parley/pkg/session/engine/table"
	"parley/pkg/session/kv"
)

// tx is one transaction, for reading or for writing.
type tx struct {
	k   kv.Reader
	now time.Time

	retain time.Duration // how long what is remembered stays
	leaps  []leap        // the time that does not count for that

	// The rest is for writing, with w. changed says that the write under way has put
	// something; meta is stored at the end when it differs; after runs once the
	// transaction is durable.
	w       kv.Tx
	changed bool
	loud    bool // a write that is not quiet has put something
	meta    metaRec
	epoch   uint64
	// recovered says that this transaction marks the suspects of an unclean end.
	recovered bool
	after     []func()
	added     int // records that may be pruned when they are old
	removed   int // entries of history that went with forgotten sessions
	// removedBytes is the size of those entries.
	removedBytes int
	marked       map[uint64]bool // chats to which this transaction added a marked delivery
	fresh        []uint64        // chats that this transaction created
	arrived      []arrival       // items that the write under way has put
	early        []*turn         // turns that began before the commit
	sends        []*delivery     // deliveries that begin before the commit
	rewords      bool            // it may reword what waits: no turn takes items until it has ended
	broken       map[*turn]error // turns of which a write in this transaction failed
}

func newTx(k kv.Reader, now time.Time) *tx { return &tx{k: k, now: now} }

// writing makes a transaction one that writes, too.
func (t *tx) writing(w kv.Tx) *tx {
	t.w = w
	return t
}

func (e *Engine) newTx(k kv.Reader) *tx {
	t := newTx(k, e.now())
	t.retain = e.o.Retain
	e.stateMu.Lock()
	t.leaps = slices.Clone(e.leaps)
	e.stateMu.Unlock()
	return t
}

func (t *tx) has(b bucket, key []byte) bool { return t.k.Get(b, key) != nil }

// raw is a record's payload; [session.ErrNotFound] when there is none.
func (t *tx) raw(b bucket, key []byte) ([]byte, error) {
	rec := t.k.Get(b, key)
	if rec == nil {
		return nil, session.ErrNotFound
	}
	return unseal(b, key, rec)
}

// get decodes a record.
func get[T any](t *tx, b bucket, key []byte) (*T, error) {
	payload, err := t.raw(b, key)
	if err != nil {
		return nil, err
	}
	return decode[T](b, key, payload)
}

func decode[T any](b bucket, key, payload []byte) (*T, error) {
	v := new(T)
	var err error
	if m, ok := any(v).(encoding.BinaryUnmarshaler); ok {
		err = m.UnmarshalBinary(payload)
	} else {
		err = json.Unmarshal(payload, v)
	}
	if err != nil {
		return nil, &recordError{bucket: b, key: key, why: "cannot be decoded"}
	}
	return v, nil
}

// putRaw stores an encoded payload.
func (t *tx) putRaw(b bucket, key, payload []byte) error {
	t.changed = true
	if err := t.w.Put(b, key, seal(b, key, payload)); err != nil {
		return fmt.Errorf("put %s: %w", b, err)
	}
	return nil
}

func (t *tx) put(b bucket, key []byte, v any) error {
	payload, err := encode(v)
	if err != nil {
		return err
	}
	return t.putRaw(b, key, payload)
}

// putIndex stores keys that have nothing to say but that they are there.
func (t *tx) putIndex(b bucket, keys ...[]byte) error {
	for _, key := range keys {
		t.changed = true
		if err := t.w.Put(b, key, []byte{recordVersion}); err != nil {
			return fmt.Errorf("put %s: %w", b, err)
		}
	}
	return nil
}

func (t *tx) del(b bucket, key []byte) error {
	t.changed = true
	if err := t.w.Delete(b, key); err != nil {
		return fmt.Errorf("delete %s: %w", b, err)
	}
	return nil
}

// The numbers that are given out are counted under a key of [bkMeta].
const (
	numberKey = "number"
	numberLen = 8
)

// number is the highest that was given out.
func (t *tx) number() (uint64, error) {
	payload, err := t.raw(bkMeta, []byte(numberKey))
	switch {
	case errors.Is(err, session.ErrNotFound):
		return 0, nil
	case err != nil:
		return 0, fmt.Errorf("next number: %w", err)
	}
	return num(payload, 0), nil
}

// count makes n the highest number that was given out, unless a higher one was.
func (t *tx) count(n uint64) error {
	last, err := t.number()
	if err != nil || last >= n {
		return err
	}
	return t.putRaw(bkMeta, []byte(numberKey), numKey(n))
}

// next is a number that was never given out before, growing.
func (t *tx) next() (uint64, error) {
	n, err := t.number()
	if err != nil {
		return 0, err
	}
	return n + 1, t.putRaw(bkMeta, []byte(numberKey), numKey(n+1))
}

// each calls f for every key with prefix, in order, until f says no. Keys and
// values are valid during the transaction; f must not write.
func (t *tx) each(b bucket, prefix []byte, f func(k, v []byte) bool) {
	c := t.k.Cursor(b)
	for k, v := c.Seek(prefix); k != nil && bytes.HasPrefix(k, prefix); k, v = c.Next() {
		if !f(k, v) {
			return
		}
	}
}

// keys are the keys with prefix.
func (t *tx) keys(b bucket, prefix []byte) [][]byte {
	var out [][]byte
	t.each(b, prefix, func(k, _ []byte) bool {
		out = append(out, bytes.Clone(k))
		return true
	})
	return out
}

// delAll deletes every key with prefix.
func (t *tx) delAll(b bucket, prefix []byte) error {
	for _, k := range t.keys(b, prefix) {
		if err := t.del(b, k); err != nil {
			return err
		}
	}
	return nil
}

// heads calls f with each chat that has keys in b, and the first of them. It
// jumps from chat to chat and costs nothing for chats without keys.
func (t *tx) heads(b bucket, f func(chat, first uint64)) {
	c := t.k.Cursor(b)
	for k, _ := c.Seek(nil); k != nil; {
		chat := num(k, 0)
		f(chat, num(k, 1))
		if chat == ^uint64(0) {
			return
		}
		k, _ = c.Seek(numKey(chat + 1))
	}
}

// first is the first key and value with prefix, nil when there is none.
func (t *tx) first(b bucket, prefix []byte) (key, value []byte) {
	k, v := t.k.Cursor(b).Seek(prefix)
	if k == nil || !bytes.HasPrefix(k, prefix) {
		return nil, nil
	}
	return k, v
}

// last is the last key of a chat in a bucket of keys (chat, seq), nil when there is none.
func (t *tx) last(b bucket, chat uint64) []byte {
	c := t.k.Cursor(b)
	k, _ := c.SeekBefore(numKey(chat + 1))
	if !bytes.HasPrefix(k, numKey(chat)) {
		return nil
	}
	return k
}

// setAside moves a damaged record out of the way and counts it.
func (t *tx) setAside(b bucket, key []byte) error {
	rec := t.k.Get(b, key)
	if rec == nil {
		return nil
	}
	badKey := append([]byte(string(b)+"/"), key...)
	t.changed = true
	if err := t.w.Put(bkBad, badKey, bytes.Clone(rec)); err != nil {
		return fmt.Errorf("set aside: %w", err)
	}
	t.meta.Corrupt++
	if err := t.unlist(b, key); err != nil {
		return err
	}
	return t.del(b, key)
}

// unlist takes a damaged record, of which only the key is known, out of the indexes
// that lead to it.
func (t *tx) unlist(b bucket, key []byte) error {
	for _, ix := range indexes() {
		if ix.records != b {
			continue
		}
		for _, k := range t.keys(ix.bucket, nil) {
			if len(k) > ix.head && bytes.Equal(k[ix.head:], key) {
				if err := t.del(ix.bucket, k); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// isBad says whether a record was set aside.
func (t *tx) isBad(b bucket, key []byte) bool {
	return t.k.Get(bkBad, append([]byte(string(b)+"/"), key...)) != nil
}

// anyBad says whether any record with prefix was set aside.
func (t *tx) anyBad(b bucket, prefix []byte) bool {
	k, _ := t.first(bkBad, append([]byte(string(b)+"/"), prefix...))
	return k != nil
}

// view runs f in a reading transaction. Damaged records that f meets are to be
// handed to setAsideLater.
func (e *Engine) view(f func(*tx) error) error {
	err := e.store.View(func(k kv.Reader) error { return f(e.newTx(k)) })
	switch {
	case table.IsPanic(err):
		e.Suspect(err)
	case errors.Is(err, kv.ErrClosed):
		return errClosed
	}
	return err
}
