package script

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"parley/pkg/openat"
	"parley/pkg/text"
)

// The right that the operator alone should have, and those that a program needs one of.
const worldWritable, executable fs.FileMode = 0o002, 0o111

// ValidName says whether a tool may have the name: 1 to 64 letters, digits, _ or -.
func ValidName(name string) bool {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-'
	}
	return name != "" && len(name) <= 64 && !strings.ContainsFunc(name, func(r rune) bool { return !plain(r) })
}

// openFolder opens a tool's folder, below which no link leads out. A faulty folder is
// an error.
func openFolder(dir string) (*os.Root, error) {
	for _, d := range []string{filepath.Dir(dir), dir} {
		info, err := os.Lstat(d)
		switch {
		case err != nil:
			return nil, fmt.Errorf("the folder cannot be read: %w", reason(err))
		case info.Mode()&fs.ModeSymlink != 0 && d == dir:
			return nil, errors.New("the folder is a symbolic link: put a real folder here")
		case info.Mode()&fs.ModeSymlink == 0 && info.Mode().Perm()&worldWritable != 0:
			return nil, fmt.Errorf("everybody may write the folder %s: chmod o-w", filepath.Base(d))
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("the folder cannot be read: %w", reason(err))
	}
	return root, nil
}

// inspect returns the fault of a file of the folder, or else its description.
func inspect(root *os.Root, name string) (fs.FileInfo, error) {
	info, err := root.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("there is no file %s", name)
	case err != nil:
		return nil, fmt.Errorf("%s cannot be read, or leads out of the folder: %w", name, reason(err))
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file", name)
	case info.Mode().Perm()&worldWritable != 0:
		return nil, fmt.Errorf("everybody may write %s: chmod o-w %s", name, name)
	}
	return info, nil
}

// inspectCommand is inspect for the executable.
func inspectCommand(root *os.Root, name string) (fs.FileInfo, error) {
	info, err := inspect(root, name)
	if err == nil && info.Mode()&executable == 0 {
		return nil, fmt.Errorf("%s is not executable: chmod u+x %s", name, name)
	}
	if err == nil && info.Mode()&(fs.ModeSetuid|fs.ModeSetgid) != 0 {
		return nil, fmt.Errorf("%s is setuid or setgid: chmod ug-s %s", name, name)
	}
	return info, err
}

// readManifest reads and checks the tool in a folder.
func readManifest(dir string) (*Manifest, error) {
	root, err := openFolder(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	info, err := inspect(root, manifestName)
	if err != nil {
		return nil, err
	}
	if info.Size() > maxManifest {
		return nil, fmt.Errorf("%s is larger than %d bytes", manifestName, maxManifest)
	}
	f, _, err := openat.Linked(root, manifestName)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", manifestName, reason(err))
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, maxManifest))
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", manifestName, reason(err))
	}
	m, err := parseManifest(strings.TrimPrefix(string(raw), "\ufeff"))
	if err != nil {
		return nil, err
	}
	if folder := filepath.Base(dir); m.Name != folder {
		return nil, fmt.Errorf("%s: the name is %s, and the folder's is %s: make them equal", manifestName, quote(m.Name), quote(folder))
	}
	_, err = inspectCommand(root, m.Command)
	return m, err
}

// reason is the system's word of an error, without the path that the sentence has.
func reason(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}

// quote shows a name of the operator's on one line, cut short.
func quote(s string) string { return text.Quote(s, 64) }

// visible is a name as a table can show it.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, s)
}

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
