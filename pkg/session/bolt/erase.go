package bolt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"go.etcd.io/bbolt"

	"parley/internal/failpoint"
	"parley/pkg/durable"
	"parley/pkg/session/engine/table"
	"parley/pkg/session/kv"
)

// A record that is deleted leaves its bytes in the file: bbolt writes each change to free pages and only
// lists the old ones as free. Erasing writes zeros over all pages that are free, in place. The pages that
// bbolt itself may write next are the same ones, so a process that dies in the middle leaves a whole store;
// the file stays the same one, and no chat waits for a copy of it.

// Forgotten are the chats and conversations that no file of a store may have any more.
type Forgotten interface {
	// Has says whether a store has one of them.
	Has(k kv.Reader) (bool, error)
	// Remove deletes a piece of them; it is called until Has says no.
	Remove(k kv.Tx, now time.Time) error
	// HasRest says whether a piece of a forgotten one is left.
	HasRest(k kv.Reader) bool
	// Highest is the highest number that is known of them; the store gives out higher ones alone.
	Highest() (uint64, error)
}

// nobody is the [Forgotten] of a store without a ledger.
type nobody struct{}

func (nobody) Has(kv.Reader) (bool, error)   { return false, nil }
func (nobody) Remove(kv.Tx, time.Time) error { return nil }
func (nobody) HasRest(kv.Reader) bool        { return false }
func (nobody) Highest() (uint64, error)      { return 0, nil }

// erasePages is how many pages are looked at while the store is held: a few milliseconds.
const erasePages = 256

// erasePause is the pause between two attempts to hold the store.
const erasePause = time.Millisecond

// Erase overwrites every page of the file that the present state of the store does not use. It holds the
// store for a moment at a time; chats go on between these. Records that were deleted before are in no
// byte of the file when it returns.
func (s *Store) Erase(ctx context.Context) error {
	s.snapMu.Lock() // a snapshot reads for long
	defer s.snapMu.Unlock()
	f, err := os.OpenFile(filepath.Join(s.o.Dir, fileDB), os.O_RDWR, 0)
	if err != nil {
		return dirError(s.o.Dir, err)
	}
	e := eraser{file: f}
	err = f.Sync() // the state that refers to none of these pages is on the disk
	for done := false; err == nil && !done; {
		done, err = s.erasePiece(ctx, &e)
		failpoint.Hit("F6")
	}
	return errors.Join(err, f.Sync(), f.Close())
}

// erasePiece erases a piece while the store is held: no transaction reads or writes.
func (s *Store) erasePiece(ctx context.Context, e *eraser) (done bool, err error) {
	for {
		s.mu.RLock()
		db := s.db
		s.mu.RUnlock()
		if db == nil {
			return false, kv.ErrClosed
		}
		held := false
		err := table.Guard(func() error {
			tx, err := db.Begin(true) // the writer waits
			if err != nil {
				return err
			}
			defer func() { _ = tx.Rollback() }()
			if held = s.mu.TryLock(); !held {
				return nil
			}
			defer s.mu.Unlock()
			done, err = e.piece(tx)
			return err
		})
		if err != nil || held {
			return done, err
		}
		select {
		case <-ctx.Done():
			return false, context.Cause(ctx)
		case <-time.After(erasePause):
		}
	}
}

// eraser overwrites the free pages of a file.
type eraser struct {
	file *os.File
	next int // the page that is looked at next
	page []byte
}

// firstPage is the first page that holds records: the two before it are the heads.
const firstPage = 2

