package files_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"

	"parley/pkg/documents"
	"parley/pkg/sandbox"
)

// TestMain lets the tests read documents: the sandbox starts this binary again.
func TestMain(m *testing.M) {
	sandbox.Main()
	documents.Main()
	if dir := os.Getenv(writeForeverIn); dir != "" { //nolint:forbidigo // this is the process that is killed
		writeForever(dir)
	}
	goleak.VerifyTestMain(m)
}
