package parley_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

const (
	maxFileLines     = 400 // lines with code, in every file
	maxFunctionLines = 80  // lines with code; a test may be longer, product code keeps to maxProductFunction
)

func TestStyle(t *testing.T) {
	t.Parallel()
	for _, v := range styleViolations(t, os.DirFS(".")) {
		t.Error(v)
	}
}

// TestStyleFindsViolations plants violations of the rules.
func TestStyleFindsViolations(t *testing.T) {
	t.Parallel()
	const doc = "// Package p is for this test.\npackage p\n"
	statements := strings.Repeat("\t_ = 1\n", maxFunctionLines+1)
	for name, c := range map[string]struct {
		files map[string]string
		want  []string
	}{
		"good":           {map[string]string{"p/doc.go": doc, "p/a.go": "package p\n\nfunc f() {\n\t// why\n}\n"}, nil},
		"no doc.go":      {map[string]string{"p/a.go": doc}, []string{"p: no doc.go"}},
		"no comment":     {map[string]string{"p/doc.go": "package p\n"}, []string{"p/doc.go: the comment does not begin with \"Package p\""}},
		"tests alone":    {map[string]string{"p/a_test.go": "package p_test\n"}, []string{"p: no doc.go"}},
		"a command":      {map[string]string{"p/main.go": "// Command p does.\npackage main\n"}, nil},
		"a bare command": {map[string]string{"p/main.go": "package main\n"}, []string{"p: no file begins with the comment \"Command p\""}},
		"init":           {map[string]string{"p/doc.go": doc, "p/a.go": "package p\n\nfunc init() {}\n"}, []string{"p/a.go:3: init"}},
		"a method init":  {map[string]string{"p/doc.go": doc, "p/a.go": "package p\n\ntype t int\n\nfunc (t) init() {}\n"}, nil},
		"a sleeping test": {
			map[string]string{"p/doc.go": doc, "p/a_test.go": "package p_test\n\nimport \"time\"\n\nfunc f() { time.Sleep(1) }\n"},
			[]string{"p/a_test.go:5: time.Sleep"},
		},
		"a long function": {
			map[string]string{"p/doc.go": doc, "p/a.go": "package p\n\nfunc f() {\n" + statements + "}\n"},
			[]string{"p/a.go:3: f has 81 lines of code, more than 80"},
		},
		"a long test": {map[string]string{"p/doc.go": doc, "p/a_test.go": "package p_test\n\nfunc f() {\n" + statements + "}\n"}, nil},
		"a long file": {
			map[string]string{"p/doc.go": doc, "p/a.go": "package p\n" + strings.Repeat("\nconst _ = 1\n// why\n", maxFileLines)},
			[]string{"p/a.go: 401 lines of code, more than 400"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tree := fstest.MapFS{}
			for name, source := range c.files {
				tree[name] = &fstest.MapFile{Data: []byte(source)}
			}
			if diff := cmp.Diff(c.want, styleViolations(t, tree)); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// TestNoMachinePaths keeps folders of one machine out of the files that everybody gets.
func TestNoMachinePaths(t *testing.T) {
	t.Parallel()
	tree := os.DirFS(".")
	for _, name := range files(t, tree) {
		text, err := fs.ReadFile(tree, name)
		if err != nil {
			t.Fatal(err)
		}
		for n, line := range strings.Split(string(text), "\n") {
			if found := machinePath(line); found != "" {
				t.Errorf("%s:%d: %s", name, n+1, found)
			}
		}
	}
}

func TestMachinePath(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"cd /ro" + "ot/x":               "/ro" + "ot/",
		"see /ho" + "me/ann/x":          "/ho" + "me/ann/",
		"`/Us" + "ers/ann/x`":           "/Us" + "ers/ann/",
		"/wo" + "rk/main":               "/wo" + "rk/",
		"https://a.example/wo" + "rk/1": "",
		"pkg/wo" + "rk/a.go":            "",
		"t.TempDir()":                   "",
	} {
		if got := machinePath(line); got != want {
			t.Errorf("machinePath(%q) = %q, want %q", line, got, want)
		}
	}
}

// machinePaths finds a folder of one machine that begins a path.
var machinePaths = regexp.MustCompile(`(?:^|[^A-Za-z0-9_.\-/~*}])(/(?:root|work|farm)/|/(?:home|Users)/\w+/)`)

func machinePath(line string) string {
	m := machinePaths.FindStringSubmatch(line)
	if m == nil {
		return ""
	}
	return m[1]
}

// pkgFiles are the files by which a folder is judged.
type pkgFiles struct {
	doc      *ast.File // doc.go
	command  bool
	comments []string // of the files of a command
}

func styleViolations(t *testing.T, tree fs.FS) []string {
	t.Helper()
	var found, dirs []string
	pkgs := map[string]*pkgFiles{}
	for _, name := range goFiles(t, tree) {
		source, err := fs.ReadFile(tree, name)
		if err != nil {
			t.Fatal(err)
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, source, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		dir := path.Dir(name)
		if pkgs[dir] == nil {
			pkgs[dir] = &pkgFiles{}
			dirs = append(dirs, dir)
		}
		pkgs[dir].add(name, file)
		code := codeLines(source)
		if n := len(code); n > maxFileLines {
			found = append(found, fmt.Sprintf("%s: %d lines of code, more than %d", name, n, maxFileLines))
		}
		found = append(found, functionViolations(fset, file, code)...)
	}
	for _, dir := range dirs {
		if v := pkgs[dir].violation(dir); v != "" {
			found = append(found, v)
		}
	}
	return found
}

func (p *pkgFiles) add(name string, file *ast.File) {
	if path.Base(name) == "doc.go" {
		p.doc = file
	}
	if file.Name.Name == "main" {
		p.command = true
		p.comments = append(p.comments, file.Doc.Text())
	}
}

func (p *pkgFiles) violation(dir string) string {
	if p.command {
		begin := "Command " + path.Base(dir)
		for _, c := range p.comments {
			if strings.HasPrefix(c, begin+" ") {
				return ""
			}
		}
		return fmt.Sprintf("%s: no file begins with the comment %q", dir, begin)
	}
	if p.doc == nil {
		return dir + ": no doc.go"
	}
	if begin := "Package " + p.doc.Name.Name; !strings.HasPrefix(p.doc.Doc.Text(), begin+" ") {
		return fmt.Sprintf("%s: the comment does not begin with %q", path.Join(dir, "doc.go"), begin)
	}
	return ""
}

func functionViolations(fset *token.FileSet, file *ast.File, code map[int]bool) []string {
	var found []string
	name := fset.Position(file.Pos()).Filename
	report := func(pos token.Pos, format string, args ...any) {
		found = append(found, fmt.Sprintf("%s:%d: %s", name, fset.Position(pos).Line, fmt.Sprintf(format, args...)))
	}
	for _, decl := range file.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue
		}
		if fn.Name.Name == "init" && fn.Recv == nil {
			report(fn.Pos(), "init")
		}
		if lines := bodyLines(fset, fn, code); lines > maxFunctionLines && !strings.HasSuffix(name, "_test.go") {
			report(fn.Pos(), "%s has %d lines of code, more than %d", fn.Name.Name, lines, maxFunctionLines)
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok && sel.Sel.Name == "Sleep" {
			if x, ok := sel.X.(*ast.Ident); ok && x.Name == "time" {
				report(sel.Pos(), "time.Sleep")
			}
		}
		return true
	})
	return found
}

// bodyLines counts the lines of code between a function's braces.
func bodyLines(fset *token.FileSet, fn *ast.FuncDecl, code map[int]bool) int {
	lines := 0
	for l := fset.Position(fn.Body.Lbrace).Line + 1; l < fset.Position(fn.Body.Rbrace).Line; l++ {
		if code[l] {
			lines++
		}
	}
	return lines
}

// codeLines are the lines that hold more than comments.
func codeLines(source []byte) map[int]bool {
	fset := token.NewFileSet()
	file := fset.AddFile("", fset.Base(), len(source))
	var s scanner.Scanner
	s.Init(file, source, nil, 0) // without ScanComments comments are left out
	lines := map[int]bool{}
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			return lines
		}
		if tok == token.SEMICOLON && lit == "\n" {
			continue
		}
		first := file.Line(pos)
		for l := range strings.Count(lit, "\n") + 1 { // a raw string has many lines
			lines[first+l] = true
		}
	}
}
