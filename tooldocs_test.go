package parley_test

import (
	"context"
	"os"
	"testing"

	"parley/internal/tools/tooldocs"
)

// TestToolPages compares docs/tools with the tools' annotations.
func TestToolPages(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), buildLimit)
	defer cancel()
	pages, err := tooldocs.Pages(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"README.md", "read_file.md", "send_file.md"} {
		if pages[name] == "" {
			t.Errorf("there is no page %s", name)
		}
	}
	found, err := tooldocs.Compare(os.DirFS(tooldocs.Dir), pages)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found {
		t.Errorf("%s/%s: run make docs", tooldocs.Dir, f)
	}
}
