package files

import (
	"errors"
	"io"
	"os"
	"path/filepath"
)

// unfinished ends the name of a file that is not whole yet.
const unfinished = ".part"

// Replace writes a file durably, whole or not at all, and returns its size. A file of
// that name is replaced. The path must lie in a folder of the gateway's own.
func Replace(path string, content io.Reader) (int64, error) {
	n, err := writeSynced(path+unfinished, content)
	if err == nil {
		err = os.Rename(path+unfinished, path)
	}
	if err == nil {
		err = syncDir(filepath.Dir(path))
	}
	if err != nil {
		return 0, errors.Join(err, os.RemoveAll(path+unfinished))
	}
	return n, nil
}

func writeSynced(path string, content io.Reader) (int64, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600) //nolint:gosec // a name in our own folder
	if err != nil {
		return 0, err
	}
	n, err := io.Copy(f, content)
	if err == nil {
		err = f.Sync()
	}
	return n, errors.Join(err, f.Close())
}

func syncDir(dir string) error {
	d, err := os.Open(dir) //nolint:gosec // our own folder
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
