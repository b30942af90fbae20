//go:build linux

package sandbox_test

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"

	"parley/pkg/sandbox"
)

// victim names, in the environment, the part that a process of a test plays: a
// gateway that will be killed, or one that may have no sandbox.
const victim = "SANDBOX_TEST_VICTIM"

func TestMain(m *testing.M) {
	sandbox.Main()
	switch part := os.Getenv(victim); part {
	case "":
		goleak.VerifyTestMain(m, goleak.Cleanup(os.Exit))
	case "available":
		fmt.Println(sandbox.New(sandbox.Options{}).Available())
	default:
		_, err := sandbox.New(sandbox.Options{Unsafe: os.Args[1] == "unsafe"}).Run(context.Background(), sandbox.Command{
			Path: "/bin/sh", Args: []string{"-c", lingering}, Workspace: part, Writable: true, Timeout: time.Minute,
		})
		fmt.Fprintln(os.Stderr, err)
	}
}

// lingering leaves a session of its own, with the pipe named alive open, and waits.
const lingering = `setsid sh -c 'exec 3>alive; echo begun >&3; sleep 100' & sleep 100`
