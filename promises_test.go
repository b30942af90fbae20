package parley_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"parley/internal/tools/mutants"
	"parley/internal/tools/promises"
)

// TestPromisesNameTests fails for a promise with a test that does not exist. The result
// of a run of the tests for each is printed at the end of make test and make check.
func TestPromisesNameTests(t *testing.T) {
	t.Parallel()
	for _, row := range promises.Rows(promiseParts(t)) {
		for _, ref := range row.Tests {
			if !hasTest(t, ref) {
				t.Errorf("%s: %s: there is no test %s", promises.File, row.ID, ref)
			}
		}
	}
}

func TestHasTest(t *testing.T) {
	t.Parallel()
	for ref, want := range map[promises.Ref]bool{
		{Dir: ".", Test: "TestHasTest"}:                     true,
		{Dir: ".", Test: "TestHasTes"}:                      false,
		{Dir: "internal/tools/promises", Test: "TestParse"}: true,
		{Dir: "internal/tools/promises", Test: "Parse"}:     false,
		{Dir: "internal/no-such-room", Test: "TestParse"}:   false,
	} {
		if got := hasTest(t, ref); got != want {
			t.Errorf("hasTest(%s) = %v, want %v", ref, got, want)
		}
	}
}

// TestPromisesPage fails when the page for people is not made from the file.
func TestPromisesPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(promises.Page)
	if err != nil {
		t.Fatal(err)
	}
	if string(page) != promises.Write(promiseParts(t), mutants.Counts()) {
		t.Errorf("%s is not made from %s and the list of mutants as they are: run make docs, or go run ./internal/tools/promises/write",
			promises.Page, promises.File)
	}
}

func promiseParts(t *testing.T) []promises.Part {
	t.Helper()
	doc, err := os.Open(promises.File)
	if err != nil {
		t.Fatal(err)
	}
	defer doc.Close()
	parts, err := promises.Parse(doc)
	if err != nil {
		t.Fatalf("%s:\n%v", promises.File, err)
	}
	return parts
}

func hasTest(t *testing.T, ref promises.Ref) bool {
	t.Helper()
	names, err := testsOf(ref.Dir)
	if err != nil {
		t.Fatal(err)
	}
	return names[ref.Test]
}

// testsOf are the names of the functions in the test files of a folder.
func testsOf(dir string) (map[string]bool, error) {
	read, _ := folders.LoadOrStore(dir, sync.OnceValues(func() (map[string]bool, error) {
		files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
		if err != nil {
			return nil, err
		}
		names := map[string]bool{}
		for _, name := range files {
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
			if err != nil {
				return nil, err
			}
			for _, decl := range file.Decls {
				if fn, ok := decl.(*ast.FuncDecl); ok && fn.Recv == nil {
					names[fn.Name.Name] = true
				}
			}
		}
		return names, nil
	}))
	return read.(func() (map[string]bool, error))()
}

// folders are the answers of testsOf so far.
var folders sync.Map
