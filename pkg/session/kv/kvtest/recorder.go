package kvtest

import (
	"bytes"
	"slices"
	"sync"

	"parley/pkg/session/kv"
)

// Write is one put, or, without a value, one delete.
type Write struct {
	Bucket     kv.Bucket
	Key, Value []byte
}

// Recorder is a store with the write sets of its transactions, in order.
type Recorder struct {
	kv.Store

	mu   sync.Mutex
	sets [][]Write
}

// NewRecorder records the transactions of a store from now on.
func NewRecorder(s kv.Store) *Recorder { return &Recorder{Store: s} }

// Update runs f, and keeps its writes when they are durable.
func (r *Recorder) Update(f func(kv.Tx) error) error {
	var set []Write
	err := r.Store.Update(func(t kv.Tx) error {
		w := &recording{Tx: t}
		err := f(w)
		set = w.set
		return err
	})
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sets = append(r.sets, set)
	return nil
}

// Sets are the write sets so far.
func (r *Recorder) Sets() [][]Write {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.sets)
}

// recording notes the writes of a transaction.
type recording struct {
	kv.Tx

	set []Write
}

// Put stores a key.
func (r *recording) Put(b kv.Bucket, key, value []byte) error {
	r.set = append(r.set, Write{b, bytes.Clone(key), append([]byte{}, value...)})
	return r.Tx.Put(b, key, value)
}

// Delete removes a key.
func (r *recording) Delete(b kv.Bucket, key []byte) error {
	r.set = append(r.set, Write{Bucket: b, Key: bytes.Clone(key)})
	return r.Tx.Delete(b, key)
}

// Replay applies write sets to a store, each in a transaction of its own. It is
// independent of the code that wrote them.
func Replay(s kv.Store, sets [][]Write) error {
	for _, set := range sets {
		err := s.Update(func(t kv.Tx) error {
			for _, w := range set {
				if err := apply(t, w); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func apply(t kv.Tx, w Write) error {
	if w.Value == nil {
		return t.Delete(w.Bucket, w.Key)
	}
	return t.Put(w.Bucket, w.Key, w.Value)
}
