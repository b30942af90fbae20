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

// victim is the first argument of a process that plays a part in a test, which the
// second one names: the workspace of a run during which it is killed, asking, or
// making sockets in a sandbox, or holding memory there.
const (
	victim  = "victim"
	asking  = "asking"
	making  = "making"
	holding = "holding"
)

func TestMain(m *testing.M) {
	sandbox.Main()
	if len(os.Args) < 3 || os.Args[1] != victim {
		goleak.VerifyTestMain(m)
		return
	}
	if os.Args[2] == holding {
		hold(os.Args[3])
		return
	}
	if os.Args[2] == making {
		fmt.Fprintln(os.Stdout, sandbox.Sockets())
		return
	}
	box := sandbox.New(sandbox.Options{})
	if os.Args[2] == asking {
		fmt.Fprintln(os.Stdout, box.Available())
		return
	}
	_, err := box.Run(context.Background(), sandbox.Command{
		Path: "/bin/sh", Args: []string{"-c", lingering}, Workspace: os.Args[2], Writable: true, Timeout: time.Minute,
	})
	fmt.Fprintln(os.Stderr, err)
}

// lingering leaves a session of its own, with the pipe named alive open, and waits.
const lingering = `setsid sh -c 'exec 3>alive; echo begun >&3; sleep 100' & sleep 100`
