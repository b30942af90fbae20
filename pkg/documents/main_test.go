package documents_test

import (
	"testing"

	"go.uber.org/goleak"

	"parley/pkg/documents"
	"parley/pkg/sandbox"
)

// TestMain lets the tests parse documents: the sandbox starts this binary again.
func TestMain(m *testing.M) {
	sandbox.Main()
	documents.Main()
	goleak.VerifyTestMain(m)
}
