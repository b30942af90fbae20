package bolt

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"go.etcd.io/bbolt"

	"parley/pkg/session/engine/table"
	"parley/pkg/session/kv"
)

// Store is a [kv.Store] in the one bbolt file of a state directory. [Open] and [Look] make
// one.
type Store struct {
	o    Options
	lock *os.File // nil for one that looks where the lock does not exist yet
	// readOnly says that it only reads, none that an empty store stands in for a
	// missing one; see look.go.
	readOnly, none bool
	snapMu         sync.Mutex // one snapshot at a time

	open func() (*bbolt.DB, error) // opens the file again; nil for one that is only read

	mu sync.RWMutex
	db *bbolt.DB // nil when closed, or while it cannot be opened again after a failed write
}

var _ kv.Store = (*Store)(nil)

// View runs f on one state.
func (s *Store) View(f func(kv.Reader) error) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.db == nil {
		return kv.ErrClosed
	}
	return table.Guard(func() error {
		return s.db.View(func(b *bbolt.Tx) error { return f(&fileTx{b: b}) })
	})
}

// Update runs f in the writing transaction. After a commit that failed the file is
// opened anew: the memory that a failed sync leaves is not to be trusted.
func (s *Store) Update(f func(kv.Tx) error) error {
	db, err := s.writable()
	if err != nil {
		return err
	}
	b, err := db.Begin(true)
	if err != nil {
		_ = s.reopen() // a failure is in the log, and the next transaction tries again
		return err
	}
	if err := table.Guard(func() error { return f(&fileTx{b: b}) }); err != nil {
		_ = table.Guard(b.Rollback)
		return err
	}
	if err := table.Guard(b.Commit); err != nil {
		_ = table.Guard(b.Rollback)
		_ = s.reopen()
		return fmt.Errorf("commit: %w", err)
	}
	return nil
}

// writable is the file, opened again if need be.
func (s *Store) writable() (*bbolt.DB, error) {
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
func (s *Store) reopen() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open == nil {
		return kv.ErrClosed
	}
	if s.db != nil {
		_ = table.Guard(s.db.Close)
		s.db = nil
	}
	db, err := s.open()
	if err != nil {
		s.o.Log.Error().Err(err).Msg("the store cannot be opened again")
		return err
	}
	s.db = db
	return nil
}

// Snapshot writes a consistent copy of the file.
func (s *Store) Snapshot(w io.Writer) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.db == nil {
		return kv.ErrClosed
	}
	return table.Guard(func() error {
		return s.db.View(func(b *bbolt.Tx) error {
			_, err := b.WriteTo(w)
			return err
		})
	})
}

// Close closes the file and gives up the lock. A second call has no effect.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open = nil
	var err error
	if s.db != nil {
		err = table.Guard(s.db.Close)
		s.db = nil
	}
	err = errors.Join(err, unlock(s.lock))
	s.lock = nil
	return err
}

// ReadOnly says that the store cannot be written.
func (s *Store) ReadOnly() bool { return s.readOnly }

// None reports whether the store does not exist yet. This one is then empty and stands in
// for it.
func (s *Store) None() bool { return s.none }
