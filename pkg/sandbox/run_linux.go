package sandbox

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"parley/pkg/fair"
)

// The user of the sandbox; on the machine it is the gateway's own.
const sandboxID = 1000

const (
	// The fixed part of a program's environment.
	programPath = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
	programLang = "LANG=C.UTF-8"
	// How long outputs may stay open after the end, when every writer is dead.
	outputGrace = time.Second
	maxReports  = 64 << 10
)

// New makes a runner. The first run or question tries the sandbox.
func New(o Options) Runner {
	o = o.withDefaults()
	return &runner{o: o, places: fair.New(o.Parallel)}
}

type runner struct {
	o      Options
	places *fair.Places

	mu    sync.Mutex
	known bool
	why   error
}

// Run implements [Runner].
func (r *runner) Run(ctx context.Context, c Command) (Result, error) {
	c, err := c.checked()
	if err != nil {
		return Result{}, err
	}
	if err := r.Available(); err != nil { //nolint:contextcheck // the answer is for all callers, beyond the context of the first
		return Result{}, err
	}
	free, err := r.place(ctx, c)
	if err != nil {
		return Result{}, err
	}
	defer free()
	s, err := r.specOf(c)
	if err != nil {
		return Result{}, err
	}
	home := "/tmp"
	if s.Unsafe {
		if home, err = os.MkdirTemp("", "parley-run-"); err != nil {
			return Result{}, fmt.Errorf("run a program: %w", err)
		}
		defer os.RemoveAll(home)
	}
	s.Env = append([]string{programPath, programLang, "HOME=" + home, "TMPDIR=" + home}, c.Env...)
	res, _, err := r.start(ctx, s, c)
	return res, err
}

// place waits for the command's place.
func (r *runner) place(ctx context.Context, c Command) (free func(), err error) {
	limited, cancel := context.WithTimeout(ctx, c.Patience)
	defer cancel()
	free, err = r.places.Take(limited, c.Owner, c.Waits)
	if err != nil && ctx.Err() == nil {
		err = fmt.Errorf("nothing was run: %w; try again when one has ended", ErrBusy)
	}
	return free, err
}

// specOf translates a command for this machine.
func (r *runner) specOf(c Command) (*spec, error) {
	s := &spec{
		Path: c.Path, Args: append([]string{c.Path}, c.Args...), Dir: c.Dir, Network: c.Network,
		Unsafe: r.o.Unsafe, Counted: r.o.Groups != nil && !r.o.Unsafe, Memory: r.o.Memory,
		FileSize: r.o.FileSize, Scratch: r.o.Scratch, Processes: r.o.Processes,
		Disk: r.o.Disk, DiskFiles: r.o.DiskFiles,
	}
	var err error
	if s.Workspace, err = mountOf(c.Workspace); err != nil {
		return nil, err
	}
	s.Workspace.Writable = c.Writable
	for _, p := range c.Readable {
		m, err := mountOf(p)
		if err != nil {
			return nil, err
		}
		s.Mounts = append(s.Mounts, m)
	}
	program, err := mountOf(c.Path)
	if err != nil {
		return nil, err
	}
	system := systemFolders()
	inside := func(path string, dirs ...string) bool {
		return slices.ContainsFunc(dirs, func(dir string) bool { return within(dir, path) })
	}
	switch {
	case inside(c.Path, c.Workspace) || inside(c.Path, c.Readable...):
	case !inside(c.Path, system...):
		s.Mounts = append(s.Mounts, program)
	case !inside(program.Source, system...): // a link out of the system's folders
		s.Mounts = append(s.Mounts, mount{Source: program.Source, Target: program.Source})
	}
	for _, p := range r.o.Hidden {
		if m, err := mountOf(p); err == nil { // a missing path needs no hiding
			s.Hidden = append(s.Hidden, m.Source)
		}
	}
	return s, nil
}

func mountOf(path string) (mount, error) {
	source, err := filepath.EvalSymlinks(path)
	if err != nil {
		return mount{}, fmt.Errorf("run a program: %w", err)
	}
	return mount{Source: source, Target: path}, nil
}

