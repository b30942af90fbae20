package toolset_test

import (
	"os"
	"testing"

	"parley/pkg/documents"
	"parley/pkg/sandbox"
)

// TestMain lets the tests run programs: the sandbox starts this binary again.
func TestMain(m *testing.M) {
	sandbox.Main()
	documents.Main()
	os.Exit(m.Run())
}
