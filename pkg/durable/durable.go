package durable

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
)

// Unfinished ends the name of a file that [Replace] has not finished.
const Unfinished = ".part"

const fileMode = 0o600

// Fill lets write fill f, brings it to the disk and closes it, also where write fails.
func Fill(f *os.File, write func(w io.Writer) error) error {
	err := write(f)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// Write lets write fill the file of that path, which it makes or empties first. The name of a new
// file needs [SyncDir] besides.
func Write(path string, write func(w io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, fileMode) //nolint:gosec // rooms name their own files
	if err != nil {
		return err
	}
	return Fill(f, write)
}

// Replace writes a file whole or not at all. A file of that name is replaced. One caller at a time
// may replace a path.
func Replace(path string, write func(w io.Writer) error) error {
	err := Write(path+Unfinished, write)
	if err == nil {
		err = os.Rename(path+Unfinished, path)
	}
	if err == nil {
		err = SyncDir(filepath.Dir(path))
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(path+Unfinished))
	}
	return nil
}

// Unlock gives the lock of a file back and closes it. Closing alone would leave the lock to a program that this
// process is about to start, which has the file until it begins.
func Unlock(f *os.File) error {
	return errors.Join(syscall.Flock(int(f.Fd()), syscall.LOCK_UN), f.Close())
}

// SyncDir brings the names of a folder to the disk: new files, renames and removals.
func SyncDir(dir string) error { return syncOpened(os.Open(filepath.Clean(dir))) }

// SyncRoot is [SyncDir] for an open folder.
func SyncRoot(dir *os.Root) error { return syncOpened(dir.Open(".")) }

func syncOpened(dir *os.File, err error) error {
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
