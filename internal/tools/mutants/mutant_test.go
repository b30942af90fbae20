package mutants_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/tools/mutants"
	"parley/internal/tools/promises"
)

// limit is more than any of the small tests here needs on a busy machine.
const limit = time.Minute

// TestRun judges mutants of a small module.
func TestRun(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module small\n\ngo 1.26\n",
		"a/a.go": "package a\n\nfunc Double(n int) int { return 2 * n }\n\nfunc Half(n int) int { return n / 2 }\n",
		"a/a_test.go": "package a\n\nimport \"testing\"\n\nfunc TestDouble(t *testing.T) {\n\tif Double(2) != 4 {\n" +
			"\t\tt.Error(\"no\")\n\t}\n}\n\nfunc TestRed(t *testing.T) { t.Error(\"red\") }\n",
		"b/main.go": "package main\n\nfunc main() { println(1) }\n",
		"c/c_test.go": "package c\n\nimport (\n\t\"os/exec\"\n\t\"testing\"\n)\n\nfunc TestBuilds(t *testing.T) {\n" +
			"\tif err := exec.Command(\"go\", \"build\", \"-o\", t.TempDir(), \"../b\").Run(); err != nil {\n\t\tt.Error(err)\n" +
			"\t}\n}\n",
		".git/config": "not copied",
	} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	mutant := func(defect, old, replacement, test string) mutants.Mutant {
		return mutants.Mutant{Promise: "R0", Defect: defect, File: "a/a.go", Old: old, New: replacement, Dir: "a", Test: test}
	}
	list := []mutants.Mutant{
		mutant("seen", "2 * n", "3 * n", "^TestDouble$"),
		mutant("panics", "return 2 * n", "panic(n)", "^TestDouble$"),
		mutant("unseen", "n / 2", "n / 3", "^TestDouble$"),
		mutant("stale", "4 * n", "3 * n", "^TestDouble$"),
		mutant("ambiguous", "func ", "func", "^TestDouble$"),
		mutant("no code", "2 * n", "2 * m", "^TestDouble$"),
		mutant("no test", "2 * n", "3 * n", "^TestTriple$"),
		mutant("red anyway", "2 * n", "3 * n", "^TestRed$"),
		{Promise: "R0", Defect: "built by a test", File: "b/main.go", Old: "1", New: "one", Dir: "c", Test: "^TestBuilds$"},
		{Promise: "R0", Defect: "no file", File: "a/b.go", Old: "x", New: "y", Dir: "a", Test: "^TestDouble$"},
	}
	want := map[string]mutants.Verdict{
		"seen": mutants.Killed, "panics": mutants.Killed, "unseen": mutants.Survived,
		"stale": mutants.Failed, "ambiguous": mutants.Failed, "no code": mutants.Failed,
		"built by a test": mutants.Failed, "no test": mutants.Failed, "red anyway": mutants.Failed, "no file": mutants.Failed,
	}
	for _, workers := range []int{1, 2} {
		scratch := t.TempDir()
		got := map[string]mutants.Verdict{}
		r := mutants.Runner{Root: root, Scratch: scratch, Workers: workers, Limit: limit}
		if err := r.Run(t.Context(), list, func(r mutants.Result) { got[r.Mutant.Defect] = r.Verdict }); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%d workers: -want +got\n%s", workers, diff)
		}
		if _, err := os.Stat(filepath.Join(scratch, "0", ".git")); err == nil {
			t.Error(".git was copied")
		}
	}
}

// TestTheLimitIsNoKill tells a test that hangs from one that finds the defect.
func TestTheLimitIsNoKill(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":    "module small\n\ngo 1.26\n",
		"a.go":      "package a\n\nfunc Wait(c chan int) { <-c }\n",
		"a_test.go": "package a\n\nimport \"testing\"\n\nfunc TestWait(*testing.T) {\n\tc := make(chan int, 1)\n\tc <- 1\n\tWait(c)\n}\n",
	} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	mutant := mutants.Mutant{Promise: "R0", Defect: "hangs", File: "a.go", Old: "<-c ", New: "<-c; <-c ", Dir: ".", Test: "^TestWait$"}
	got := map[string]mutants.Verdict{}
	r := mutants.Runner{Root: root, Scratch: t.TempDir(), Workers: 1, Limit: 5 * time.Second}
	if err := r.Run(t.Context(), []mutants.Mutant{mutant}, func(r mutants.Result) { got[r.Mutant.Defect] = r.Verdict }); err != nil {
		t.Fatal(err)
	}
	want := map[string]mutants.Verdict{"hangs": mutants.TimedOut}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestRunEndsWithItsContext(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "a.go"), []byte("package a\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	list := []mutants.Mutant{{File: "a.go", Old: "package a", New: "package b", Dir: ".", Test: "."}}
	r := mutants.Runner{Root: root, Scratch: t.TempDir(), Workers: 1, Limit: limit}
	err := r.Run(ctx, list, func(r mutants.Result) {
		if r.Verdict != mutants.Left {
			t.Errorf("got %s after the context's end", r.Verdict)
		}
	})
	if err != nil {
		t.Error(err)
	}
}

// TestListFitsTheTree finds mutants that the code has moved away from.
func TestListFitsTheTree(t *testing.T) {
	t.Parallel()
	const root = "../../.."
	doc, err := os.Open(filepath.Join(root, filepath.FromSlash(promises.File)))
	if err != nil {
		t.Fatal(err)
	}
	defer doc.Close()
	parts, err := promises.Parse(doc)
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for _, m := range mutants.List() {
		named[m.Promise] = true
		text, err := os.ReadFile(filepath.Join(root, m.File))
		if err != nil {
			t.Error(err)
			continue
		}
		if _, err := m.Apply(string(text)); err != nil {
			t.Errorf("%s (%s): %v", m.Promise, m.Defect, err)
		}
	}
	for _, row := range promises.Rows(parts) {
		// The promises proper; crash points, faults and hostile input are their cases.
		if strings.HasPrefix(row.ID, "R") && !named[row.ID] {
			t.Errorf("no mutant breaks %s", row.ID)
		}
		delete(named, row.ID)
	}
	for promise := range named {
		t.Errorf("mutants break %s, which is no promise of %s", promise, promises.File)
	}
}