// piece looks at some pages. No other transaction may be under way: the pages that tx lists as free are
// those that it might write.
func (e *eraser) piece(tx *bbolt.Tx) (done bool, err error) {
	size := tx.DB().Info().PageSize
	if e.page == nil {
		e.page = make([]byte, size)
	}
	st, err := e.file.Stat()
	if err != nil {
		return false, err
	}
	e.next = max(e.next, firstPage)
	used, all := int(tx.Size())/size, int((st.Size()+int64(size)-1)/int64(size))
	for range erasePages {
		if e.next >= all {
			return true, nil
		}
		free := e.next >= used // behind the last page that was ever used, a commit that failed may have written
		if !free {
			info, err := tx.Page(e.next)
			if err != nil {
				return false, err
			}
			free = info.Type == "free"
		}
		if free {
			if err := e.erase(int64(e.next)*int64(size), st.Size()); err != nil {
				return false, err
			}
		}
		e.next++
	}
	return false, nil
}

// erase writes zeros over a page, if it has something else.
func (e *eraser) erase(at, end int64) error {
	page := e.page[:min(int64(len(e.page)), end-at)]
	if _, err := e.file.ReadAt(page, at); err != nil {
		return err
	}
	if len(bytes.Trim(page, "\x00")) == 0 {
		return nil
	}
	clear(page)
	_, err := e.file.WriteAt(page, at)
	return err
}

// forget removes all that is forgotten from a file that no other transaction uses, and erases it.
func forget(db *bbolt.DB, path string, f Forgotten, now time.Time) error {
	for {
		left := false
		err := table.Guard(func() error {
			return db.Update(func(b *bbolt.Tx) error {
				t := &fileTx{b: b}
				has, err := f.Has(t)
				if err != nil || !has && !f.HasRest(t) {
					return err
				}
				left = true
				return f.Remove(t, now)
			})
		})
		if err != nil {
			return err
		}
		if !left {
			return eraseAlone(db, path)
		}
	}
}

// dropForgotten does so with the file of the store, where that has something of them: an operator has put it
// in place, or a process died before it had deleted them. Such a file may also have lower numbers to give out
// than theirs: a later chat must not be taken for one of them.
func dropForgotten(db *bbolt.DB, path string, f Forgotten, now time.Time) error {
	if err := raise(db, f); err != nil {
		return err
	}
	has := false
	err := table.Guard(func() error {
		return db.View(func(b *bbolt.Tx) error {
			var err error
			has, err = f.Has(&fileTx{b: b})
			return err
		})
	})
	if err != nil || !has {
		return err
	}
	return forget(db, path, f, now)
}

// raise lets the store give out no number that one of them may have had.
func raise(db *bbolt.DB, f Forgotten) error {
	highest, err := f.Highest()
	if err != nil {
		return err
	}
	return table.Guard(func() error {
		last := uint64(0)
		err := db.View(func(b *bbolt.Tx) (err error) {
			last, err = table.LastNumber(&fileTx{b: b})
			return err
		})
		if err != nil || last >= highest {
			return err
		}
		return db.Update(func(b *bbolt.Tx) error { return table.CountFrom(&fileTx{b: b}, highest) })
	})
}

// eraseAlone erases a file that no other transaction uses.
func eraseAlone(db *bbolt.DB, path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0) //nolint:gosec // within the operator's own state_dir
	if err != nil {
		return err
	}
	e := eraser{file: f}
	for done := false; err == nil && !done; {
		err = table.Guard(func() error {
			tx, err := db.Begin(true)
			if err != nil {
				return err
			}
			defer func() { _ = tx.Rollback() }()
			done, err = e.piece(tx)
			return err
		})
	}
	return errors.Join(err, f.Sync(), f.Close())
}

