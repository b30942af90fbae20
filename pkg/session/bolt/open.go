package bolt

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/rs/zerolog"
	"go.etcd.io/bbolt"

	"parley/pkg/session/engine/table"
)

// Options say where the store is and how it is kept. Dir is required.
type Options struct {
	// Dir is the state directory; it is created with mode 0700 when it is not there.
	Dir string
	Log zerolog.Logger
	// LockTimeout is how long to wait for another instance to end; 0: 1.5 s.
	LockTimeout time.Duration
	// Keep is how many snapshots are kept (0: 3).
	Keep int
	// Now is the clock; nil: [time.Now].
	Now func() time.Time
	// Forgotten are deleted from each file that becomes the store, before all else; nil: there are none.
	Forgotten Forgotten
}

func (o *Options) defaults() {
	if o.LockTimeout <= 0 {
		o.LockTimeout = 1500 * time.Millisecond
	}
	if o.Keep <= 0 {
		o.Keep = 3
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Forgotten == nil {
		o.Forgotten = nobody{}
	}
}

// Open opens the store in o.Dir, creating it in a directory that did not have one. A
// file that is damaged, emptied or gone is moved aside and the newest good snapshot
// restored, held until its engine releases it. The context bounds the opening only.
func Open(ctx context.Context, o Options) (*Store, error) {
	o.defaults()
	if err := prepareDir(o.Dir); err != nil {
		return nil, err
	}
	lock, err := takeLock(ctx, o.Dir, o.LockTimeout)
	if err != nil {
		return nil, err
	}
	s := &Store{o: o, lock: lock}
	if err := s.openStore(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// openStore brings a usable file into place and reads its state.
func (s *Store) openStore(ctx context.Context) error {
	dir := s.o.Dir
	if !exists(dir, fileMarker) && (!exists(dir, fileDB) || isEmpty(dir)) {
		if err := build(dir, "", s.o.Now(), nil, nobody{}); err != nil {
			return err
		}
	}
	if err := dropSecondNames(dir); err != nil {
		return dirError(dir, err)
	}
	id, err := s.openGood()
	if errors.Is(err, table.ErrDamaged) {
		s.o.Log.Error().Err(err).Msg("the store is damaged")
		if err := s.recoverStore(ctx, err); err != nil {
			return err
		}
		id, err = s.openGood()
	}
	if err != nil {
		return err
	}
	if exists(dir, fileMarker) {
		return nil
	}
	if err := writeMarked(dir, fileMarker, id+"\n"); err != nil {
		return dirError(dir, err)
	}
	return nil
}

func isEmpty(dir string) bool {
	info, err := os.Stat(filepath.Join(dir, fileDB))
	return err == nil && info.Size() == 0
}

// openGood opens the file and reads the part that every start needs: it returns the
// store's id. An error that is damage means that the file is to be moved aside.
func (s *Store) openGood() (id string, err error) {
	dir := s.o.Dir
	if metDamage(dir) {
		return "", table.Damagedf(damageMet)
	}
	if exists(dir, fileDamage) {
		s.o.Log.Warn().Msg("the note of damage is about a store that was replaced since; it is removed")
		if err := remove(filepath.Join(dir, fileDamage)); err != nil {
			return "", dirError(dir, err)
		}
	}
	if !exists(dir, fileDB) {
		return "", table.Damagedf("it is gone")
	}
	open := func() (*bbolt.DB, error) { return openFile(dir, s.o.LockTimeout) }
	db, err := open()
	if err != nil {
		return "", err
	}
	st, old, err := readState(db)
	if err == nil && old {
		err = table.Guard(func() error {
			return db.Update(func(b *bbolt.Tx) error { return (&fileTx{b: b}).upgrade() })
		})
	}
	if err == nil {
		err = dropForgotten(db, filepath.Join(dir, fileDB), s.o.Forgotten, s.o.Now())
	}
	if err != nil {
		return "", errors.Join(table.AsDamage(err), table.Guard(db.Close))
	}
	s.open, s.db = open, db
	return st.ID, nil
}

// readState reads the part that every start needs. Old says that an earlier build wrote
// the store.
func readState(db *bbolt.DB) (st table.State, old bool, err error) {
	err = table.Guard(func() error {
		return db.View(func(b *bbolt.Tx) error {
			f := &fileTx{b: b}
			var err error
			if st, err = f.state(); err == nil {
				old = f.outdated()
			}
			return err
		})
	})
	return st, old, err
}
