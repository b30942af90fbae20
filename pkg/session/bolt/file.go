package bolt

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
	"time"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"parley/pkg/durable"
	"parley/pkg/session/engine/table"
)

// damageMet is the text of fileDamage.
const damageMet = "the last process met a damaged page"

// mapSize is how much address space the file gets at once. It is free of memory, and
// growing within it does not wait for readers.
const mapSize = 1 << 30

// growBy is how much the file grows at once, sparsely.
const growBy = 1 << 20

func boltOptions(timeout time.Duration) *bbolt.Options {
	return &bbolt.Options{
		Timeout:         timeout,
		FreelistType:    bbolt.FreelistMapType,
		InitialMmapSize: mapSize,
		NoStatistics:    true,
	}
}

// openFile opens an existing store file for writing; a missing one is an error.
func openFile(dir string, timeout time.Duration) (*bbolt.DB, error) {
	o := boltOptions(timeout)
	o.OpenFile = func(name string, flag int, perm os.FileMode) (*os.File, error) {
		return os.OpenFile(name, flag&^os.O_CREATE, perm) //nolint:gosec // the path is the operator's own state_dir
	}
	db, err := openWith(dir, o)
	if err == nil {
		db.AllocSize = growBy
	}
	return db, err
}

// openWith opens an existing store file.
func openWith(dir string, o *bbolt.Options) (db *bbolt.DB, err error) {
	path := filepath.Join(dir, fileDB)
	if err := preflight(path); err != nil {
		return nil, fileError(dir, err)
	}
	err = table.Guard(func() error {
		db, err = bbolt.Open(path, 0o600, o)
		return err
	})
	if err != nil {
		return nil, openError(path, err)
	}
	return db, nil
}

// openError tells a file that is damaged from one that cannot be opened now: by a want of memory or of open
// files, a file that is held, or a folder.
func openError(path string, err error) error {
	switch {
	case errors.Is(err, berrors.ErrTimeout):
		return fmt.Errorf("%w: %s is held by another program; stop it first", ErrLocked, path)
	case table.IsPanic(err), errors.Is(err, berrors.ErrInvalid), errors.Is(err, berrors.ErrChecksum),
		errors.Is(err, berrors.ErrVersionMismatch):
		return table.Damagedf("%v", err)
	default:
		return dirError(filepath.Dir(path), err)
	}
}

// The layout of a bbolt file's two head pages, as far as preflight reads it.
const (
	headMagic   = 0xED0CDAED
	headLen     = 80
	headStart   = 16
	maxPageSize = 64 << 10
)

// preflight reads the file's two heads and compares its length with the newer
// one: a file that is too short would end the process at the first touch.
func preflight(path string) error {
	f, err := os.Open(path) //nolint:gosec // the operator's own state_dir
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if info.Size() == 0 {
		return table.Damagedf("it is empty")
	}
	var best head
	for _, size := range []int64{0, int64(os.Getpagesize()), 4 << 10, 16 << 10, maxPageSize} {
		if h, ok := readHead(f, size); ok && h.tx >= best.tx {
			best = h
		}
	}
	if best.pageSize == 0 {
		return table.Damagedf("it is no store: neither head can be read")
	}
	if want := int64(best.pages) * int64(best.pageSize); info.Size() < want { //nolint:gosec // bounded by readHead
		return table.Damagedf("it is cut off: %d of %d bytes are there", info.Size(), want)
	}
	return nil
}

type head struct {
	pageSize uint32
	pages    uint64
	tx       uint64
}

func readHead(r io.ReaderAt, at int64) (head, bool) {
	var b [headLen]byte
	if n, _ := r.ReadAt(b[:], at); n < headLen {
		return head{}, false
	}
	m := b[headStart:]
	le := binary.NativeEndian
	h := fnv.New64a()
	_, _ = h.Write(m[:56])
	got := head{pageSize: le.Uint32(m[8:]), pages: le.Uint64(m[40:]), tx: le.Uint64(m[48:])}
	ok := le.Uint32(m) == headMagic && le.Uint64(m[56:]) == h.Sum64() &&
		got.pageSize > 0 && got.pageSize <= maxPageSize && got.pages < 1<<40
	return got, ok
}

// build makes a whole store file beside the real one and renames it into place.
// It starts from the snapshot source, or from an empty store for "".
func build(dir, source string, now time.Time, r *table.Restored, f Forgotten) error {
	if err := prepare(dir, source, now, r, f); err != nil {
		return err
	}
	return takePlace(dir)
}

// takePlace renames a file that was prepared into place.
func takePlace(dir string) error {
	if err := os.Rename(filepath.Join(dir, fileNew), filepath.Join(dir, fileDB)); err != nil {
		return dirError(dir, err)
	}
	if err := durable.SyncDir(dir); err != nil {
		return dirError(dir, err)
	}
	return nil
}

// remove removes a file, if it is there.
func remove(path string) error {
	if err := os.Remove(path); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// prepare makes the file that takePlace puts into place, without what is forgotten. After an error it
// leaves no file.
func prepare(dir, source string, now time.Time, r *table.Restored, gone Forgotten) (err error) {
	path := filepath.Join(dir, fileNew)
	defer func() {
		if err != nil {
			err = errors.Join(err, remove(path))
		}
	}()
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return dirError(dir, err)
	}
	if source != "" {
		if err := copyFile(source, path); err != nil {
			return dirError(dir, err)
		}
	}
	db, err := bbolt.Open(path, 0o600, boltOptions(time.Second))
	if err != nil {
		return dirError(dir, err)
	}
	db.AllocSize = growBy
	err = table.Guard(func() error {
		return db.Update(func(b *bbolt.Tx) error { return (&fileTx{b: b}).complete(now, r) })
	})
	if err == nil && source != "" {
		err = forget(db, path, gone, now)
	}
	if err := errors.Join(err, db.Close()); err != nil {
		return dirError(dir, err)
	}
	return nil
}

func copyFile(from, to string) error {
	src, err := os.Open(from) //nolint:gosec // the operator names the snapshot
	if err != nil {
		return err
	}
	defer func() { _ = src.Close() }()
	dst, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) //nolint:gosec // within the operator's own state_dir
	if err != nil {
		return err
	}
	return durable.Fill(dst, func(w io.Writer) error {
		_, err := io.Copy(w, src)
		return err
	})
}
