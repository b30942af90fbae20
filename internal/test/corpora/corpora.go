package corpora

import (
	"os"
	"path/filepath"
	"testing"
)

// Path is the path of a file or folder of test material, or the test is skipped.
func Path(tb testing.TB, elem ...string) string {
	tb.Helper()
	root := os.Getenv("PARLEY_CORPORA") //nolint:forbidigo // the folder of test material is the tester's to name
	if root == "" {
		tb.Skip("not run: PARLEY_CORPORA is not set")
	}
	return filepath.Join(append([]string{root}, elem...)...)
}

// Read gives a file of test material, or the test is skipped.
func Read(tb testing.TB, elem ...string) []byte {
	tb.Helper()
	b, err := os.ReadFile(Path(tb, elem...))
	if err != nil {
		tb.Fatal(err)
	}
	return b
}
