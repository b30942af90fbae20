package kvtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"
	"sync"

	"parley/pkg/session/kv"
)

// entry is a key with its value.
type entry struct{ key, value []byte }

func compare(e entry, key []byte) int { return bytes.Compare(e.key, key) }

// state is one state of a store: the sorted entries of each bucket. A finished
// transaction leaves it as it is.
type state map[kv.Bucket][]entry

// Memory is a [kv.Store] of sorted keys in memory. It is ready when it is made by
// [NewMemory].
type Memory struct {
	writing sync.Mutex // held by the writing transaction

	mu     sync.Mutex
	now    state
	closed bool
}

var _ kv.Store = (*Memory)(nil)

// NewMemory returns an empty store.
func NewMemory() *Memory { return &Memory{now: state{}} }

// Reopened is a store with all that is durable in this one, which is closed: a
// transaction under way is lost, as in a crash.
func (m *Memory) Reopened() *Memory {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	return &Memory{now: m.now}
}

func (m *Memory) present() (state, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil, kv.ErrClosed
	}
	return m.now, nil
}

// View runs f on one state.
func (m *Memory) View(f func(kv.Reader) error) error {
	s, err := m.present()
	if err != nil {
		return err
	}
	return f(reader{s})
}

// Update runs f in the writing transaction.
func (m *Memory) Update(f func(kv.Tx) error) error {
	m.writing.Lock()
	defer m.writing.Unlock()
	s, err := m.present()
	if err != nil {
		return err
	}
	t := &writer{reader: reader{maps.Clone(s)}, own: map[kv.Bucket]bool{}}
	if err := f(t); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return kv.ErrClosed
	}
	m.now = t.s
	return nil
}

// Snapshot writes all entries as JSON.
func (m *Memory) Snapshot(w io.Writer) error {
	dump, err := Dump(m)
	if err != nil {
		return err
	}
	return json.NewEncoder(w).Encode(dump)
}

// Close ends the use of the store.
func (m *Memory) Close() error {
	m.writing.Lock()
	defer m.writing.Unlock()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	return nil
}

// Dump is all that a memory holds: the entries of each bucket that has any.
func Dump(m *Memory) (map[kv.Bucket]map[string]string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := map[kv.Bucket]map[string]string{}
	for b, entries := range m.now {
		if len(entries) == 0 {
			continue
		}
		out[b] = map[string]string{}
		for _, e := range entries {
			out[b][string(e.key)] = string(e.value)
		}
	}
	return out, nil
}

// reader reads one state.
type reader struct{ s state }

// Get is the value of a key.
func (r reader) Get(b kv.Bucket, key []byte) []byte {
	if i, ok := slices.BinarySearchFunc(r.s[b], key, compare); ok {
		return r.s[b][i].value
	}
	return nil
}

// Cursor walks over a bucket.
func (r reader) Cursor(b kv.Bucket) kv.Cursor { return &cursor{entries: r.s[b]} }

// cursor walks over the entries of a bucket.
type cursor struct {
	entries []entry
	at      int
}

func (c *cursor) here() (k, v []byte) {
	if c.at < 0 || c.at >= len(c.entries) {
		return nil, nil
	}
	return c.entries[c.at].key, c.entries[c.at].value
}

// Seek goes to the first key at or after key.
func (c *cursor) Seek(key []byte) (k, v []byte) {
	c.at, _ = slices.BinarySearchFunc(c.entries, key, compare)
	return c.here()
}

// SeekBefore goes to the last key before key.
func (c *cursor) SeekBefore(key []byte) (k, v []byte) {
	c.at = len(c.entries)
	if key != nil {
		c.at, _ = slices.BinarySearchFunc(c.entries, key, compare)
	}
	c.at--
	return c.here()
}

// Next goes on by one.
func (c *cursor) Next() (k, v []byte) {
	c.at++
	return c.here()
}

// Prev goes back by one.
func (c *cursor) Prev() (k, v []byte) {
	c.at--
	return c.here()
}

// writer changes a state of its own.
type writer struct {
	reader

	own map[kv.Bucket]bool // the buckets that it has copied
}

func (w *writer) bucket(b kv.Bucket) []entry {
	if !w.own[b] {
		w.own[b] = true
		w.s[b] = slices.Clone(w.s[b])
	}
	return w.s[b]
}

// Put stores a key.
func (w *writer) Put(b kv.Bucket, key, value []byte) error {
	if len(key) == 0 {
		return errors.New("a key is empty")
	}
	entries := w.bucket(b)
	e := entry{bytes.Clone(key), append([]byte{}, value...)}
	i, ok := slices.BinarySearchFunc(entries, key, compare)
	if ok {
		entries[i] = e
		return nil
	}
	w.s[b] = slices.Insert(entries, i, e)
	return nil
}

// Delete removes a key.
func (w *writer) Delete(b kv.Bucket, key []byte) error {
	entries := w.bucket(b)
	if i, ok := slices.BinarySearchFunc(entries, key, compare); ok {
		w.s[b] = slices.Delete(entries, i, i+1)
	}
	return nil
}
