package bolt

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"parley/pkg/session/engine/table"
)

// The note of damage is about the file that was the store when it was written. A store
// that replaces that file has the note's digest in its state, so a process that dies
// between the rename and the removal of the note leaves a store that the next start takes.

// metDamage says whether the note of damage is there and about the store in place.
func metDamage(dir string) bool {
	note := noteDigest(dir)
	if note == "" {
		return false
	}
	return readOnly(filepath.Join(dir, fileDB), func(f *fileTx) error {
		m, err := f.state()
		if err == nil && m.Cured != note {
			err = table.ErrDamaged
		}
		return err
	}) != nil
}

// NoteDamage makes the next start restore a snapshot: err says that a page is damaged.
func (s *Store) NoteDamage(err error) error {
	return writeMarked(s.o.Dir, fileDamage, s.o.Now().UTC().Format(time.RFC3339)+" "+err.Error()+"\n")
}

// noteDigest tells the note of damage from every other one, or is "".
func noteDigest(dir string) string {
	if !exists(dir, fileDamage) {
		return ""
	}
	b, err := os.ReadFile(filepath.Join(dir, fileDamage)) //nolint:gosec // within the operator's own state_dir
	if err != nil {
		b = []byte(err.Error()) // it is there
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// keep gives the present file a second name, which stays its name when another file takes
// its place: by a link, or, on a file system without them, as a copy.
func keep(dir, aside string, link func(from, to string) error) error {
	from, part := filepath.Join(dir, fileDB), filepath.Join(dir, fileKept)
	err := link(from, aside)
	if !errors.Is(err, syscall.EPERM) && !errors.Is(err, syscall.ENOTSUP) && !errors.Is(err, syscall.EOPNOTSUPP) &&
		!errors.Is(err, syscall.ENOSYS) && !errors.Is(err, syscall.EMLINK) {
		return err
	}
	if err := remove(part); err != nil {
		return err
	}
	if err := copyFile(from, part); err != nil {
		return errors.Join(fmt.Errorf("the present store cannot be kept as a copy: %w", err), remove(part))
	}
	return os.Rename(part, aside)
}

// dropSecondNames removes the remains of a restore that died before its rename: the
// name of a store that was replaced, which is the store in place.
func dropSecondNames(dir string) error {
	now, err := os.Lstat(filepath.Join(dir, fileDB))
	if err != nil {
		return nil //nolint:nilerr // the process that opens it says so
	}
	entries, err := os.ReadDir(dir)
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), fileReplaced+"-") {
			continue
		}
		if info, look := entry.Info(); look == nil && os.SameFile(now, info) {
			err = errors.Join(err, os.Remove(filepath.Join(dir, entry.Name())))
		}
	}
	return err
}
