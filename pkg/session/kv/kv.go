package kv

import (
	"errors"
	"io"
)

// ErrClosed is the answer of a store that was closed.
var ErrClosed = errors.New("the store is closed")

// Bucket is the name of an ordered set of keys.
type Bucket string

// Reader reads one state of the store. Keys and values are valid until the transaction
// ends, and are not to be changed.
type Reader interface {
	// Get is the value of a key, or nil.
	Get(b Bucket, key []byte) []byte
	// Cursor walks over the keys of a bucket. A write to the bucket ends its use.
	Cursor(b Bucket) Cursor
}

// Cursor walks over keys in order. Each method returns the key that it comes to, or
// nil.
type Cursor interface {
	// Seek goes to the first key at or after key; nil is the first of all.
	Seek(key []byte) (k, v []byte)
	// SeekBefore goes to the last key before key; nil is the last of all.
	SeekBefore(key []byte) (k, v []byte)
	Next() (k, v []byte)
	Prev() (k, v []byte)
}

// Tx changes the store. It reads its own writes.
type Tx interface {
	Reader

	Put(b Bucket, key, value []byte) error
	Delete(b Bucket, key []byte) error
}

// Store is a durable set of buckets.
type Store interface {
	// View runs f on one state. Views run beside each other and beside the writer.
	View(f func(Reader) error) error
	// Update runs f in the only writing transaction, which has the writes of many
	// callers, so that no context of theirs ends it. An error of f drops the
	// transaction and is returned as it is. Nil means that the writes are durable; after
	// any other error they may or may not be, until the next transaction reads them.
	Update(f func(Tx) error) error
	// Snapshot writes a consistent copy of the store.
	Snapshot(w io.Writer) error
	// Close waits for the transactions under way. A second call has no effect.
	Close() error
}
