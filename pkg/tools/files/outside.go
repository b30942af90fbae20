package files

import (
	"context"
	"strings"

	"parley/pkg/openat"
	"parley/pkg/tools"
)

// examineRead says whether a read returns untrusted content.
func (a *access) examineRead(ctx context.Context, in readInput) (tools.Examination, error) {
	return tools.Examination{Taints: a.outside(ctx, in.Path, false)}, nil
}

// examineList says whether the names in a folder are untrusted content.
func (a *access) examineList(ctx context.Context, in listInput) (tools.Examination, error) {
	return tools.Examination{Taints: a.namesOutside(ctx, in.Path)}, nil
}

// examineSearch says whether a search reads untrusted content.
func (a *access) examineSearch(ctx context.Context, in searchInput) (tools.Examination, error) {
	if in.Content == "" {
		return tools.Examination{Taints: a.namesOutside(ctx, in.Path)}, nil
	}
	return tools.Examination{Taints: a.outside(ctx, in.Path, true)}, nil
}

// namesOutside says whether a path leads into a root of which the content is from outside: the names there are, too.
// Those of received files are the gateway's, which makes them of few characters.
func (a *access) namesOutside(ctx context.Context, p string) bool {
	if a.options.Roots == nil {
		return false
	}
	s, _, err := a.enter(ctx, p)
	if err != nil {
		return false
	}
	defer s.close()
	return s.outside
}

// outside says whether a path leads to a received file, or to a folder with some, by
// the kernel's report of its place, or into a root of which the content is from outside. For an unreachable path it is false: the call will
// give the reason.
func (a *access) outside(ctx context.Context, p string, holds bool) bool { //nolint:revive // flag-parameter: a search looks below its path
	if a.options.Outside == "" && a.options.Roots == nil {
		return false
	}
	s, p, err := a.enter(ctx, p)
	if err != nil {
		return false
	}
	defer s.close()
	if s.name != "" || a.options.Outside == "" {
		return s.outside
	}
	f, _, err := s.look(p)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	at, err := openat.Place(f)
	rel, inside := s.relative(at)
	if err != nil || !inside {
		return true
	}
	if holds && rel == "." {
		_, err := s.root.Lstat(a.options.Outside)
		return err == nil
	}
	return rel == a.options.Outside || strings.HasPrefix(rel, a.options.Outside+"/")
}
