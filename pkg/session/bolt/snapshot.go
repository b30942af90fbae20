package bolt

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.etcd.io/bbolt"

	"parley/pkg/durable"
	"parley/pkg/session/engine/table"
	"parley/pkg/session/kv"
)

// stampForm is the time in the name of a snapshot or of a damaged file: it sorts as time does.
const stampForm = "20060102T150405.000000000Z"

// Save writes a consistent copy of the store to the folder of snapshots, checks it, and
// removes the oldest copies. It returns the copy's path. An error for which [IsDamaged]
// says yes gives cause for a full read of the store.
func (s *Store) Save() (string, error) {
	s.snapMu.Lock()
	defer s.snapMu.Unlock()
	return snapshot(s, s.o.Dir, s.o.Keep, s.o.Now())
}

func snapshot(s kv.Store, dir string, keep int, now time.Time) (string, error) {
	folder := filepath.Join(dir, snapshotDir)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", dirError(folder, err)
	}
	// The newest is the last by name, also where an earlier one was taken while the clock was ahead.
	before, err := snapshots(dir)
	if err != nil {
		return "", err
	}
	if len(before) > 0 && !now.After(snapshotTime(before[0])) {
		now = snapshotTime(before[0]).Add(1)
	}
	path := filepath.Join(folder, snapshotStart+now.UTC().Format(stampForm)+snapshotEnd)
	temp := filepath.Join(folder, snapshotNew)
	err = durable.Write(temp, s.Snapshot)
	if err == nil {
		err = verify(temp)
	}
	if err != nil {
		return "", errors.Join(fmt.Errorf("snapshot: %w", fileError(folder, err)), remove(temp))
	}
	if err := errors.Join(os.Rename(temp, path), durable.SyncDir(folder)); err != nil {
		return "", fmt.Errorf("snapshot: %w", fileError(folder, err))
	}
	old, err := snapshots(dir)
	if err != nil {
		return path, err
	}
	for _, name := range old[min(keep, len(old)):] {
		if err := os.Remove(name); err != nil {
			return path, fmt.Errorf("remove an old snapshot: %w", fileError(folder, err))
		}
	}
	return path, nil
}

// snapshots are the paths of the snapshots, the newest first.
func snapshots(dir string) ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(dir, snapshotDir))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("list snapshots: %w", lookError(filepath.Join(dir, snapshotDir), err))
	}
	var out []string
	for _, entry := range entries {
		if n := entry.Name(); strings.HasPrefix(n, snapshotStart) && strings.HasSuffix(n, snapshotEnd) {
			out = append(out, filepath.Join(dir, snapshotDir, n))
		}
	}
	slices.Sort(out)
	slices.Reverse(out)
	return out, nil
}

// snapshotTime is when a snapshot was taken, by its name.
func snapshotTime(path string) time.Time {
	name := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(path), snapshotStart), snapshotEnd)
	at, err := time.Parse(stampForm, name)
	if err != nil {
		return time.Time{}
	}
	return at
}

// verify reads a whole store file; nil when it can be used.
func verify(path string) error {
	return readOnly(path, func(f *fileTx) error {
		if _, err := f.state(); err != nil {
			return err
		}
		return table.Verify(f)
	})
}

// readOnly opens a store file for reading. A panic of it is an error.
func readOnly(path string, f func(*fileTx) error) error {
	if err := preflight(path); err != nil {
		if _, ok := errors.AsType[*fs.PathError](err); ok {
			return lookError(path, err)
		}
		return err
	}
	return table.Guard(func() error {
		db, err := bbolt.Open(path, 0o600, &bbolt.Options{ReadOnly: true, Timeout: time.Second})
		if err != nil {
			return openError(path, err)
		}
		err = table.Guard(func() error {
			return db.View(func(b *bbolt.Tx) error { return f(&fileTx{b: b}) })
		})
		return errors.Join(err, table.Guard(db.Close))
	})
}

// recoverStore moves a file that cannot be used aside and puts the newest good
// snapshot in its place, held; without a snapshot an empty store, held too.
func (s *Store) recoverStore(ctx context.Context, cause error) error {
	dir, now := s.o.Dir, s.o.Now()
	aside, err := moveAside(dir, fileDamaged, now)
	if err != nil {
		return err
	}
	paths, err := snapshots(dir)
	if err != nil {
		return err
	}
	for _, path := range paths {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := verify(path); err != nil {
			s.o.Log.Error().Err(err).Str("snapshot", path).Msg("a snapshot cannot be used")
			continue
		}
		return s.restoreFrom(path, now, heldText(cause, aside, path, now))
	}
	return s.restoreFrom("", now, heldText(cause, aside, "", now))
}

