package shell

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"parley/pkg/openat"
	"parley/pkg/tools"
)

const (
	maxMatches  = 1000     // of all patterns of a command
	maxLooked   = 50_000   // files looked at for them
	maxExpanded = 64 << 10 // bytes of all arguments
)

// expand replaces the arguments that are patterns (*, ?, [) by the files of root
// that they match, sorted. A pattern without a match stays as it is, like in the
// shell, and so does one that leads out: it is for the program then.
func expand(root *os.Root, args []string) ([]string, error) {
	look := &bounded{root: root, left: maxLooked}
	var out []string
	size, matched := 0, 0
	for _, arg := range args {
		found := match(look, arg)
		if found == nil {
			found = []string{arg}
		} else if matched += len(found); matched > maxMatches {
			return nil, tools.Fail(tools.ErrInvalidArguments, "the patterns match more than 1000 files; name fewer", nil)
		}
		for _, f := range found {
			size += len(f) + 1
		}
		if size > maxExpanded {
			return nil, tools.Fail(tools.ErrInvalidArguments, "with the files that the patterns match, the command is too long; name fewer", nil)
		}
		out = append(out, found...)
	}
	if look.left <= 0 {
		return nil, tools.Fail(tools.ErrInvalidArguments, "there are too many files to look at for the patterns; name fewer", nil)
	}
	return out, nil
}

// match gives the files that an argument stands for; nil where it stands for itself.
func match(look fs.FS, arg string) []string {
	pattern := strings.TrimPrefix(arg, "./")
	if !strings.ContainsAny(arg, "*?[") || !filepath.IsLocal(pattern) || slices.Contains(strings.Split(pattern, "/"), "..") {
		return nil
	}
	all, err := fs.Glob(look, pattern)
	if err != nil {
		return nil // no pattern after all
	}
	var found []string
	for _, name := range all {
		switch {
		case hiddenBy(pattern, name):
		case strings.HasPrefix(name, "-") || strings.HasPrefix(arg, "./"):
			found = append(found, "./"+name) // so that a file's name cannot be an option
		default:
			found = append(found, name)
		}
	}
	slices.Sort(found)
	return found
}

// hiddenBy says whether a name has a leading dot that its pattern does not write.
func hiddenBy(pattern, name string) bool {
	p, n := strings.Split(pattern, "/"), strings.Split(name, "/")
	for i := range n {
		if strings.HasPrefix(n[i], ".") && (i >= len(p) || !strings.HasPrefix(p[i], ".")) {
			return true
		}
	}
	return false
}

var errTooMany = errors.New("too many files")

// bounded reads folders until it has seen enough.
type bounded struct {
	root *os.Root
	left int
}

// Open implements [fs.FS]; patterns need folders alone.
func (b *bounded) Open(name string) (fs.File, error) {
	f, _, err := openat.LinkedFolder(b.root, name)
	return f, err
}

// Stat implements [fs.StatFS].
func (b *bounded) Stat(name string) (fs.FileInfo, error) { return b.root.Stat(name) }

// ReadDir implements [fs.ReadDirFS].
func (b *bounded) ReadDir(name string) ([]fs.DirEntry, error) {
	if b.left <= 0 {
		return nil, errTooMany
	}
	f, _, err := openat.LinkedFolder(b.root, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	entries, err := f.ReadDir(b.left)
	b.left -= len(entries) + 1
	return entries, err
}
