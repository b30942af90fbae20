package parley_test

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// TestEveryFolderIsOnTheMap holds ARCHITECTURE.md against the tree: its map has a row for
// each folder of Go files, and each path in its tables exists.
func TestEveryFolderIsOnTheMap(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range mapViolations(t, string(text), os.DirFS(".")) {
		t.Error(v)
	}
}

// TestEveryMapViolationIsFound plants violations of the rules.
func TestEveryMapViolationIsFound(t *testing.T) {
	t.Parallel()
	tree := fstest.MapFS{
		"pkg/a/a.go": {}, "pkg/a/b/b.go": {}, "pkg/a/internal/c/c.go": {}, "internal/x/x_test.go": {}, "internal/x/y/y.go": {},
	}
	row := func(cells ...string) string { return "| " + strings.Join(cells, " | ") + " |\n" }
	good := row("`pkg/a`", "x") + row("`pkg/a/internal/*`", "x") + row("`internal/x`", "x")
	b := row("`pkg/a/b`", "x")
	for name, c := range map[string]struct {
		doc  string
		want []string
	}{
		"good":             {good + b + row("`pkg/a/a.go`, `b/b.go`", "calls `a.go`"), nil},
		"a folder lacks":   {good, []string{"ARCHITECTURE.md: the map has no row for pkg/a/b"}},
		"a file is gone":   {good + b + row("`pkg/a/gone.go`", "x"), []string{"ARCHITECTURE.md:5: there is no pkg/a/gone.go"}},
		"a part is gone":   {good + b + row("`pkg/a/a.go`, `b/gone.go`", "x"), []string{"ARCHITECTURE.md:5: there is no b/gone.go"}},
		"a folder is gone": {good + b + row("`pkg/gone`", "x"), []string{"ARCHITECTURE.md:5: there is no pkg/gone"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, mapViolations(t, c.doc, tree)); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

var (
	mapRow  = regexp.MustCompile("^\\| `((?:cmd|internal|pkg|workspace)[^`]*)`")
	mapPath = regexp.MustCompile("`((?:[a-z0-9_]+/)*[a-z0-9_]+(?:\\.go|/)?)`")
)

// mapViolations lists the folders of Go files without a row, and the paths of rows that
// the tree lacks. A row for internal/NAME, or for FOLDER/*, stands for all below it.
func mapViolations(t *testing.T, doc string, tree fs.FS) []string {
	t.Helper()
	var found []string
	rows := map[string]bool{}
	for n, line := range strings.Split(doc, "\n") {
		row := mapRow.FindStringSubmatch(line)
		if row == nil {
			continue
		}
		rows[row[1]] = true
		found = append(found, missingPaths(n+1, row[1], line, tree)...)
	}
	for _, folder := range codeFolders(t, tree) {
		if !onMap(folder, rows) {
			found = append(found, "ARCHITECTURE.md: the map has no row for "+folder)
		}
	}
	return found
}

// missingPaths lists the paths in the first cell of a row, and the files in the others,
// that the tree lacks. They begin at the root or in the folder of the row's first path.
func missingPaths(n int, first, line string, tree fs.FS) []string {
	base := strings.TrimSuffix(first, "/*")
	if path.Ext(base) == ".go" {
		base = path.Dir(base)
	}
	var found []string
	cells := strings.SplitN(line, "|", 3)
	for i, cell := range cells[1:] {
		for _, m := range mapPath.FindAllStringSubmatch(cell, -1) {
			if i > 0 && path.Ext(m[1]) != ".go" {
				continue // another room, or a word
			}
			if !exists(tree, m[1]) && !exists(tree, path.Join(base, m[1])) {
				found = append(found, fmt.Sprintf("ARCHITECTURE.md:%d: there is no %s", n, m[1]))
			}
		}
	}
	return found
}

func exists(tree fs.FS, name string) bool {
	_, err := fs.Stat(tree, path.Clean(name))
	return err == nil
}

// codeFolders are the folders of Go files, in order, tests of the whole tree aside.
func codeFolders(t *testing.T, tree fs.FS) []string {
	t.Helper()
	var all []string
	for _, name := range goFiles(t, tree) {
		folder := path.Dir(name)
		if folder != "." && !strings.Contains(folder, "testdata") && !slices.Contains(all, folder) {
			all = append(all, folder)
		}
	}
	return all
}

func onMap(folder string, rows map[string]bool) bool {
	if rows[folder] || rows[path.Dir(folder)+"/*"] {
		return true
	}
	parts := strings.Split(folder, "/")
	for n := 2; n <= 3 && n < len(parts); n++ {
		if parts[0] == "internal" && rows[path.Join(parts[:n]...)] {
			return true
		}
	}
	return false
}