// heldText tells the event, the possible losses and the cure.
func heldText(cause error, aside, snap string, now time.Time) string {
	var s strings.Builder
	s.WriteString(cause.Error())
	if aside != "" {
		fmt.Fprintf(&s, "; it was moved to %s", filepath.Base(aside))
	}
	if snap == "" {
		s.WriteString("; there was no snapshot to restore: the store is empty")
	} else {
		fmt.Fprintf(&s, "; the snapshot of %s was restored: what was stored between then and %s may be missing, "+
			"and what waits may have been done",
			snapshotTime(snap).Format(time.RFC3339), now.UTC().Format(time.RFC3339))
	}
	s.WriteString("; items that wait are run and sent once the operator has released the store")
	return s.String()
}

// moveAside renames the file to a name with the time, or returns "" without one.
func moveAside(dir, name string, now time.Time) (string, error) {
	aside := ""
	if exists(dir, fileDB) {
		aside = filepath.Join(dir, name+"-"+now.UTC().Format(stampForm))
		if err := os.Rename(filepath.Join(dir, fileDB), aside); err != nil {
			return "", dirError(dir, err)
		}
	}
	if err := os.Remove(filepath.Join(dir, fileDamage)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", dirError(dir, err)
	}
	if err := durable.SyncDir(dir); err != nil {
		return "", dirError(dir, err)
	}
	return aside, nil
}

func (s *Store) restoreFrom(path string, now time.Time, held string) error {
	return build(s.o.Dir, path, now, &table.Restored{Held: held}, s.o.Forgotten)
}

// offline runs f while the directory is free of other users.
func offline(ctx context.Context, dir string, f func() error) error {
	if err := prepareDir(dir); err != nil {
		return err
	}
	o := Options{}
	o.defaults()
	lock, err := takeLock(ctx, dir, o.LockTimeout)
	if err != nil {
		return err
	}
	return errors.Join(f(), unlock(lock))
}

// SnapshotFile takes a snapshot of a store that no gateway uses, keeping the
// newest keep of them (0: 3), and returns its path.
func SnapshotFile(ctx context.Context, dir string, keep int) (path string, err error) {
	if err := MustExist(dir); err != nil {
		return "", err
	}
	o := Options{Keep: keep}
	o.defaults()
	err = offline(ctx, dir, func() error {
		db, err := openFile(dir, o.LockTimeout)
		if err != nil {
			return err
		}
		s := &Store{o: o, db: db}
		path, err = snapshot(s, dir, o.Keep, time.Now())
		return errors.Join(err, s.Close())
	})
	return path, err
}

// Restore replaces the store of a directory that no gateway uses by a snapshot, without what is forgotten (nil: nothing).
// The present file is kept under another name, and the restored one is held. Up to the
// one rename that puts it into place, the present file stays the store, whatever fails
// and whenever the process dies.
func Restore(ctx context.Context, dir, snap string, f Forgotten) error {
	return restore(ctx, dir, snap, os.Link, f)
}

// restore is Restore where link gives a file a second name.
func restore(ctx context.Context, dir, snap string, link func(from, to string) error, f Forgotten) error {
	if f == nil {
		f = nobody{}
	}
	return offline(ctx, dir, func() error {
		if err := verify(snap); err != nil {
			return fmt.Errorf("snapshot %s: %w", snap, err)
		}
		now := time.Now()
		aside := ""
		if exists(dir, fileDB) {
			aside = filepath.Join(dir, fileReplaced+"-"+now.UTC().Format(stampForm))
		}
		r := table.Restored{Cured: noteDigest(dir), Held: heldText(errors.New("the operator restored the store"), aside, snap, now)}
		if err := prepare(dir, snap, now, &r, f); err != nil {
			return err
		}
		if aside != "" {
			if err := keep(dir, aside, link); err != nil {
				return errors.Join(dirError(dir, err), remove(filepath.Join(dir, fileNew)))
			}
		}
		if err := takePlace(dir); err != nil {
			return err
		}
		if err := remove(filepath.Join(dir, fileDamage)); err != nil {
			return dirError(dir, err)
		}
		return nil
	})
}
