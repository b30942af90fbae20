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
)

// Look opens the store in o.Dir for reading. It creates, moves and writes nothing: a
// store that cannot be used stays as it is and is an error for which [IsDamaged] says
// yes. Several may look at once, and a gateway that starts waits for them. Nothing can
// be written through the engine. Where there is no store yet ([Engine.None]), an empty
// one stands in for it, and Close forgets what was written there. A store of an earlier build is opened as by [Open], which
// brings it up to date.
func Look(ctx context.Context, o Options) (*Engine, error) {
	o.defaults()
	there, err := Exists(o.Dir)
	if err != nil {
		return nil, err
	}
	if !there {
		return lookAtNothing(ctx, o)
	}
	lock, err := shareLock(ctx, o.Dir, o.LockTimeout)
	if err != nil {
		return nil, err
	}
	e := newEngine(o, lock)
	e.looks, e.closed = true, true
	e.start(ctx)
	old, err := e.look()
	if err == nil && !old {
		return e, nil
	}
	if err := errors.Join(asDamage(err), e.Close()); err != nil {
		return nil, err
	}
	return Open(ctx, o)
}

// None says that there is no store yet, and that this engine shows an empty one.
func (e *Engine) None() bool { return e.none }

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

// mustExist is [ErrNone] where there is no store.
func mustExist(dir string) error {
	there, err := Exists(dir)
	if err == nil && !there {
		err = fmt.Errorf("%w in %s: gateway chat and gateway run make one", ErrNone, dir)
	}
	return err
}

// IsDamaged says of an error that a store, or a page of it, cannot be read.
func IsDamaged(err error) bool { return errors.Is(err, errDamaged) || isPanic(err) }

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
func (e *Engine) look() (old bool, err error) {
	switch {
	case metDamage(e.o.Dir):
		return false, damaged(damageMet)
	case !exists(e.o.Dir, fileDB):
		return false, damaged("it is gone")
	}
	db, err := openWith(e.o.Dir, &bbolt.Options{ReadOnly: true, Timeout: e.o.LockTimeout})
	switch {
	case errors.Is(err, fs.ErrPermission):
		return false, lookError(filepath.Join(e.o.Dir, fileDB), fs.ErrPermission)
	case err != nil:
		return false, err
	}
	s := &store{db: db, log: e.o.Log}
	e.store = s
	return e.readState(s)
}

// lookAtNothing shows an empty store. It is in a file that has no name any more, so
// that nothing is left of it.
func lookAtNothing(ctx context.Context, o Options) (*Engine, error) {
	f, err := os.CreateTemp("", "parley-look-")
	if err != nil {
		return nil, dirError(os.TempDir(), err)
	}
	path := f.Name()
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{Timeout: time.Second, NoSync: true})
	if err = errors.Join(err, f.Close(), os.Remove(path)); err != nil {
		return nil, dirError(filepath.Dir(path), err)
	}
	e := newEngine(o, nil)
	s := &store{db: db, log: o.Log}
	e.store, e.none = s, true
	e.start(ctx)
	err = db.Update(func(b *bbolt.Tx) error { return fill(&fileTx{b: b}, e.now(), func(*tx) error { return nil }) })
	if err == nil {
		_, err = e.readState(s)
	}
	if err != nil {
		return nil, errors.Join(dirError(filepath.Dir(path), err), e.Close())
	}
	return e, nil
}

// Verify reads every record. Its error says that the store is damaged.
func (e *Engine) Verify(context.Context) error {
	var seen walked
	err := e.view(func(t *tx) error { return walk(t, &seen) })
	if err == nil && len(seen.bad) > 0 {
		err = damaged("%d of %d records: %v", len(seen.bad), seen.records, seen.bad[0])
	}
	return err
}
