package mutants_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/tools/mutants"
)

// TestLedgerGoesOnWhereARunEnded keeps verdicts, changes files, and looks at the due
// ones.
func TestLedgerGoesOnWhereARunEnded(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range []string{"a", "b", "c", "d", "e"} {
		write(dir+"/x.go", "package "+dir)
		write(dir+"/x_test.go", "package "+dir)
	}
	mutant := func(dir string) mutants.Mutant {
		return mutants.Mutant{Promise: "R0", Defect: dir, File: dir + "/x.go", Old: "p", New: "q", Dir: dir, Test: "^TestX$"}
	}
	list := []mutants.Mutant{mutant("a"), mutant("b"), mutant("c"), mutant("d"), mutant("e")}
	path := filepath.Join(root, "bin", "mutants.json")
	due := func(want []string, before int) {
		t.Helper()
		l, err := mutants.OpenLedger(path, root)
		if err != nil {
			t.Fatal(err)
		}
		got, n, err := l.Due(list)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, m := range got {
			names = append(names, m.Defect)
		}
		if diff := cmp.Diff(want, names); diff != "" || n != before {
			t.Errorf("%d killed before, want %d; due: -want +got\n%s", n, before, diff)
		}
	}
	due([]string{"a", "b", "c", "d", "e"}, 0)

	l, err := mutants.OpenLedger(path, root)
	if err != nil {
		t.Fatal(err)
	}
	for dir, v := range map[string]mutants.Verdict{
		"a": mutants.Killed, "b": mutants.Killed, "c": mutants.Survived, "d": mutants.Killed,
	} {
		if err := l.Note(mutants.Result{Mutant: mutant(dir), Verdict: v}); err != nil {
			t.Fatal(err)
		}
	}
	due([]string{"c", "e"}, 3)

	write("d/x_test.go", "package d // another test") // the test changed
	due([]string{"d", "c", "e"}, 2)
	write("a/x.go", "package a // another text") // the mutated file changed
	due([]string{"a", "d", "c", "e"}, 1)
	list[1].New = "r" // the mutant itself is another
	due([]string{"a", "d", "b", "c", "e"}, 0)

	write("bin/mutants.json", "{") // a run was ended while it wrote, on a disk that lost it
	due([]string{"a", "b", "c", "d", "e"}, 0)
}
