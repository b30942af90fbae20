package files

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"sync"

	"parley/pkg/openat"
	"parley/pkg/tools"
)

// access is shared by all tools of one set: the reachable places, and the turns of the
// writers.
type access struct {
	options Options
	rules   func() *rules // made when they are first needed: a start takes no time for them
	gates   gates
}

func newAccess(o Options) *access {
	if o.SearchTime <= 0 {
		o.SearchTime = DefaultSearchTime
	}
	o.Limits.fill()
	return &access{options: o, rules: sync.OnceValue(func() *rules { return newRules(o.Allow, o.Refuse) })}
}

// enter finds the folder in which the path of a call lies, opens it, and gives
// the path relative to it. The caller closes the space.
func (a *access) enter(ctx context.Context, p string) (*space, string, error) {
	p, err := cleanPath(p)
	if err != nil {
		return nil, "", err
	}
	inv := tools.InvocationFrom(ctx)
	if inv.Space == "" {
		return nil, "", fail(tools.ErrPermissionDenied, "", "this chat has no files")
	}
	r := a.rules()
	if r.err != nil {
		return nil, "", tools.Fail(tools.ErrExecutionFailed, "the patterns of the configuration are not valid", nil).Because(r.err)
	}
	root, p, err := a.place(inv, p)
	if err != nil {
		return nil, "", err
	}
	s := &space{dir: inv.Space, rules: r, writable: a.writable(inv.Level), limits: a.options.Limits}
	if root.Name != "" {
		s.name, s.dir, s.writable = "@"+root.Name, root.Dir, s.writable && root.Writable
		s.outside = root.Outside
	} else if a.options.Prepare != nil {
		if err := a.options.Prepare(s.dir); err != nil {
			return nil, "", fmt.Errorf("the chat's folder: %w", err)
		}
	}
	err = s.open()
	return s, p, err
}

// writable says whether a turn of this level may write at all.
func (a *access) writable(level tools.Level) bool {
	switch a.options.Mode {
	case ReadWrite:
		return true
	case "":
		return level == tools.LevelWrite || level == tools.LevelExec
	default:
		return false
	}
}

// place finds the folder of a path, and the path in it: one of the chat's roots, or
// the zero Root for its space. An absolute path is only another spelling of one that
// begins there: the folder is opened and held all the same.
func (a *access) place(inv tools.Invocation, p string) (in Root, rest string, err error) {
	var roots []Root
	if a.options.Roots != nil && (p[0] == '@' || path.IsAbs(p)) {
		roots = a.options.Roots(inv)
	}
	if !path.IsAbs(p) {
		in, rest = rootOf(roots, p)
		return in, rest, nil
	}
	rest, found := openat.Below(inv.Space, p)
	for _, r := range roots {
		if rel, ok := openat.Below(r.Dir, p); ok && (!found || len(rel) < len(rest)) {
			in, rest, found = r, rel, true
		}
	}
	if !found {
		return in, "", fail(tools.ErrSecurityViolation, p,
			"this absolute path lies outside of the workspace; write it relative to the workspace, which is \".\"")
	}
	if hides, _ := rootOf(roots, rest); in.Name == "" && hides.Name != "" {
		return in, "", fail(tools.ErrSecurityViolation, p,
			"this name in the workspace is out of reach, because @"+hides.Name+" is another folder")
	}
	return in, rest, nil
}

// rootOf finds the root that a relative path begins with. A file of the space with a
// name that begins like one is out of reach.
func rootOf(roots []Root, p string) (in Root, rest string) {
	first, rest, below := strings.Cut(p, "/")
	if !below {
		rest = "."
	}
	for _, r := range roots {
		if "@"+r.Name == first {
			return r, rest
		}
	}
	return Root{}, p
}

// open opens the folder and asks the kernel where it lies.
func (s *space) open() error {
	root, err := openat.Root(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return fail(tools.ErrNotFound, s.name, "this folder of files does not exist yet")
	}
	if err != nil {
		// The error names the folder's place on the machine, which the chat must not see.
		return fail(tools.ErrExecutionFailed, s.name, "the files of this chat cannot be opened")
	}
	s.root = root
	if s.base, err = openat.PlaceOf(root); err != nil {
		s.close()
		return fail(tools.ErrExecutionFailed, s.name, "the system does not tell where files lie (/proc is needed)")
	}
	return nil
}
