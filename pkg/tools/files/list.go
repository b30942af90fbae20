package files

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"parley/pkg/tools"
)

const (
	maxListed  = 500    // entries that list_dir shows
	maxScanned = 10_000 // entries that it looks at to find the first ones by name
	readBatch  = 256
)

type listInput struct {
	Path string `json:"path,omitempty"`
}

// listing is the result of list_dir.
type listing struct {
	Success   bool    `json:"success"`
	Path      string  `json:"path"`
	Entries   []entry `json:"entries"`
	Truncated bool    `json:"truncated"`
	// Roots are the folders beside the workspace, told with the workspace itself.
	Roots []rootEntry `json:"roots,omitempty"`
}

// rootEntry is a folder that the chat reaches beside its workspace.
type rootEntry struct {
	Path     string `json:"path"`
	Writable bool   `json:"writable"`
}

// entry is one name in a folder. Type is file, dir, symlink or other.
type entry struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	Size     int64  `json:"size"`
	Modified string `json:"modified,omitempty"`
}

func (a *access) listDir(ctx context.Context, in listInput) (any, error) {
	s, p, err := a.enter(ctx, in.Path)
	if err != nil {
		return nil, err
	}
	defer s.close()
	dir, err := s.openDir(p)
	if err != nil {
		return nil, err
	}
	defer func() { _ = dir.Close() }()
	found, more, err := readNames(ctx, dir, maxScanned)
	if err != nil {
		return nil, err
	}
	found = slices.DeleteFunc(found, func(d fs.DirEntry) bool {
		return isTemp(d.Name()) || !d.IsDir() && !s.permits(path.Join(p, d.Name()))
	})
	out := listing{Success: true, Path: s.shown(p), Entries: []entry{}, Truncated: more || len(found) > maxListed}
	if s.name == "" && p == "." && a.options.Roots != nil {
		for _, r := range a.options.Roots(tools.InvocationFrom(ctx)) {
			out.Roots = append(out.Roots, rootEntry{Path: "@" + r.Name, Writable: s.writable && r.Writable})
		}
	}
	for _, d := range found[:min(len(found), maxListed)] {
		info, err := s.root.Lstat(path.Join(p, d.Name()))
		if err != nil {
			continue // removed since it was read
		}
		out.Entries = append(out.Entries, newEntry(d.Name(), info))
	}
	return out, nil
}

// readNames reads at most limit entries of a folder, sorted by name, and says
// whether there are more.
func readNames(ctx context.Context, dir *os.File, limit int) (found []fs.DirEntry, more bool, err error) {
	for len(found) <= limit {
		if err := ctx.Err(); err != nil {
			return nil, false, err
		}
		batch, err := dir.ReadDir(readBatch)
		found = append(found, batch...)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, false, fail(tools.ErrExecutionFailed, "", "the folder cannot be read")
		}
	}
	if len(found) > limit {
		found, more = found[:limit], true
	}
	slices.SortFunc(found, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return found, more, nil
}

func newEntry(name string, info fs.FileInfo) entry {
	e := entry{
		Name: strings.ToValidUTF8(name, "\uFFFD"), Type: typeOf(info.Mode()),
		Modified: info.ModTime().UTC().Format(time.RFC3339),
	}
	if e.Type == typeFile {
		e.Size = info.Size()
	}
	return e
}

// The types of an entry.
const (
	typeFile    = "file"
	typeDir     = "dir"
	typeSymlink = "symlink"
	typeOther   = "other"
)

func typeOf(mode fs.FileMode) string {
	switch {
	case mode.IsRegular():
		return typeFile
	case mode.IsDir():
		return typeDir
	case mode&fs.ModeSymlink != 0:
		return typeSymlink
	default:
		return typeOther
	}
}
