package sandbox_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"parley/pkg/sandbox"
)

// share uses memory in the ways in which programs share it, and says so.
func share() {
	const size = 8 << 20
	step := func(doing string, err error) {
		if err != nil {
			fmt.Fprintf(os.Stdout, "%s: %v\n", doing, err)
			os.Exit(1) //nolint:forbidigo // a process of its own
		}
	}
	fd, err := unix.MemfdCreate("shared", 0)
	step("memory without a name", err)
	step("fill it", unix.Fallocate(fd, 0, 0, size))
	id, err := unix.SysvShmGet(unix.IPC_PRIVATE, size, unix.IPC_CREAT|0o600)
	step("a segment", err)
	segment, err := unix.SysvShmAttach(id, 0, 0)
	step("attach it", err)
	touch(segment)
	shared, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_ANONYMOUS)
	step("shared memory", err)
	touch(shared)
	fmt.Fprintln(os.Stdout, "shared")
}

// runsLeft are the groups of runs below the one of this process's parent.
func runsLeft(t *testing.T) []string {
	t.Helper()
	b, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		t.Fatal(err)
	}
	_, own, _ := strings.Cut(strings.TrimSpace(string(b)), "0::")
	found, err := filepath.Glob("/sys/fs/cgroup" + filepath.Dir(own) + "/parley-run-*")
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// newCountedBox is a sandbox with control groups, where one was delegated to this process.
func newCountedBox(t *testing.T, o sandbox.Options) sandbox.Runner {
	t.Helper()
	if claimed.groups == nil {
		t.Skipf("not run: %v", claimed.err)
	}
	return newBox(t, o) // which has them
}

// TestControlGroups is what holds of a run in a control group. One test at a time looks
// at the groups that are left.
func TestControlGroups(t *testing.T) { //nolint:paralleltest // see above
	box := newCountedBox(t, sandbox.Options{Memory: memoryLimit})
	self, err := filepath.Abs(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	as := func(dir string, args ...string) sandbox.Command {
		return sandbox.Command{Path: self, Args: append([]string{victim}, args...), Workspace: dir, Writable: true, Timeout: outside}
	}
	// A run beside those that follow, which have too much, comes to no harm.
	beside := make(chan sandbox.Result, 1)
	dir := t.TempDir()
	begun, _ := untilDead(t, dir)
	go func() {
		c := sh(dir, `exec 3>alive; echo begun >&3; while [ ! -e over ]; do sleep 0.1; done; echo whole`)
		c.Timeout = 10 * outside
		res, err := box.Run(t.Context(), c)
		if err != nil {
			res.Stderr = []byte(err.Error())
		}
		beside <- res
	}()
	wait(t, begun, "the run beside")
	for _, kind := range []string{"memory without a name", "a segment of System V", "shared memory without a file", "memory of its own"} {
		if res := run(t, box, as(t.TempDir(), holding, kind)); res.Limit != "memory" {
			t.Errorf("%s: it ended with %d, limit %q: %s%s", kind, res.ExitCode, res.Limit, res.Stdout, res.Stderr)
		}
	}
	write(t, dir+"/over", "")
	if res := wait(t, beside, "the end of the run beside"); string(res.Stdout) != "whole\n" || res.Limit != "" {
		t.Errorf("the run beside: limit %q, %s%s", res.Limit, res.Stdout, res.Stderr)
	}
	if res := run(t, box, as(t.TempDir(), sharing)); string(res.Stdout) != "shared\n" {
		t.Errorf("sharing memory: limit %q, %s%s", res.Limit, res.Stdout, res.Stderr)
	}
	res := run(t, box, sh(t.TempDir(), `cat /proc/self/cgroup; ls /sys /sys/fs/cgroup 2>/dev/null`))
	if string(res.Stdout) != "0::/\n" {
		t.Errorf("a program sees the groups: %s", res.Stdout)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := box.Run(ctx, sh(t.TempDir(), "setsid sleep 100 & sleep 100")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a run that is stopped ends with %v", err)
	}
	if left := runsLeft(t); len(left) > 0 {
		t.Errorf("groups are left: %q", left)
	}
}

// TestControlGroupsWithTheNetwork: where a program may reach the abstract sockets of
// others, it could hand its memory to another run, so it gets none that can be handed.
func TestControlGroupsWithTheNetwork(t *testing.T) { //nolint:paralleltest // see TestControlGroups
	box := newCountedBox(t, sandbox.Options{Memory: memoryLimit})
	self, err := filepath.Abs(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	res := run(t, box, sandbox.Command{Path: self, Args: []string{victim, sharing}, Workspace: t.TempDir(), Network: true, Timeout: outside})
	if got := string(res.Stdout) == "shared\n"; got != sandbox.ScopesSockets() {
		t.Errorf("it says %q; Landlock keeps it from others' sockets: %v", res.Stdout, sandbox.ScopesSockets())
	}
}

// TestControlGroupsOfAnEarlierProcess: what a gateway left that was killed is ended and removed.
func TestControlGroupsOfAnEarlierProcess(t *testing.T) { //nolint:paralleltest // see TestControlGroups
	newCountedBox(t, sandbox.Options{})
	b, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		t.Fatal(err)
	}
	_, own, _ := strings.Cut(strings.TrimSpace(string(b)), "0::")
	left := "/sys/fs/cgroup" + filepath.Dir(own) + "/parley-run-left"
	if err := os.Mkdir(left, 0o700); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(left)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	c := exec.CommandContext(t.Context(), "/bin/sleep", "100")
	c.SysProcAttr = &syscall.SysProcAttr{UseCgroupFD: true, CgroupFD: int(f.Fd())}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	if _, err := sandbox.Claim(); err != nil {
		t.Fatal(err)
	}
	if err := wait(t, ended, "the end of what was left"); err == nil || err.Error() != "signal: killed" {
		t.Errorf("it ended with %v", err)
	}
	if _, err := os.Stat(left); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("its group: %v", err)
	}
}

// TestNoSocketInTheWorkspace: by a socket in the workspace a run could hand another one
// of the chat its temporary files, or files of memory, beyond its own end.
func TestNoSocketInTheWorkspace(t *testing.T) {
	t.Parallel()
	box := newBox(t, sandbox.Options{})
	self, err := filepath.Abs(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp(here, "workspace-") //nolint:usetesting // where it lies in /tmp, there are no sockets there either
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	inTmp := "listens\n"
	if strings.HasPrefix(dir, "/tmp/") { // the checkout lies there
		inTmp = "permission denied\n"
	}
	below := t.TempDir() // in /tmp
	for path, c := range map[string]struct{ workspace, want string }{
		dir + "/socket":   {dir, "permission denied\n"},
		"/tmp/socket":     {dir, inTmp},
		below + "/socket": {below, "permission denied\n"},
	} {
		res := run(t, box,
			sandbox.Command{Path: self, Args: []string{victim, listening, path}, Workspace: c.workspace, Writable: true, Timeout: outside})
		if !strings.HasSuffix(string(res.Stdout), c.want) {
			t.Errorf("%s: it says %q, %s", path, res.Stdout, res.Stderr)
		}
	}
}

// listen plays the part of a program that makes a socket.
func listen(path string) {
	var c net.ListenConfig
	l, err := c.Listen(context.Background(), "unix", path)
	if err != nil {
		fmt.Fprintln(os.Stdout, err)
		return
	}
	_ = l.Close()
	fmt.Fprintln(os.Stdout, "listens")
}
