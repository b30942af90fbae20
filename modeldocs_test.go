package parley_test

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/tools/modeldocs"
)

// TestModelPage compares the generated parts of docs/models.md with the code.
func TestModelPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(modeldocs.Page)
	if err != nil {
		t.Fatal(err)
	}
	want, err := modeldocs.Fill(t.Context(), string(page))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, string(page)); d != "" {
		t.Errorf("%s: run make docs (-code +page):\n%s", modeldocs.Page, d)
	}
}
