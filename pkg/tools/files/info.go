package files

import (
	"context"
	"errors"
	"path"
	"time"

	"parley/pkg/openat"
	"parley/pkg/tools"
)

type infoInput struct {
	Path string `json:"path"`
}

// details is the result of file_info. It describes a symbolic link itself, not its
// target. Modified is in RFC 3339, UTC.
type details struct {
	Success  bool   `json:"success"`
	Path     string `json:"path"`
	Exists   bool   `json:"exists"`
	Type     string `json:"type"`
	Size     int64  `json:"size"`
	Modified string `json:"modified"`
	Mode     string `json:"mode"`
}

// missing is the result of file_info for a path without a file: that is an answer
// too.
type missing struct {
	Success bool   `json:"success"`
	Path    string `json:"path"`
	Exists  bool   `json:"exists"`
}

func (a *access) fileInfo(ctx context.Context, in infoInput) (any, error) {
	s, p, err := a.enter(ctx, in.Path)
	if err != nil {
		return nil, err
	}
	defer s.close()
	d, real, err := s.describe(p)
	if failure, ok := errors.AsType[*tools.Error](err); ok && failure.Type == tools.ErrNotFound {
		// An unreadable file is not described, not even as missing.
		return missing{Success: true, Path: s.shown(p)}, s.reachFile(real)
	}
	return d, err
}

// describe returns the file at a path, and the path with the links on the way
// resolved, as far as they are known.
func (s *space) describe(p string) (d details, real string, err error) {
	// The folder that it lies in is held against the rules as well: the path may
	// lead over links.
	real, err = s.follow(p)
	if err != nil {
		return d, p, err
	}
	if err := s.reach(real); err != nil {
		return d, real, err
	}
	info, err := s.root.Lstat(p)
	if err != nil {
		return d, real, openError(s.shown(p), err)
	}
	if info.Mode().IsRegular() {
		if err := allowed(s.shown(p), info); err != nil {
			return d, real, err
		}
		if err := s.reachFile(real); err != nil {
			return d, real, err
		}
	}
	return details{
		Success: true, Path: s.shown(p), Exists: true, Type: typeOf(info.Mode()), Size: newEntry(p, info).Size,
		Modified: info.ModTime().UTC().Format(time.RFC3339), Mode: info.Mode().Perm().String(),
	}, real, nil
}

// follow gives the path of an entry with the links on the way to it resolved.
func (s *space) follow(p string) (string, error) {
	if p == "." {
		return p, nil
	}
	dir, _, err := s.look(path.Dir(p))
	if err != nil {
		return "", err
	}
	defer func() { _ = dir.Close() }()
	at, err := openat.Place(dir)
	if err != nil {
		return "", s.fail(tools.ErrExecutionFailed, p, "the system does not tell where this lies")
	}
	rel, _ := s.relative(at)
	return path.Join(rel, path.Base(p)), nil
}
