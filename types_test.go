package parley_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// room is one package of the product with its types.
type room struct {
	dir   string // pkg/agent
	fset  *token.FileSet
	files []*ast.File
	types *types.Package
	info  *types.Info
}

// product is the tree's product code: all that is built into the gateway or that
// extensions build upon, without tests and without the conformance suites.
var product = sync.OnceValues(loadProduct)

func productRooms(t *testing.T) []*room {
	t.Helper()
	rooms, err := product()
	if err != nil {
		t.Fatal(err)
	}
	return rooms
}

// isProduct tells product code from fakes, harnesses, suites and the tools of the tree.
func isProduct(dir string) bool {
	top, below, _ := strings.Cut(dir, "/")
	switch top {
	case "pkg", "cmd":
		return !strings.HasSuffix(dir, "test") // sessiontest and its like
	case "workspace":
		return true
	}
	return top == "internal" && below == "failpoint"
}

type listed struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
}

func loadProduct() ([]*room, error) {
	ctx, cancel := context.WithTimeout(context.Background(), buildLimit)
	defer cancel()
	exports, ours, err := listPackages(ctx, "./cmd/...", "./pkg/...", "./workspace/...", "./internal/failpoint")
	if err != nil {
		return nil, err
	}
	check := newChecker(exports)
	here, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	var rooms []*room
	for _, p := range ours {
		dir, err := filepath.Rel(here, p.Dir)
		if err != nil {
			return nil, err
		}
		dir = filepath.ToSlash(dir)
		if !isProduct(dir) {
			continue
		}
		sources := map[string][]byte{}
		for _, name := range p.GoFiles {
			source, err := os.ReadFile(filepath.Join(p.Dir, name))
			if err != nil {
				return nil, err
			}
			sources[path.Join(dir, name)] = source
		}
		r, err := check.room(p.ImportPath, dir, sources)
		if err != nil {
			return nil, err
		}
		rooms = append(rooms, r)
	}
	return rooms, nil
}

// listPackages asks the go command for the packages of the patterns and for the
// export data of all that they are built from.
func listPackages(ctx context.Context, patterns ...string) (exports map[string]string, ours []listed, err error) {
	args := append([]string{"list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles"}, patterns...)
	cmd := exec.CommandContext(ctx, "go", args...)
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err != nil {
		return nil, nil, fmt.Errorf("go list: %w\n%s", err, complaints.Bytes())
	}
	exports = map[string]string{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		switch err := d.Decode(&p); {
		case errors.Is(err, io.EOF):
			return exports, ours, nil
		case err != nil:
			return nil, nil, err
		}
		exports[p.ImportPath] = p.Export
		if strings.HasPrefix(p.ImportPath, module+"/") {
			ours = append(ours, p)
		}
	}
}

// checker reads sources with the types of all that they import.
type checker struct {
	fset     *token.FileSet
	importer types.Importer
}

func newChecker(exports map[string]string) *checker {
	fset := token.NewFileSet()
	return &checker{fset, importer.ForCompiler(fset, "gc", func(imported string) (io.ReadCloser, error) {
		if exports[imported] == "" {
			return nil, fmt.Errorf("no export data for %s", imported)
		}
		return os.Open(exports[imported])
	})}
}

func (c *checker) room(importPath, dir string, sources map[string][]byte) (*room, error) {
	r := &room{dir: dir, fset: c.fset, info: &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{},
		Uses:  map[*ast.Ident]types.Object{},
	}}
	names := make([]string, 0, len(sources))
	for name := range sources {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		file, err := parser.ParseFile(c.fset, name, sources[name], parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		r.files = append(r.files, file)
	}
	var err error
	r.types, err = (&types.Config{Importer: c.importer}).Check(importPath, c.fset, r.files, r.info)
	return r, err
}

// plant makes a room from sources that may import a few packages.
func plant(t *testing.T, dir string, sources map[string]string) *room {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), buildLimit)
	defer cancel()
	exports, _, err := listPackages(ctx, "strings", "errors", "os/exec", "./pkg/gateway/admin")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for name, source := range sources {
		files[path.Join(dir, name)] = []byte(source)
	}
	r, err := newChecker(exports).room(module+"/"+dir, dir, files)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
