package sandbox_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"parley/pkg/sandbox"
)

// outside is a bound on what must not hang.
const outside = time.Minute

// newBox is a sandbox, where the system has one.
func newBox(t *testing.T, o sandbox.Options) sandbox.Runner {
	t.Helper()
	o.Groups = claimed.groups
	box := sandbox.New(o)
	if err := box.Available(); err != nil {
		t.Skipf("not run: %v", err)
	}
	return box
}

// sh is a command of the shell in a writable workspace.
func sh(dir, script string) sandbox.Command {
	return sandbox.Command{Path: "/bin/sh", Args: []string{"-c", script}, Workspace: dir, Writable: true, Timeout: outside}
}

func run(t *testing.T, box sandbox.Runner, c sandbox.Command) sandbox.Result {
	t.Helper()
	res, err := box.Run(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// untilDead makes the pipe alive in dir and waits until somebody began and nobody
// has it open any more; the channel gives the time.
func untilDead(t *testing.T, dir string) (begun <-chan struct{}, dead <-chan time.Time) {
	t.Helper()
	name := filepath.Join(dir, "alive")
	if err := syscall.Mkfifo(name, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(name, 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	b, d := make(chan struct{}), make(chan time.Time, 1)
	go func() {
		defer f.Close()
		line := make([]byte, len("begun\n"))
		for {
			if n, _ := f.Read(line); n > 0 {
				break
			}
			select {
			case <-t.Context().Done():
				return
			case <-time.After(time.Millisecond): // nobody writes yet
			}
		}
		close(b)
		for {
			if n, err := f.Read(line); n == 0 || err != nil {
				d <- time.Now()
				return
			}
		}
	}()
	return b, d
}

func wait[T any](t *testing.T, c <-chan T, what string) (v T) {
	t.Helper()
	select {
	case v = <-c:
	case <-time.After(outside):
		t.Fatalf("%s: it never came", what)
	}
	return v
}

// wantDead says that whoever holds the pipe was dead a second after since.
func wantDead(t *testing.T, dead <-chan time.Time, since time.Time) {
	t.Helper()
	if took := wait(t, dead, "the end of the child").Sub(since); took > time.Second {
		t.Errorf("the child lived %v longer", took)
	}
}

func TestSetsidChildIsDead(t *testing.T) {
	t.Parallel()
	box := newBox(t, sandbox.Options{})
	for name, script := range map[string]string{
		"at the limit": lingering,
		"at the end":   `setsid sh -c 'exec 3>alive; echo begun >&3; : >on; sleep 100' & while ! [ -e on ]; do :; done`,
		"double fork":  `(setsid nohup sh -c 'trap "" TERM HUP INT; exec 3>alive; echo begun >&3; while :; do sleep 1; done' >/dev/null 2>&1 &) & sleep 100`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			begun, dead := untilDead(t, dir)
			c := sh(dir, script)
			c.Timeout = 2 * time.Second
			if name == "at the end" {
				c.Timeout = outside
			}
			res := run(t, box, c)
			wait(t, begun, "the child")
			wantDead(t, dead, time.Now())
			if timedOut := name != "at the end"; res.TimedOut != timedOut ||
				timedOut && res.ExitCode != 137 || res.Duration > c.Timeout+time.Second {
				t.Errorf("timed out %v, exit code %d after %v", res.TimedOut, res.ExitCode, res.Duration)
			}
		})
	}
}

func TestCancelEndsEverything(t *testing.T) {
	t.Parallel()
	box := newBox(t, sandbox.Options{})
	dir := t.TempDir()
	begun, dead := untilDead(t, dir)
	why := errors.New("stopped")
	ctx, cancel := context.WithCancelCause(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := box.Run(ctx, sh(dir, lingering))
		ended <- err
	}()
	wait(t, begun, "the child")
	cancel(why)
	wantDead(t, dead, time.Now())
	if err := wait(t, ended, "the run"); !errors.Is(err, why) {
		t.Errorf("error %v, want the cause", err)
	}
}

// TestKilledGatewayLeavesNothing ends a process that runs a command with SIGKILL.
func TestKilledGatewayLeavesNothing(t *testing.T) {
	t.Parallel()
	newBox(t, sandbox.Options{})
	dir := t.TempDir()
	begun, dead := untilDead(t, dir)
	gateway := exec.CommandContext(t.Context(), os.Args[0], victim, dir)
	if err := gateway.Start(); err != nil {
		t.Fatal(err)
	}
	wait(t, begun, "the child")
	if err := gateway.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	wantDead(t, dead, time.Now())
	_ = gateway.Wait()
}

// TestKilledGatewayEndsTheGroup of a program that it runs without a sandbox, with those that it left in the
// background.
func TestKilledGatewayEndsTheGroup(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	begun, dead := untilDead(t, dir)
	gateway := exec.CommandContext(t.Context(), os.Args[0], victim, dir, waived)
	if err := gateway.Start(); err != nil {
		t.Fatal(err)
	}
	wait(t, begun, "the child")
	if err := gateway.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	wait(t, dead, "the end of the child")
	if _, err := os.Stat(filepath.Join(dir, "survived")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it went on to its end: %v", err)
	}
	_ = gateway.Wait()
}

// TestOrdinaryUser runs the tests of what matters most once more without any right.
func TestOrdinaryUser(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("not run: only root can become another user; the other tests run as an ordinary user")
	}
	newBox(t, sandbox.Options{})
	const nobody = 65534
	dir, err := os.MkdirTemp("/tmp", "parley-sandbox-") //nolint:usetesting // nobody else may enter the folders of t.TempDir
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	program := filepath.Join(dir, "sandbox.test")
	// Not copied in this process: whatever it starts meanwhile would hold the copy open.
	if out, err := exec.CommandContext(t.Context(), "cp", os.Args[0], program).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if err := errors.Join(os.Chmod(program, 0o755), os.Chown(dir, nobody, nobody)); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 4*outside)
	defer cancel()
	c := exec.CommandContext(ctx, program, "-test.v",
		"-test.run=^Test(SetsidChildIsDead|CancelEndsEverything|KilledGatewayLeavesNothing|NothingOutside|"+
			"WhatProgramsHave|NoRoute|Sockets|ForkBombEnds)$")
	c.Dir = dir
	c.Env = []string{"TMPDIR=" + dir, "HOME=" + dir, "PATH=/usr/bin:/bin"}
	c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := c.CombinedOutput()
	switch {
	case err != nil:
		t.Errorf("%v\n%s", err, out)
	case bytes.Contains(out, []byte("not run: "+sandbox.ErrUnavailable.Error())):
		t.Skipf("not run: ordinary users have no sandbox here\n%s", out)
	}
}