// start runs the program of s to its end.
func (r *runner) start(ctx context.Context, s *spec, c Command) (Result, reports, error) {
	limited, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	stdout, stderr := newKeeper(c.MaxOutput), newKeeper(c.MaxOutput)
	cmd := exec.CommandContext(limited, "/proc/self/exe")
	cmd.Args = []string{roleInit}
	cmd.Env = []string{} // without our variables
	cmd.Dir = "/"
	cmd.Stdout, cmd.Stderr = stdout, stderr
	if c.Line != nil {
		told := &lines{tell: c.Line}
		defer told.end()
		cmd.Stderr = io.MultiWriter(cmd.Stderr, told)
	}
	if c.Watch != nil {
		out, fails := &lines{tell: c.Watch}, &lines{tell: c.Watch}
		defer out.end()
		defer fails.end()
		cmd.Stdout, cmd.Stderr = io.MultiWriter(cmd.Stdout, out), io.MultiWriter(cmd.Stderr, fails)
	}
	cmd.WaitDelay = outputGrace
	cmd.SysProcAttr = isolation(s)
	var counted *runGroup
	if s.Counted {
		var err error
		if counted, err = r.o.Groups.group(s); err != nil {
			return Result{}, nil, fmt.Errorf("run a program: %w", err)
		}
		defer counted.end()
		cmd.SysProcAttr.UseCgroupFD, cmd.SysProcAttr.CgroupFD = true, int(counted.file.Fd())
	}
	group := func() error { return unix.Kill(-cmd.Process.Pid, unix.SIGKILL) } // its leader is the init
	cmd.Cancel = group
	began := time.Now()
	said, err := converse(cmd, s, c.Stdin)
	if s.Unsafe && cmd.Process != nil {
		_ = group() // without a namespace of processes something may be left
	}
	res := Result{
		ExitCode: 128 + int(unix.SIGKILL), Stdout: stdout.bytes(), Stderr: stderr.bytes(), Duration: time.Since(began),
		Truncated: stdout.truncated() || stderr.truncated(),
	}
	if err == nil {
		err = said.into(&res)
	}
	if counted != nil {
		err = counted.judge(&res, err)
	}
	switch {
	case err == nil:
		return res, said, nil
	case ctx.Err() != nil:
		return Result{}, nil, context.Cause(ctx)
	case limited.Err() != nil:
		res.TimedOut = true
		return res, nil, nil
	default:
		return Result{}, nil, fmt.Errorf("run a program: %w (%s)", err, cmd.ProcessState)
	}
}

// isolation are the attributes of the init. It looks into processes and folders that their
// owner closed; the program has none of its capabilities. The thread that starts it must live
// as long as it does: Pdeathsig waits for that thread's death.
func isolation(s *spec) *syscall.SysProcAttr {
	if s.Unsafe { // without a namespace that dies with it, the init must live long enough to end its group
		return &syscall.SysProcAttr{Setsid: true}
	}
	flags := uintptr(unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNS | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP)
	if !s.Network {
		flags |= unix.CLONE_NEWNET
	}
	return &syscall.SysProcAttr{
		Setsid: true, Pdeathsig: syscall.SIGKILL, Cloneflags: flags,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: sandboxID, HostID: os.Geteuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: sandboxID, HostID: os.Getegid(), Size: 1}},
		AmbientCaps: []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_SETPCAP, unix.CAP_SYS_RESOURCE, unix.CAP_SYS_PTRACE, unix.CAP_DAC_READ_SEARCH},
	}
}

// converse starts the init, gives it s, waits for its end and returns its reports.
func converse(cmd *exec.Cmd, s *spec, stdin io.Reader) (reports, error) {
	runtime.LockOSThread() // see isolation
	defer runtime.UnlockOSThread()
	specIn, specOut, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer specOut.Close() // its end is ours: the init ends when it sees it
	reportIn, reportOut, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, specIn.Close())
	}
	defer reportIn.Close()
	cmd.ExtraFiles = []*os.File{specIn, reportOut}
	if err := errors.Join(startFed(cmd, stdin), specIn.Close(), reportOut.Close()); err != nil {
		return nil, err
	}
	said := make(chan reports, 1)
	go func() { said <- readReports(reportIn) }()
	if err := json.NewEncoder(specOut).Encode(s); err != nil && !errors.Is(err, unix.EPIPE) {
		_ = cmd.Cancel()
	}
	_ = cmd.Wait() // how it went is in the reports
	return <-said, nil
}

// startFed starts a command that reads stdin. It does not wait for a reader that does
// not end: that one is left when the command has ended.
func startFed(cmd *exec.Cmd, stdin io.Reader) error {
	if stdin == nil {
		return cmd.Start()
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() {
		_, _ = io.Copy(in, stdin) // a program need not read to the end
		_ = in.Close()
	}()
	return nil
}

// reports are the messages of the roles of one run.
type reports []report

func readReports(from io.Reader) reports {
	var all reports
	lines := bufio.NewScanner(io.LimitReader(from, maxReports))
	lines.Buffer(nil, maxReports)
	for lines.Scan() {
		var r report
		if json.Unmarshal(lines.Bytes(), &r) == nil {
			all = append(all, r)
		}
	}
	return all
}

// into completes a result; the error says that the program was not run.
func (all reports) into(res *Result) error {
	for _, r := range all {
		if r.Error != "" {
			return errors.New(r.Error)
		}
	}
	for _, r := range all {
		if r.Ended || r.Probed {
			res.ExitCode, res.Limit = r.Code, r.Limit
			return nil
		}
	}
	return errors.New("the sandbox ended without a word")
}
