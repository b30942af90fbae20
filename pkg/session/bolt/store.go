package bolt

import (
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/rs/zerolog"
	"go.etcd.io/bbolt"

	"parley/pkg/session/kv"
)

// store is a [kv.Store] in one bbolt file.
type store struct {
	open func() (*bbolt.DB, error) // opens the file again; nil for one that is only read
	log  zerolog.Logger

	mu sync.RWMutex
	db *bbolt.DB // nil when closed, or while it cannot be opened again after a failed write
}

var _ kv.Store = (*store)(nil)

// View runs f on one state.
func (s *store) View(f func(kv.Reader) error) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.db == nil {
		return errClosed
	}
	return guard(func() error {
		return s.db.View(func(b *bbolt.Tx) error { return f(&fileTx{b: b}) })
	})
}

// Update runs f in the writing transaction. After a commit that failed the file is
// opened anew: the memory that a failed sync leaves is not to be trusted.
func (s *store) Update(f func(kv.Tx) error) error {
	db, err := s.writable()
	if err != nil {
		return err
	}
	b, err := db.Begin(true)
	if err != nil {
		_ = s.reopen() // a failure is in the log, and the next transaction tries again
		return err
	}
	if err := guard(func() error { return f(&fileTx{b: b}) }); err != nil {
		_ = guard(b.Rollback)
		return err
	}
	if err := guard(b.Commit); err != nil {
		_ = guard(b.Rollback)
		_ = s.reopen()
		return fmt.Errorf("commit: %w", err)
	}
	return nil
}

// writable is the file, opened again if need be.
func (s *store) writable() (*bbolt.DB, error) {
	s.mu.RLock()
	db := s.db
	s.mu.RUnlock()
	if db != nil {
		return db, nil
	}
	if err := s.reopen(); err != nil {
		return nil, err
	}
	return s.db, nil // only the writer changes it
}

// reopen closes the file and opens it again; only the writer calls it.
func (s *store) reopen() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open == nil {
		return errClosed
	}
	if s.db != nil {
		_ = guard(s.db.Close)
		s.db = nil
	}
	db, err := s.open()
	if err != nil {
		s.log.Error().Err(err).Msg("the store cannot be opened again")
		return err
	}
	s.db = db
	return nil
}

// Snapshot writes a consistent copy of the file.
func (s *store) Snapshot(w io.Writer) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.db == nil {
		return errClosed
	}
	return guard(func() error {
		return s.db.View(func(b *bbolt.Tx) error {
			_, err := b.WriteTo(w)
			return err
		})
	})
}

// Close closes the file.
func (s *store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open = nil
	if s.db == nil {
		return nil
	}
	err := guard(s.db.Close)
	s.db = nil
	return err
}

// fileTx is a transaction of bbolt as a [kv.Tx].
type fileTx struct {
	b       *bbolt.Tx
	buckets []opened
}

// opened is a bucket that the transaction has used.
type opened struct {
	name kv.Bucket
	b    *bbolt.Bucket
}

// in is a bucket. All of them are created with the store, so that one that is missing
// is damage; those of [laterBuckets] are nil in a store of an earlier build.
func (t *fileTx) in(b kv.Bucket) *bbolt.Bucket {
	for i := range t.buckets {
		if t.buckets[i].name == b {
			return t.buckets[i].b
		}
	}
	bk := t.b.Bucket([]byte(b))
	if bk == nil {
		if slices.Contains(laterBuckets(), b) {
			return nil
		}
		panic(fmt.Sprintf("bucket %s is missing", b))
	}
	t.buckets = append(t.buckets, opened{name: b, b: bk})
	return bk
}

// Get is the value of a key.
func (t *fileTx) Get(b kv.Bucket, key []byte) []byte {
	bk := t.in(b)
	if bk == nil {
		return nil
	}
	return bk.Get(key)
}

// Cursor walks over a bucket.
func (t *fileTx) Cursor(b kv.Bucket) kv.Cursor {
	bk := t.in(b)
	if bk == nil {
		return noCursor{}
	}
	return fileCursor{bk.Cursor()}
}

// Put stores a key. The numbers that are given out are also the sequence of their
// bucket: an earlier build takes them from there.
func (t *fileTx) Put(b kv.Bucket, key, value []byte) error {
	bk := t.in(b)
	if b == bkMeta && string(key) == numberKey && len(value) >= numberLen {
		if err := bk.SetSequence(binary.BigEndian.Uint64(value[len(value)-numberLen:])); err != nil {
			return err
		}
	}
	return bk.Put(key, value)
}

// Delete removes a key.
func (t *fileTx) Delete(b kv.Bucket, key []byte) error { return t.in(b).Delete(key) }

// lacks says that the file does not have a bucket yet.
func (t *fileTx) lacks(b kv.Bucket) bool { return t.b.Bucket([]byte(b)) == nil }

// create makes the buckets that are missing.
func (t *fileTx) create() error {
	for _, name := range buckets() {
		if _, err := t.b.CreateBucketIfNotExists([]byte(name)); err != nil {
			return err
		}
	}
	return nil
}

// counted is the highest number that an earlier build has given out.
func (t *fileTx) counted() uint64 { return t.in(bkMeta).Sequence() }

// fileCursor is a cursor of bbolt.
type fileCursor struct{ c *bbolt.Cursor }

// Seek goes to the first key at or after key.
func (c fileCursor) Seek(key []byte) (k, v []byte) {
	if key == nil {
		return c.c.First()
	}
	return c.c.Seek(key)
}

// SeekBefore goes to the last key before key.
func (c fileCursor) SeekBefore(key []byte) (k, v []byte) {
	if key == nil {
		return c.c.Last()
	}
	if k, _ := c.c.Seek(key); k == nil {
		return c.c.Last()
	}
	return c.c.Prev()
}

// Next goes on by one.
func (c fileCursor) Next() (k, v []byte) { return c.c.Next() }

// Prev goes back by one.
func (c fileCursor) Prev() (k, v []byte) { return c.c.Prev() }

// noCursor walks over a bucket that is not there.
type noCursor struct{}

func (noCursor) Seek([]byte) (k, v []byte)       { return nil, nil }
func (noCursor) SeekBefore([]byte) (k, v []byte) { return nil, nil }
func (noCursor) Next() (k, v []byte)             { return nil, nil }
func (noCursor) Prev() (k, v []byte)             { return nil, nil }
