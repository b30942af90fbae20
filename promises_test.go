package parley_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"testing"

	"parley/internal/tools/promises"
)

const promisesFile = "docs/promises.md"

// TestPromisesNameTests fails for a promise whose test does not exist. What a
// run of the tests then shows of each is printed at the end of make test and make check.
func TestPromisesNameTests(t *testing.T) {
	t.Parallel()
	for _, row := range promiseRows(t) {
		for _, ref := range row.Tests {
			if !hasTest(t, ref) {
				t.Errorf("%s:%d: %s: there is no test %s", promisesFile, row.Line, row.ID, ref)
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

func promiseRows(t *testing.T) []promises.Row {
	t.Helper()
	doc, err := os.Open(promisesFile)
	if err != nil {
		t.Fatal(err)
	}
	defer doc.Close()
	rows, err := promises.Parse(doc)
	if err != nil {
		t.Fatalf("%s:\n%v", promisesFile, err)
	}
	return rows
}

func hasTest(t *testing.T, ref promises.Ref) bool {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(ref.Dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == ref.Test {
				return true
			}
		}
	}
	return false
}