// CleanCopies removes all that is forgotten from the copies of the store in the state folder: snapshots,
// and files that were replaced or found damaged. Each is rewritten and put in the place of the old one,
// whole. All rewrites those too that have none of it in their records, for their free pages; and a copy
// that is damaged is removed then, but never the newest snapshot while that can be read. It returns the
// paths of those that were rewritten or removed.
func (s *Store) CleanCopies(ctx context.Context, all bool) (changed []string, err error) {
	s.snapMu.Lock()
	defer s.snapMu.Unlock()
	dir := s.o.Dir
	for _, rest := range []string{fileNew, fileChecked, fileKept, filepath.Join(snapshotDir, snapshotNew)} {
		if err := remove(filepath.Join(dir, rest)); err != nil {
			return nil, dirError(dir, err)
		}
	}
	copies, err := s.Copies()
	if err != nil {
		return nil, err
	}
	for _, path := range copies {
		if err := context.Cause(ctx); err != nil {
			return changed, err
		}
		did, err := s.cleanCopy(path, all)
		if err != nil {
			return changed, err
		}
		if did {
			changed = append(changed, path)
		}
	}
	return changed, nil
}

// Copies are the paths of the copies of the store in the state folder.
func (s *Store) Copies() ([]string, error) {
	copies, err := snapshots(s.o.Dir)
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(s.o.Dir)
	if err != nil {
		return nil, lookError(s.o.Dir, err)
	}
	for _, e := range entries {
		if n := e.Name(); strings.HasPrefix(n, fileReplaced+"-") || strings.HasPrefix(n, fileDamaged+"-") {
			copies = append(copies, filepath.Join(s.o.Dir, n))
		}
	}
	return copies, nil
}

// cleanCopy does so with one copy.
func (s *Store) cleanCopy(path string, all bool) (changed bool, err error) { //nolint:revive // flag-parameter: see CleanCopies
	has := false
	err = readOnly(path, func(f *fileTx) error {
		if _, err := f.state(); err != nil {
			return err
		}
		var err error
		has, err = s.o.Forgotten.Has(f)
		return err
	})
	if err == nil && !has && !all {
		return false, nil
	}
	if err == nil {
		err = s.rewrite(path)
	}
	switch {
	case err == nil:
		s.o.Log.Info().Str("copy", path).Msg("a copy of the store was rewritten without the forgotten chats")
		return true, nil
	case !IsDamaged(err) && !errors.Is(err, ErrNewer), all && s.lastResort(path):
		return false, fmt.Errorf("clean %s: %w", path, err)
	case !all:
		s.o.Log.Warn().Err(err).Str("copy", path).Msg("a copy of the store cannot be read")
		return false, nil
	}
	s.o.Log.Warn().Err(err).Str("copy", path).Msg("a copy of the store that cannot be read is removed: it may hold a forgotten chat")
	return true, errors.Join(remove(path), durable.SyncDir(filepath.Dir(path)))
}

// lastResort says of a copy that it is the newest snapshot, and not known to be damaged.
func (s *Store) lastResort(path string) bool {
	all, err := snapshots(s.o.Dir)
	if err == nil && (len(all) == 0 || all[0] != path) {
		return false
	}
	err = verify(path)
	return !IsDamaged(err) && !errors.Is(err, ErrNewer)
}

// rewrite replaces a copy by one without the forgotten chats.
func (s *Store) rewrite(path string) (err error) {
	folder := filepath.Dir(path)
	temp := filepath.Join(folder, snapshotNew)
	defer func() {
		if err != nil {
			err = errors.Join(err, remove(temp))
		}
	}()
	if err := remove(temp); err != nil {
		return err
	}
	if err := copyFile(path, temp); err != nil {
		return fileError(folder, err)
	}
	db, err := bbolt.Open(temp, 0o600, boltOptions(time.Second))
	if err != nil {
		return openError(temp, err)
	}
	err = table.Guard(func() error {
		return db.Update(func(b *bbolt.Tx) error { return (&fileTx{b: b}).upgrade() })
	})
	if err == nil {
		err = forget(db, temp, s.o.Forgotten, s.o.Now())
	}
	if err := errors.Join(err, table.Guard(db.Close)); err != nil {
		return err
	}
	if err := verify(temp); err != nil {
		return err
	}
	failpoint.Hit("F9")
	if err := os.Rename(temp, path); err != nil {
		return fileError(folder, err)
	}
	return durable.SyncDir(folder)
}
