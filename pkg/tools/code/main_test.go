package code_test

import (
	"testing"

	"go.uber.org/goleak"

	"parley/pkg/sandbox"
)

func TestMain(m *testing.M) {
	sandbox.Main()
	goleak.VerifyTestMain(m)
}
