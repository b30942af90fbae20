package openat

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
)

// The faults of a file that could be opened. The package returns them in an
// [*fs.PathError], which names the file.
var (
	ErrNotRegular = errors.New("it is not a regular file")
	ErrNoFolder   = errors.New("it is no folder")
	ErrLink       = errors.New("a part of its name is a link")
	ErrManyNames  = errors.New("it has several names (hard links), so it may belong to someone else")
)

// noWait opens pipes, terminals and devices at once, without a hold on them.
const noWait = syscall.O_NONBLOCK | syscall.O_NOCTTY

// File opens a regular file of one name below root for reading. Its path is
// relative and written with slashes.
func File(root *os.Root, name string) (*os.File, fs.FileInfo, error) {
	name = path.Clean(name)
	seen, err := plain(root, name)
	if err != nil {
		return nil, nil, err
	}
	f, info, err := Linked(root, name)
	if err != nil {
		return nil, nil, err
	}
	switch {
	case !os.SameFile(seen, info):
		err = wrong(name, ErrLink) // a part became one meanwhile
	case names(info) > 1:
		err = wrong(name, ErrManyNames)
	}
	if err != nil {
		_ = f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// Linked is [File] for a path that may lead over links below root, to a file that
// may have more names.
func Linked(root *os.Root, name string) (*os.File, fs.FileInfo, error) {
	return regular(name, func() (*os.File, error) {
		return root.OpenFile(filepath.FromSlash(name), os.O_RDONLY|noWait, 0)
	})
}

// Own opens a regular file, wherever the links on its path lead.
func Own(name string) (*os.File, fs.FileInfo, error) {
	return regular(name, func() (*os.File, error) {
		return os.OpenFile(name, os.O_RDONLY|noWait, 0) //nolint:gosec // the operator names the file
	})
}

// Append opens a file of ours for appending, and makes it where it is missing. It
// refuses a link, and a file of several names.
func Append(name string, mode fs.FileMode) (*os.File, error) {
	f, info, err := regular(name, func() (*os.File, error) {
		return os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY|syscall.O_NOFOLLOW|noWait, mode) //nolint:gosec // a name in our own folder
	})
	if err == nil && names(info) > 1 {
		_ = f.Close()
		return nil, wrong(name, ErrManyNames)
	}
	return f, err
}

// Head reads the first bytes of a file below root, at most as many as most.
func Head(root *os.Root, name string, most int64) ([]byte, error) {
	f, _, err := File(root, name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return io.ReadAll(io.LimitReader(f, most))
}

// Folder opens a folder below root.
func Folder(root *os.Root, name string) (*os.Root, error) {
	name = path.Clean(name)
	seen, err := plain(root, name)
	if err != nil {
		return nil, err
	}
	f, info, err := LinkedFolder(root, name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	if !os.SameFile(seen, info) {
		return nil, wrong(name, ErrLink) // a part became one meanwhile
	}
	opened, err := Reopen(f)
	if errors.Is(err, fs.ErrNotExist) { // a system without /proc
		return root.OpenRoot(filepath.FromSlash(name))
	}
	return opened, err
}

// plain checks the file below root, and refuses links on the way.
func plain(root *os.Root, name string) (info fs.FileInfo, err error) {
	for i := range len(name) + 1 {
		if i < len(name) && name[i] != '/' {
			continue
		}
		info, err = root.Lstat(filepath.FromSlash(name[:i]))
		if err == nil && info.Mode()&fs.ModeSymlink != 0 {
			err = wrong(name, ErrLink)
		}
		if err != nil {
			return nil, err
		}
	}
	return info, nil
}

// LinkedFolder opens a folder below root as a file, over links that stay below it.
func LinkedFolder(root *os.Root, name string) (*os.File, fs.FileInfo, error) {
	f, err := root.OpenFile(filepath.FromSlash(name), os.O_RDONLY|syscall.O_DIRECTORY|noWait, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.IsDir() {
		err = wrong(name, ErrNoFolder)
	}
	if err != nil {
		_ = f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// regular opens something and looks whether it is a regular file.
func regular(name string, open func() (*os.File, error)) (*os.File, fs.FileInfo, error) {
	f, err := open()
	if err != nil {
		if errors.Is(err, syscall.ENXIO) { // a pipe without a reader, or a socket
			err = wrong(name, ErrNotRegular)
		}
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = wrong(name, ErrNotRegular)
	}
	if err != nil {
		_ = f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

func wrong(name string, err error) error { return &fs.PathError{Op: "open", Path: name, Err: err} }

// names counts the names of a file.
func names(info fs.FileInfo) uint64 {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0
	}
	return uint64(st.Nlink) //nolint:unconvert // the field is 16 or 32 bits wide on other systems
}

// Reopen makes a root of an open folder, whatever its own name leads to by now. It
// needs /proc.
func Reopen(f *os.File) (*os.Root, error) {
	return os.OpenRoot(fmt.Sprintf("/proc/self/fd/%d", f.Fd()))
}

// Root opens a folder, wherever the links on its path lead, and waits for no pipe in its place.
func Root(dir string) (*os.Root, error) {
	if dir == "" {
		return nil, wrong(dir, fs.ErrNotExist)
	}
	return os.OpenRoot(strings.TrimSuffix(dir, "/") + "/.")
}

// Place is where an open file or folder lies, by the system: a path without links, whatever the name leads to by now by which
// it was opened. It needs /proc.
func Place(f *os.File) (string, error) { return os.Readlink(fmt.Sprintf("/proc/self/fd/%d", f.Fd())) }

// PlaceOf is [Place] for a root.
func PlaceOf(root *os.Root) (string, error) {
	f, err := root.Open(".")
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	return Place(f)
}
