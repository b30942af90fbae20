package bolt

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"parley/pkg/durable"
	"parley/pkg/session/engine/fsck"
	"parley/pkg/session/engine/table"
)

// Check reads the whole store of a directory without a running gateway: every page,
// every checksum, and the rules between the records. It writes no file, also where
// there is no store ([ErrNone]). Its error says that the store could not be read at
// all; faults within it are in the report.
func Check(ctx context.Context, dir string) (fsck.Report, error) {
	if err := MustExist(dir); err != nil {
		return fsck.Report{}, err
	}
	var o Options
	o.defaults()
	lock, err := shareLock(ctx, dir, o.LockTimeout)
	if err != nil {
		return fsck.Report{}, err
	}
	r, err := checkFile(filepath.Join(dir, fileDB))
	if metDamage(dir) {
		r.Addf("%v", table.Damagedf(damageMet))
	}
	return r, errors.Join(err, unlock(lock))
}

// Check does the same for a store that is in use, on a copy that it removes.
func (s *Store) Check() (fsck.Report, error) {
	s.snapMu.Lock()
	defer s.snapMu.Unlock()
	path := filepath.Join(s.o.Dir, fileChecked)
	if err := durable.Write(path, s.Snapshot); err != nil {
		return fsck.Report{}, errors.Join(fmt.Errorf("copy the store: %w", err), remove(path))
	}
	r, err := checkFile(path)
	return r, errors.Join(err, remove(path))
}

func checkFile(path string) (fsck.Report, error) {
	var r fsck.Report
	err := readOnly(path, func(f *fileTx) error {
		m, err := f.state()
		if err != nil {
			return err
		}
		r.Held = m.Held
		checkPages(f, &r)
		if len(r.Problems) > 0 {
			return nil
		}
		return fsck.Check(f, f.lacks(table.TasksOf), &r)
	})
	switch {
	case IsDamaged(err):
		r.Addf("%v", err)
		return r, nil
	case errors.Is(err, os.ErrNotExist):
		r.Addf("%v", table.Damagedf("it is gone"))
		return r, nil
	}
	return r, err
}

func checkPages(f *fileTx, r *fsck.Report) {
	for err := range f.b.Check() {
		r.Addf("page: %v", err)
	}
}
