package tooldocs_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"parley/internal/tools/tooldocs"
)

func TestCompare(t *testing.T) {
	t.Parallel()
	pages := map[string]string{"a.md": "A", "b.md": "B", "c.md": "C"}
	got, err := tooldocs.Compare(fstest.MapFS{
		"a.md": {Data: []byte("A")}, "b.md": {Data: []byte("another")}, "d.md": {Data: []byte("D")}, "e.txt": {},
	}, pages)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(got)
	if diff := cmp.Diff([]string{"b.md is not what the code says", "c.md is not there", "d.md is of no tool"}, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestWrite(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "tools")
	for _, pages := range []map[string]string{{"a.md": "A", "b.md": "B"}, {"b.md": "another"}} {
		if err := tooldocs.Write(dir, pages); err != nil {
			t.Fatal(err)
		}
		if found, err := tooldocs.Compare(os.DirFS(dir), pages); err != nil || len(found) > 0 {
			t.Errorf("%v, %v", found, err)
		}
	}
}
