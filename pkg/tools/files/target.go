package files

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"
	"unicode"
	"unicode/utf8"

	"parley/pkg/openat"
	"parley/pkg/tools"
)

// maxHashed is the largest file of which the content tells whether it has changed;
// of a larger one its size, its time and its inode do.
const maxHashed = 64 << 20

// absent is the state of a path without a file.
const absent = "absent"

// target is the path that a call writes, and its present file.
type target struct {
	space *space

	// rel is where it lies in the space, all links on the way resolved.
	rel, name string
	// parent is the folder, which is fixed from here on whatever its path leads to
	// later; nil where it does not exist yet, and missing are the names to make.
	parent  *os.Root
	missing []string
	// info is nil if there is no file; content is that of a file that is not too large.
	info    fs.FileInfo
	content []byte
	state   string
}

func (t *target) close() {
	if t.parent != nil {
		_ = t.parent.Close()
	}
}

// shown is the path for the users of the tools.
func (t *target) shown() string { return t.space.shown(t.rel) }

// fail is the error of a call on this file.
func (t *target) fail(kind tools.ErrorType, message string) error {
	return t.space.fail(kind, t.rel, message)
}

// target finds the file at a path that is to be written, and refuses files that no tool
// writes.
func (s *space) target(p string) (*target, error) {
	if err := s.checkNew(p); err != nil {
		return nil, err
	}
	t := &target{space: s, name: path.Base(p), state: absent}
	dir, at, err := t.walk(path.Dir(p))
	if err != nil {
		return nil, err
	}
	rel, inside := s.relative(at)
	t.rel = path.Join(rel, strings.Join(t.missing, "/"), t.name)
	switch {
	case !inside:
		err = s.fail(tools.ErrSecurityViolation, p, "this path leads out of the workspace")
	case len(t.missing) > 0:
		if _, found := dir.Lstat(t.missing[0]); found == nil {
			err = s.fail(tools.ErrSecurityViolation, p, "a part of this path is a link that leads nowhere")
		}
	default:
		t.parent = dir
		err = t.inspect()
	}
	if err == nil {
		err = s.reachWritable(t.rel)
	}
	if err != nil || t.parent == nil {
		_ = dir.Close()
	}
	return t, err
}

// checkNew refuses a path that is invalid by itself.
func (s *space) checkNew(p string) error {
	if !s.writable {
		return s.fail(tools.ErrPermissionDenied, p, "the files here can be read, not written")
	}
	if p == "." {
		return s.fail(tools.ErrInvalidArguments, p, "this is the whole folder of files; name a file in it")
	}
	if strings.Count(p, "/") >= s.limits.MaxDepth {
		return s.fail(tools.ErrInvalidArguments, p, fmt.Sprintf("a path has at most %d names", s.limits.MaxDepth))
	}
	hidden := func(c rune) bool {
		return c == '\\' || c == utf8.RuneError || unicode.IsControl(c) || unicode.In(c, unicode.Cf, unicode.Zl, unicode.Zp)
	}
	if strings.ContainsFunc(p, hidden) { // invalid UTF-8 too
		return fail(tools.ErrSecurityViolation, "", "a file's name has only characters that can be seen, and no backslash")
	}
	return s.reachWritable(p)
}

// walk opens the folder, or the nearest above it that exists, and says where it lies.
func (t *target) walk(dir string) (opened *os.Root, at string, err error) {
	for {
		opened, at, err := openFolder(t.space.root, dir)
		switch {
		case err == nil:
			return opened, at, nil
		case errors.Is(err, fs.ErrNotExist) && dir != ".":
			t.missing = append([]string{path.Base(dir)}, t.missing...)
			dir = path.Dir(dir)
		case errors.Is(err, syscall.ENOTDIR):
			return nil, "", t.space.fail(tools.ErrInvalidArguments, dir, "this is no folder, so nothing can lie in it")
		default:
			return nil, "", openError(t.space.shown(dir), err)
		}
	}
}

// openFolder opens a folder below root, and asks the kernel where it lies.
func openFolder(root *os.Root, dir string) (opened *os.Root, at string, err error) {
	f, _, err := openat.LinkedFolder(root, dir)
	if err != nil {
		return nil, "", err
	}
	defer func() { _ = f.Close() }()
	if at, err = openat.Place(f); err != nil {
		return nil, "", err
	}
	opened, err = openat.Reopen(f)
	return opened, at, err
}

// inspect reads the present file at the path.
func (t *target) inspect() error {
	info, err := t.parent.Lstat(t.name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return openError(t.shown(), err)
	case info.IsDir():
		t.info, t.state = info, typeDir
		return nil
	case info.Mode()&fs.ModeSymlink != 0:
		return t.fail(tools.ErrSecurityViolation, "this is a link; name the file itself")
	}
	if err := allowed(t.shown(), info); err != nil {
		return err
	}
	return t.read(info)
}

// read takes the content of the file that was looked at, and its fingerprint.
func (t *target) read(seen fs.FileInfo) error {
	f, err := t.parent.OpenFile(t.name, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
	if err != nil {
		return openError(t.shown(), err)
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil || !os.SameFile(seen, info) {
		return t.fail(tools.ErrBusy, "this file is being changed by something else; try again")
	}
	if err := allowed(t.shown(), info); err != nil {
		return err
	}
	t.info = info
	if info.Size() > maxHashed {
		t.state = fmt.Sprintf("size:%d:%d:%d", info.Size(), info.ModTime().UnixNano(), inode(info))
		return nil
	}
	var content bytes.Buffer
	hash := sha256.New()
	to := io.Writer(hash)
	if info.Size() <= t.space.limits.MaxFile {
		to = io.MultiWriter(hash, &content)
	}
	if _, err := io.Copy(to, io.LimitReader(f, info.Size())); err != nil {
		return t.fail(tools.ErrExecutionFailed, "the file cannot be read")
	}
	t.content, t.state = content.Bytes(), "sha256:"+hex.EncodeToString(hash.Sum(nil))
	return nil
}

// size is how many bytes the file has now.
func (t *target) size() int64 {
	if t.info == nil || t.info.IsDir() {
		return 0
	}
	return t.info.Size()
}

func inode(info fs.FileInfo) uint64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return st.Ino
	}
	return 0
}
