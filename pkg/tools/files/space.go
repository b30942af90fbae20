package files

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"

	"parley/pkg/tools"
)

const (
	maxPathBytes = 4096
	maxPathDepth = 255
)

// space is the open folder of a chat.
type space struct{ root *os.Root }

// openSpace opens the folder of the chat that ctx belongs to. The caller closes it.
func openSpace(ctx context.Context) (*space, error) {
	dir := tools.InvocationFrom(ctx).Space
	if dir == "" {
		return nil, fail(tools.ErrPermissionDenied, "", "this chat has no files")
	}
	root, err := os.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fail(tools.ErrNotFound, "", "this chat has no files yet")
	}
	if err != nil {
		// The error names the folder's place on the machine, which is nobody's business here.
		return nil, fail(tools.ErrExecutionFailed, "", "the files of this chat cannot be opened")
	}
	return &space{root: root}, nil
}

func (s *space) close() { _ = s.root.Close() }

// cleanPath checks a path argument and gives it in its shortest form.
func cleanPath(p string) (string, error) {
	switch {
	case p == "":
		return ".", nil
	case strings.ContainsRune(p, 0):
		return "", fail(tools.ErrSecurityViolation, "", "a path cannot contain a NUL byte")
	case len(p) > maxPathBytes, strings.Count(p, "/") > maxPathDepth:
		return "", fail(tools.ErrInvalidArguments, "", "the path is too long")
	case path.IsAbs(p):
		return "", fail(tools.ErrSecurityViolation, p, "paths are relative to the workspace, which is \".\"; this one is absolute")
	}
	for element := range strings.SplitSeq(p, "/") {
		if element == ".." {
			return "", fail(tools.ErrSecurityViolation, p, "a path cannot contain \"..\"")
		}
	}
	return path.Clean(p), nil
}

// open opens a file or a folder and looks at what was opened, so that nothing
// can change in between. It waits for nothing: a FIFO opens at once and is refused.
func (s *space) open(p string) (*os.File, fs.FileInfo, error) {
	f, err := s.root.OpenFile(p, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
	if err != nil {
		return nil, nil, openError(p, err)
	}
	info, err := f.Stat()
	if err == nil {
		err = allowed(p, info)
	}
	if err != nil {
		_ = f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// allowed refuses whatever is neither a folder nor a regular file with one name.
func allowed(p string, info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return nil
	case !info.Mode().IsRegular():
		return fail(tools.ErrSecurityViolation, p, "this is neither a file nor a folder")
	case links(info) > 1:
		return fail(tools.ErrSecurityViolation, p, "this file has several hard links, so it may belong to someone else")
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
	f, info, err := s.open(p)
	if err == nil && info.IsDir() {
		_ = f.Close()
		return nil, nil, fail(tools.ErrInvalidArguments, p, "this is a folder, not a file; list_dir shows what is in it")
	}
	return f, info, err
}

// openDir opens a folder.
func (s *space) openDir(p string) (*os.File, error) {
	f, info, err := s.open(p)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		_ = f.Close()
		return nil, fail(tools.ErrInvalidArguments, p, "this is a file, not a folder; use read_file")
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
