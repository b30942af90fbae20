package parley_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// The limits of sizes. A count above its limit stands in testdata/ceilings.txt.
const (
	maxMethods          = 25   // of a type, with those that types of ours in it promote
	maxFields           = 20   // of a struct, an embedded one being one
	maxInterfaceMethods = 10   // of an interface, with those of interfaces in it
	maxProductFunction  = 60   // lines with code of a function of the product
	maxPackageLines     = 3200 // of a product package, comments and blank lines included
	maxLineLength       = 140  // characters of a line of Go, a tab being one; raw strings excepted
)

// size is one count that stands above its limit.
type size struct {
	kind, name string
	count      int
	limit      int
}

// TestStyleSizes keeps types, interfaces, packages and lines small.
func TestStyleSizes(t *testing.T) {
	t.Parallel()
	tree := os.DirFS(".")
	found := slices.Concat(roomSizes(productRooms(t)), longFunctions(t, tree), packageSizes(t, tree), longLines(t, tree))
	keepCeilings(t, found, "methods", "fields", "interface", "function", "package", "lines")
}

// TestStyleSizesFindsViolations plants things that are one above each limit.
func TestStyleSizesFindsViolations(t *testing.T) {
	t.Parallel()
	methods := func(name string, n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "func (%s) %s%d() {}\n", name, name, i)
		}
		return b.String()
	}
	fields := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "\tf%d int\n", i)
		}
		return b.String()
	}
	signatures := func(name string, n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "\t%s%d()\n", name, i)
		}
		return b.String()
	}
	for name, c := range map[string]struct {
		source string
		want   []size
	}{
		"at the limits": {
			"type t struct {\n" + fields(20) + "}\n" + methods("t", 25) + "type i interface {\n" + signatures("m", 10) + "}\n",
			nil,
		},
		"many methods": {"type t int\n" + methods("t", 26), []size{{"methods", "pkg/p.t", 26, 25}}},
		"many fields":  {"type t struct {\n" + fields(21) + "}\n", []size{{"fields", "pkg/p.t", 21, 20}}},
		"promoted methods": {
			"type u int\n" + methods("u", 20) + "type t struct { *u }\n" + methods("t", 6),
			[]size{{"methods", "pkg/p.t", 26, 25}},
		},
		"embedded fields":   {"type u struct {\n" + fields(20) + "}\ntype t struct { u; own int }\n", nil},
		"a large interface": {"type t interface {\n" + signatures("m", 11) + "}\n", []size{{"interface", "pkg/p.t", 11, 10}}},
		"embedded interface": {
			"type u interface {\n" + signatures("m", 6) + "}\ntype t interface {\n\tu\n" + signatures("n", 5) + "}\n",
			[]size{{"interface", "pkg/p.t", 11, 10}},
		},
		"another's methods": {"import \"strings\"\n\ntype t struct { *strings.Reader; b strings.Builder }\n" + methods("t", 20), nil},
		"a generic type": {
			"type t[T any] struct { v T }\n" + strings.ReplaceAll(methods("t", 26), "(t)", "(t[T])"),
			[]size{{"methods", "pkg/p.t", 26, 25}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := roomSizes([]*room{plant(t, "pkg/p", map[string]string{"a.go": "package p\n\n" + c.source})})
			if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(size{})); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestStyleLinesFindsViolations(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ä", maxLineLength-len("package p //")+1)
	raw := "package p\n\nconst c = `\n" + strings.Repeat("x", maxLineLength+1) + "\n" + strings.Repeat("y", maxLineLength+1) + "`\n"
	package3200 := "package p\n" + strings.Repeat("\n", maxPackageLines-1)
	tree := fstest.MapFS{
		"pkg/a/a.go":              {Data: []byte("package p //" + long[len("ä"):] + "\n")},
		"pkg/b/a_test.go":         {Data: []byte("package p" + strings.Repeat("\n//"+long+long, 21) + "\n")},
		"pkg/c/a.go":              {Data: []byte(raw)},
		"pkg/d/a.go":              {Data: []byte(strings.ReplaceAll(raw, "y`", "y` + \""+long+long+"\""))},
		"pkg/e/a.go":              {Data: []byte(package3200)},
		"pkg/f/a.go":              {Data: []byte(package3200 + "\n")},
		"pkg/g/a.go":              {Data: []byte(package3200)},
		"pkg/g/a_test.go":         {Data: []byte("package p\n")},
		"pkg/g/gtest/a.go":        {Data: []byte(package3200 + "\n")},
		"internal/test/rig/a.go":  {Data: []byte(package3200 + "\n")},
		"internal/test/rig/b.txt": {Data: []byte(long)},
		"pkg/h/a.go":              {Data: []byte("package p\n\nfunc f() {\n" + statements(61) + "}\n\nfunc g() {\n" + statements(60) + "}\n")},
		"pkg/h/a_test.go":         {Data: []byte("package p\n\nfunc h() {\n" + statements(61) + "}\n")},
	}
	want := []size{
		{"function", "pkg/h.f", 61, 60},
		{"package", "pkg/f", 3300, 3200},
		{"lines", "product", 20, 0},
		{"lines", "rest", 40, 0},
	}
	got := slices.Concat(longFunctions(t, tree), packageSizes(t, tree), longLines(t, tree))
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(size{})); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func statements(n int) string { return strings.Repeat("\t_ = 1\n", n) }

// roomSizes are the types and interfaces above their limits, in order.
func roomSizes(rooms []*room) []size {
	var found []size
	report := func(kind, name string, count, limit int) {
		if count > limit {
			found = append(found, size{kind, name, count, limit})
		}
	}
	for _, r := range rooms {
		scope := r.types.Scope()
		for _, name := range scope.Names() {
			object, isType := scope.Lookup(name).(*types.TypeName)
			if !isType || object.IsAlias() {
				continue
			}
			full := r.dir + "." + name
			switch under := object.Type().Underlying().(type) {
			case *types.Interface:
				report("interface", full, under.NumMethods(), maxInterfaceMethods)
				continue
			case *types.Struct:
				report("fields", full, under.NumFields(), maxFields)
			}
			report("methods", full, countMethods(object.Type()), maxMethods)
		}
	}
	return found
}

func countMethods(of types.Type) int {
	count := 0
	for m := range types.NewMethodSet(types.NewPointer(of)).Methods() {
		if isOurs(m.Obj()) {
			count++
		}
	}
	return count
}

func isOurs(object types.Object) bool {
	return object.Pkg() != nil && strings.HasPrefix(object.Pkg().Path(), module+"/")
}

// longFunctions are the product's functions above their limit, in order.
func longFunctions(t *testing.T, tree fs.FS) []size {
	t.Helper()
	var found []size
	for _, name := range goFiles(t, tree) {
		dir := path.Dir(name)
		if !isProduct(dir) || strings.HasSuffix(name, "_test.go") {
			continue
		}
		source := read(t, tree, name)
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, source, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		code := codeLines(source)
		for _, decl := range file.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			if n := bodyLines(fset, fn, code); n > maxProductFunction {
				found = append(found, size{"function", dir + "." + fn.Name.Name, n, maxProductFunction})
			}
		}
	}
	return sorted(found)
}

// packageSizes are the product packages above their limit, in order, in full
// hundreds of lines: a ceiling leaves room for a line, and is lowered now and then.
func packageSizes(t *testing.T, tree fs.FS) []size {
	t.Helper()
	lines := map[string]int{}
	for _, name := range goFiles(t, tree) {
		if isProduct(path.Dir(name)) && !strings.HasSuffix(name, "_test.go") {
			lines[path.Dir(name)] += bytes.Count(read(t, tree, name), []byte("\n"))
		}
	}
	var found []size
	for dir, n := range lines {
		if n > maxPackageLines {
			found = append(found, size{"package", dir, (n + 99) / 100 * 100, maxPackageLines})
		}
	}
	return sorted(found)
}

// longLines counts the lines of Go that are too long, of the product and of the
// rest, in full twenties: so code moves between folders without a new count.
func longLines(t *testing.T, tree fs.FS) []size {
	t.Helper()
	lines := map[string]int{}
	for _, name := range goFiles(t, tree) {
		part := "rest"
		if isProduct(path.Dir(name)) && !strings.HasSuffix(name, "_test.go") {
			part = "product"
		}
		for line := range bytes.Lines(withoutRaw(read(t, tree, name))) {
			if utf8.RuneCount(bytes.TrimSuffix(line, []byte("\n"))) > maxLineLength {
				lines[part]++
			}
		}
	}
	var found []size
	for part, n := range lines {
		found = append(found, size{"lines", part, (n + 19) / 20 * 20, 0})
	}
	return sorted(found)
}

// withoutRaw empties the raw strings of a source and leaves its lines.
func withoutRaw(source []byte) []byte {
	fset := token.NewFileSet()
	file := fset.AddFile("", fset.Base(), len(source))
	var s scanner.Scanner
	s.Init(file, source, nil, 0)
	var left []byte
	done := 0
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			return append(left, source[done:]...)
		}
		if tok == token.STRING && lit[0] == '`' {
			begin := file.Offset(pos)
			left = append(left, source[done:begin]...)
			left = append(left, strings.Repeat("\n", strings.Count(lit, "\n"))...)
			done = begin + len(lit)
		}
	}
}

func sorted(found []size) []size {
	slices.SortFunc(found, func(a, b size) int { return strings.Compare(a.name, b.name) })
	return found
}

func read(t *testing.T, tree fs.FS, name string) []byte {
	t.Helper()
	text, err := fs.ReadFile(tree, name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
