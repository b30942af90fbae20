package files

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"

	"parley/pkg/durable"
	"parley/pkg/tools"
)

const (
	dirMode  = 0o700
	fileMode = 0o600
)

// tempName is the name of a file until it is whole. It is the same each time, so that
// the next write replaces the remains of a crash.
func tempName(name string) string {
	sum := sha256.Sum256([]byte(name))
	return tempPrefix + hex.EncodeToString(sum[:12]) + tempSuffix
}

// replace puts a file with this content in the target's place, whole or not at all.
func (t *target) replace(content []byte) error {
	mode := fs.FileMode(fileMode)
	if t.info != nil {
		mode = t.info.Mode().Perm()
	}
	temp := tempName(t.name)
	_ = t.parent.Remove(temp)
	err := t.fill(temp, content, mode)
	if err == nil {
		err = t.parent.Rename(temp, t.name)
	}
	if err == nil {
		err = durable.SyncRoot(t.parent)
	}
	if err != nil {
		_ = t.parent.Remove(temp)
		return t.writeError(err)
	}
	return nil
}

// fill makes a new file that is on disk when it returns nil.
func (t *target) fill(name string, content []byte, mode fs.FileMode) error {
	f, err := t.parent.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode)
	if err != nil {
		return err
	}
	return durable.Fill(f, func(w io.Writer) error {
		if _, err := w.Write(content); err != nil {
			return err
		}
		return f.Chmod(mode)
	})
}

// remove deletes the target: one name, which a link could not lead elsewhere.
func (t *target) remove() error {
	if t.info.IsDir() {
		// Remains of a crash in it do not count.
		if below, _, err := openFolder(t.parent, t.name); err == nil {
			sweep(below)
			_ = below.Close()
		}
	}
	err := t.parent.Remove(t.name)
	if err == nil {
		err = durable.SyncRoot(t.parent)
	}
	if err != nil {
		return t.writeError(err)
	}
	return nil
}

// entries are a few names in the target, which is a folder.
func (t *target) entries() ([]fs.DirEntry, error) {
	f, err := t.parent.OpenFile(t.name, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_DIRECTORY, 0)
	if err != nil {
		return nil, openError(t.shown(), err)
	}
	defer func() { _ = f.Close() }()
	found, err := f.ReadDir(readBatch)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, t.fail(tools.ErrExecutionFailed, "the folder cannot be read")
	}
	return slices.DeleteFunc(found, func(d fs.DirEntry) bool { return isTemp(d.Name()) }), nil
}

// sweep removes unfinished files from a folder.
func sweep(dir *os.Root) {
	f, err := dir.Open(".")
	if err != nil {
		return
	}
	names, _ := f.Readdirnames(readBatch)
	_ = f.Close()
	for _, name := range names {
		if isTemp(name) {
			_ = dir.Remove(name)
		}
	}
}

// makeFolders makes the last folders on the way to a file, each durable before the next.
func (s *space) makeFolders(rel string, missing int) error {
	names := strings.Split(path.Dir(rel), "/")
	for n := len(names) - missing + 1; n <= len(names); n++ {
		dir := strings.Join(names[:n], "/")
		if err := s.root.Mkdir(dir, dirMode); err != nil && !errors.Is(err, fs.ErrExist) {
			return openError(s.shown(dir), err)
		}
		above, _, err := openFolder(s.root, path.Dir(dir))
		if err != nil {
			return openError(s.shown(dir), err)
		}
		err = durable.SyncRoot(above)
		_ = above.Close()
		if err != nil {
			return s.fail(tools.ErrExecutionFailed, dir, "the folder cannot be made")
		}
	}
	return nil
}

// writeError says in the words of the tools why the system did not write.
func (t *target) writeError(err error) error {
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return t.fail(tools.ErrExecutionFailed, "nothing was changed: the disk is full")
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return t.fail(tools.ErrPermissionDenied, "the system does not allow to change this")
	default:
		return t.fail(tools.ErrBusy, "this could not be changed; something else may be changing it: try again")
	}
}

// room refuses a change that the space has no room for. The content of a root beside
// the spaces is the operator's concern.
func (t *target) room(ctx context.Context, c change, swept bool) error {
	growth, more := int64(len(c.content))-t.size(), len(t.missing)
	if t.info == nil {
		more++
	}
	if t.space.name != "" || more == 0 && growth <= 0 {
		return nil
	}
	count, size, err := t.space.usage(ctx, t.space.limits.MaxFiles, swept)
	switch {
	case err != nil:
		return err
	case more > 0 && count+more > t.space.limits.MaxFiles:
		return t.fail(tools.ErrPermissionDenied,
			fmt.Sprintf("there are %d files and folders already, and at most %d may be; delete some first", count, t.space.limits.MaxFiles))
	case growth > 0 && size+growth > t.space.limits.MaxBytes:
		return t.fail(tools.ErrPermissionDenied,
			fmt.Sprintf("the files here have %d bytes, and at most %d may be; delete some first", size, t.space.limits.MaxBytes))
	default:
		return nil
	}
}

// usage counts the content of the space, to a little more than most. On request it
// removes the unfinished files of an earlier process.
//
//nolint:revive // flag-parameter: only the holder of the gate may remove
func (s *space) usage(ctx context.Context, most int, swept bool) (count int, size int64, err error) {
	pending := []string{"."}
	for len(pending) > 0 && count <= most {
		dir := pending[len(pending)-1]
		pending = pending[:len(pending)-1]
		f, err := s.root.OpenFile(dir, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_DIRECTORY, 0)
		if err != nil {
			continue // gone since, or unreadable: no file can be written below it
		}
		found, _, err := readNames(ctx, f, most+1)
		_ = f.Close()
		if err != nil {
			return 0, 0, err
		}
		for _, d := range found {
			p := path.Join(dir, d.Name())
			if isTemp(d.Name()) {
				if swept {
					_ = s.root.Remove(p)
				}
				continue
			}
			count++
			switch {
			case d.IsDir() && strings.Count(p, "/") < maxSearchDepth:
				pending = append(pending, p)
			case d.Type().IsRegular():
				if info, err := s.root.Lstat(p); err == nil {
					size += info.Size()
				}
			}
		}
	}
	return count, size, nil
}
