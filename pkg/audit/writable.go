package audit

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Writable gives the reason why a log of the folder could not be written now. It
// creates no files; a missing folder counts as writable.
func Writable(dir string) error {
	all, err := segments(dir)
	if err != nil {
		return err
	}
	paths := []string{filepath.Join(dir, headName)}
	if len(all) > 0 {
		paths = append(paths, all[len(all)-1].path)
	}
	for _, path := range paths {
		f, err := os.OpenFile(path, os.O_WRONLY, 0) //nolint:gosec // a name in the operator's folder
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return err
		}
		if err := f.Close(); err != nil {
			return err
		}
	}
	const write, search = 2, 1 // for the next segment
	if err := syscall.Access(dir, write|search); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return &fs.PathError{Op: "access", Path: dir, Err: err}
	}
	return nil
}
