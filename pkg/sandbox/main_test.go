//go:build linux

package sandbox_test

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"

	"parley/pkg/sandbox"
)

// victim is the first argument of a process that plays a part in a test, which the
// second one names: the workspace of a run during which it is killed, asking, or
// making sockets in a sandbox, holding memory or threads, sharing
// memory, listening there, or closing all files to itself.
const (
	victim    = "victim"
	asking    = "asking"
	making    = "making"
	holding   = "holding"
	threading = "threading"
	sharing   = "sharing"
	listening = "listening"
	closing   = "closing"
	waived    = "unsafe" // the third argument of a run without a sandbox
	// No test plays this one: the script that makes a machine with control groups for
	// the tests has no other way to set an attribute.
	delegating = "delegating"
)

// claimed are the control groups for runs, where one was delegated to this process.
var claimed struct {
	groups *sandbox.Groups
	err    error
}

func TestMain(m *testing.M) {
	sandbox.Main()
	if len(os.Args) < 3 || os.Args[1] != victim {
		claimed.groups, claimed.err = sandbox.Claim()
		goleak.VerifyTestMain(m)
		return
	}
	switch os.Args[2] {
	case holding:
		hold(os.Args[3])
		return
	case threading:
		manyThreads()
		return
	case sharing:
		share()
		return
	case delegating:
		if err := unix.Setxattr(os.Args[3], "user.delegate", []byte("1"), 0); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		return
	case listening:
		listen(os.Args[3])
		return
	case closing:
		closeFiles()
		return
	case making:
		fmt.Fprintln(os.Stdout, sandbox.Sockets())
		return
	}
	unsafe, script := len(os.Args) > 3 && os.Args[3] == waived, lingering
	if unsafe {
		script = `sh -c 'exec 3>alive; echo begun >&3; sleep 20; : >survived' & sleep 100`
	}
	box := sandbox.New(sandbox.Options{Unsafe: unsafe})
	if os.Args[2] == asking {
		fmt.Fprintln(os.Stdout, box.Available())
		return
	}
	_, err := box.Run(context.Background(), sandbox.Command{
		Path: "/bin/sh", Args: []string{"-c", script}, Workspace: os.Args[2], Writable: true, Timeout: time.Minute,
	})
	fmt.Fprintln(os.Stderr, err)
}

// lingering leaves a session of its own, with the pipe named alive open, and waits.
const lingering = `setsid sh -c 'exec 3>alive; echo begun >&3; sleep 100' & sleep 100`
