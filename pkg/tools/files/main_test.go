package files_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(writeForeverIn); dir != "" { //nolint:forbidigo // this is the process that is killed
		writeForever(dir)
	}
	goleak.VerifyTestMain(m)
}
