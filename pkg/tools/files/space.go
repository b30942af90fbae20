package files

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"

	"parley/pkg/openat"
	"parley/pkg/tools"
)

const (
	maxPathBytes = 4096
	maxPathDepth = 255
)

// space is the open folder of a chat, or a root beside it.
type space struct {
	root *os.Root
	// name is how paths in a root begin, such as @docs; empty for the chat's own space.
	name string
	// dir is where the configuration says it is, base where the kernel says.
	dir, base string
	writable  bool
	// outside says that all content is from outside.
	outside bool
	rules   *rules
	limits  Limits
}

func (s *space) close() { _ = s.root.Close() }

// shown is the spelling of a path in the space for the users of the tools.
func (s *space) shown(rel string) string {
	if s.name == "" {
		return rel
	}
	return path.Join(s.name, rel)
}

func (s *space) fail(t tools.ErrorType, rel, message string) error {
	return fail(t, s.shown(rel), message)
}

// cleanPath checks a path argument, relative or absolute, and gives it in its shortest form.
func cleanPath(p string) (string, error) {
	switch {
	case p == "":
		return ".", nil
	case strings.ContainsRune(p, 0):
		return "", fail(tools.ErrSecurityViolation, "", "a path cannot contain a NUL byte")
	case len(p) > maxPathBytes, strings.Count(p, "/") > maxPathDepth:
		return "", fail(tools.ErrInvalidArguments, "", "the path is too long")
	}
	for element := range strings.SplitSeq(p, "/") {
		if element == ".." {
			return "", fail(tools.ErrSecurityViolation, p, "a path cannot contain \"..\"")
		}
	}
	return path.Clean(p), nil
}

// look opens a file or a folder and checks the opened one, so that it cannot change
// in between. It does not block: a FIFO opens at once and is refused.
func (s *space) look(p string) (*os.File, fs.FileInfo, error) {
	if err := s.reach(p); err != nil {
		return nil, nil, err
	}
	f, err := s.root.OpenFile(p, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
	if err != nil {
		return nil, nil, openError(s.shown(p), err)
	}
	info, err := f.Stat()
	if err == nil {
		err = allowed(s.shown(p), info)
	}
	if err == nil {
		err = s.reachOpen(p, f, info)
	}
	if err != nil {
		_ = f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// reachOpen holds the rules against the place where an open file really lies:
// its path may have led over links.
func (s *space) reachOpen(p string, f *os.File, info fs.FileInfo) error {
	at, err := openat.Place(f)
	if err != nil {
		return s.fail(tools.ErrExecutionFailed, p, "the system does not tell where this lies")
	}
	rel, inside := s.relative(at)
	switch {
	case !inside:
		return s.fail(tools.ErrSecurityViolation, p, "this path leads out of the workspace")
	case info.IsDir():
		return s.reach(rel)
	default:
		return s.reachFile(rel)
	}
}

// relative is a place on the machine as a path in the space.
func (s *space) relative(at string) (rel string, inside bool) {
	if at == s.base {
		return ".", true
	}
	return strings.CutPrefix(at, strings.TrimSuffix(s.base, "/")+"/")
}

// allowed refuses everything but a folder or a regular file with one name.
func allowed(p string, info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return nil
	case !info.Mode().IsRegular():
		return fail(tools.ErrSecurityViolation, p, "this is neither a file nor a folder")
	case links(info) > 1:
		return fail(tools.ErrSecurityViolation, p, "this file has several hard links, so it may belong to someone else")
	case links(info) == 0:
		return fail(tools.ErrNotFound, p, "this file was just deleted")
	default:
		return nil
	}
}

// links counts the names of a file.
func links(info fs.FileInfo) uint64 {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0
	}
	return uint64(st.Nlink) //nolint:unconvert // the field is 16 or 32 bits wide on other systems
}

// openFile opens a regular file.
func (s *space) openFile(p string) (*os.File, fs.FileInfo, error) {
	f, info, err := s.look(p)
	if err == nil && info.IsDir() {
		_ = f.Close()
		return nil, nil, s.fail(tools.ErrInvalidArguments, p, "this is a folder, not a file; list_dir shows what is in it")
	}
	return f, info, err
}

// openDir opens a folder.
func (s *space) openDir(p string) (*os.File, error) {
	f, info, err := s.look(p)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		_ = f.Close()
		return nil, s.fail(tools.ErrInvalidArguments, p, "this is a file, not a folder; use read_file")
	}
	return f, nil
}

// openError says in the words of the tools why the system did not open p.
func openError(p string, err error) error {
	var errno syscall.Errno
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return fail(tools.ErrNotFound, p, "there is no such file or folder; list_dir shows what there is")
	case errors.Is(err, syscall.ENAMETOOLONG):
		return fail(tools.ErrInvalidArguments, p, "the path is too long")
	case errors.Is(err, syscall.ENXIO), errors.Is(err, syscall.ELOOP):
		return fail(tools.ErrSecurityViolation, p, "this is neither a file nor a folder")
	case errors.Is(err, fs.ErrPermission):
		return fail(tools.ErrPermissionDenied, p, "the system does not allow to open this")
	case !errors.As(err, &errno):
		// Not the system but os.Root refused: a link leads out of the space.
		return fail(tools.ErrSecurityViolation, p, "this path leads out of the workspace")
	default:
		return fail(tools.ErrExecutionFailed, p, "this cannot be opened: "+errno.Error())
	}
}
