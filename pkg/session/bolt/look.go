package bolt

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"go.etcd.io/bbolt"

	"parley/pkg/session/engine/table"
)

// Look opens the store in o.Dir for reading. It creates, moves and writes no file: a
// store that cannot be used stays as it is and is an error for which [IsDamaged] says
// yes. Several may look at once, and a gateway that starts waits for them. The store
// cannot be written. Where there is no store yet ([Store.None]), an empty one stands in
// for it, and Close forgets its changes. A store of an earlier build is opened as by
// [Open], which brings it up to date.
func Look(ctx context.Context, o Options) (*Store, error) {
	o.defaults()
	there, err := Exists(o.Dir)
	if err != nil {
		return nil, err
	}
	if !there {
		return lookAtNothing(o)
	}
	lock, err := shareLock(ctx, o.Dir, o.LockTimeout)
	if err != nil {
		return nil, err
	}
	s := &Store{o: o, lock: lock, readOnly: true}
	old, err := s.look()
	if err == nil && !old {
		return s, nil
	}
	if err := errors.Join(table.AsDamage(err), s.Close()); err != nil {
		return nil, err
	}
	return Open(ctx, o)
}

// Exists says whether a directory has a store, or lost one.
func Exists(dir string) (bool, error) {
	for _, name := range []string{fileMarker, fileDB} {
		_, err := os.Lstat(filepath.Join(dir, name))
		if err == nil {
			return true, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return false, lookError(dir, err)
		}
	}
	return false, nil
}

// MustExist is [ErrNone] where there is no store.
func MustExist(dir string) error {
	there, err := Exists(dir)
	if err == nil && !there {
		err = fmt.Errorf("%w in %s", ErrNone, dir)
	}
	return err
}

// IsDamaged says of an error that a store, or a page of it, cannot be read.
func IsDamaged(err error) bool { return errors.Is(err, table.ErrDamaged) || table.IsPanic(err) }

// LookError says of an error of reading in the state directory how to cure it. It is
// an [ErrDir], and names the file that err speaks of.
func LookError(dir string, err error) error { return lookError(dir, err) }

func lookError(dir string, err error) error {
	if path, cause := failedPath(dir, err); errors.Is(cause, fs.ErrPermission) {
		return fmt.Errorf("%w: %s cannot be read (%w); run this as the user who runs the gateway", ErrDir, path, cause)
	}
	return dirError(dir, err)
}

// look opens the file for reading and reads its state.
func (s *Store) look() (old bool, err error) {
	switch {
	case metDamage(s.o.Dir):
		return false, table.Damagedf(damageMet)
	case !exists(s.o.Dir, fileDB):
		return false, table.Damagedf("it is gone")
	}
	db, err := openWith(s.o.Dir, &bbolt.Options{ReadOnly: true, Timeout: s.o.LockTimeout})
	switch {
	case errors.Is(err, fs.ErrPermission):
		return false, lookError(filepath.Join(s.o.Dir, fileDB), fs.ErrPermission)
	case err != nil:
		return false, err
	}
	s.db = db
	if _, old, err = readState(db); err != nil || old {
		return old, err
	}
	err = table.Guard(func() error { // as one of an earlier build: it is not to be shown as it is
		return db.View(func(b *bbolt.Tx) error {
			old, err = s.o.Forgotten.Has(&fileTx{b: b})
			return err
		})
	})
	return old, err
}

// lookAtNothing shows an empty store. It is in a file that has no name any more, so
// that it leaves no trace.
func lookAtNothing(o Options) (*Store, error) {
	f, err := os.CreateTemp("", "parley-look-")
	if err != nil {
		return nil, dirError(os.TempDir(), err)
	}
	path := f.Name()
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{Timeout: time.Second, NoSync: true})
	if err = errors.Join(err, f.Close(), os.Remove(path)); err != nil {
		return nil, dirError(filepath.Dir(path), err)
	}
	s := &Store{o: o, db: db, none: true}
	if err := db.Update(func(b *bbolt.Tx) error { return (&fileTx{b: b}).complete(o.Now(), nil) }); err != nil {
		return nil, errors.Join(dirError(filepath.Dir(path), err), s.Close())
	}
	return s, nil
}
