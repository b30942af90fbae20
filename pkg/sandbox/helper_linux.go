package sandbox

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// hooked says that the program calls Main: one that does not would do its own work
// where the sandbox starts it again.
var hooked atomic.Bool //nolint:gochecknoglobals // a fact of the process, as its arguments are

// Main takes over, and never returns, in a process that a [Runner] started for
// itself; in every other it returns at once. Nothing is run in a program that has
// not called it first.
func Main() {
	hooked.Store(true)
	if len(os.Args) == 0 {
		return
	}
	switch os.Args[0] {
	case roleInit:
		supervise()
	case roleProgram:
		become()
	default:
		return
	}
	unix.Exit(0) // this process is not the caller's: none of its work at an end is done
}

// tell reports to the runner.
func tell(r report) {
	b, err := json.Marshal(r)
	if err == nil {
		_, _ = syscall.Write(reportFile, append(b, '\n'))
	}
}

// fail reports why the program is not run, and ends the process.
func fail(doing string, err error) {
	tell(report{Error: fmt.Sprintf("%s: %v", doing, err)})
	unix.Exit(1) // this process is not the caller's
}

// closeOnExec keeps whatever this process has open from the program, what its own
// parent left it included.
func closeOnExec() error {
	const all = 1<<31 - 1
	return unix.CloseRange(specFile, all, unix.CLOSE_RANGE_CLOEXEC)
}

// supervise is the init of the sandbox: it builds what the program sees, starts
// it, adopts what it leaves behind, and ends with it, and so does all the rest.
func supervise() {
	runtime.LockOSThread() // the program dies with the thread that forks it
	// No signal that the program sends ends the init; a caught one is not inherited.
	signal.Notify(make(chan os.Signal, 1))
	if err := closeOnExec(); err != nil {
		fail("close files", err)
	}
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		fail("close the memory", err)
	}
	in := bufio.NewReader(os.NewFile(specFile, "spec"))
	line, err := in.ReadBytes('\n')
	if err != nil {
		fail("read what to run", err)
	}
	var s spec
	if err := json.Unmarshal(line, &s); err != nil {
		fail("read what to run", err)
	}
	go func() {
		_, _ = io.Copy(io.Discard, in) // until the runner is gone
		unix.Exit(1)                   // and so is everything in the sandbox
	}()
	if !s.Unsafe {
		// It is the first to go when memory is short. That it may not is no reason to fail.
		_ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0)
	}
	program, start := fork()
	each := socketBuffer()
	if !s.Unsafe {
		if err := isolate(&s); err != nil {
			fail("build the sandbox", err)
		}
	}
	limit := func() string { return "" }
	if !s.Unsafe {
		limit = watch(&s, each)
	}
	if _, err := start.Write(line); err != nil {
		fail("start the program", err)
	}
	if err := start.Close(); err != nil {
		fail("start the program", err)
	}
	reap(program, limit)
}

// fork starts the process that becomes the program. It begins before the sandbox
// is built, while this executable and its libraries can be found, and waits for
// the spec.
func fork() (pid int, start *os.File) {
	in, start, err := os.Pipe()
	if err != nil {
		fail("start the program", err)
	}
	ready, begun, err := os.Pipe()
	if err != nil {
		fail("start the program", err)
	}
	pid, err = syscall.ForkExec("/proc/self/exe", []string{roleProgram}, &syscall.ProcAttr{ //nolint:gosec // G204: this program itself
		Env: []string{}, Files: []uintptr{0, 1, 2, in.Fd(), reportFile, begun.Fd()},
		Sys: &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL},
	})
	if err = errors.Join(err, in.Close(), begun.Close()); err != nil {
		fail("start the program", err)
	}
	if _, err := ready.Read(make([]byte, 1)); err != nil {
		fail("start the program", err)
	}
	return pid, start
}

// reap waits for the program and for whatever else ends, and tells how it went.
func reap(program int, limit func() string) {
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, 0, nil)
		switch {
		case err == syscall.EINTR:
		case err != nil:
			fail("wait for the program", err)
		case pid == program && status.Exited():
			tell(report{Ended: true, Code: status.ExitStatus(), Limit: limit()})
			return
		case pid == program && status.Signaled():
			const signalled = 128
			tell(report{Ended: true, Code: signalled + int(status.Signal()), Limit: limit()})
			return
		}
	}
}

// watch ends the run when its processes or files are too many, or hold too much
// together; the function that it returns says which. Each is what a socket may hold.
// The limits of single processes hold without it.
func watch(s *spec, each int64) func() string {
	const often = 50 * time.Millisecond
	var limit atomic.Value
	limit.Store("")
	end := func(of string) {
		limit.Store(of)
		_ = unix.Kill(-1, unix.SIGKILL) // all but this one
	}
	left := func() string { return "" }
	if s.Workspace.Writable {
		d := newDisk(s)
		left = d.over
		go d.watch(end)
	}
	go func() {
		for range time.Tick(often) {
			processes, memory := usage()
			if !s.Network {
				memory += socketMemory(each)
			}
			switch {
			case processes > s.Processes:
				end("processes")
			case memory > s.Memory:
				end("memory")
			}
		}
	}()
	return func() string {
		if l, _ := limit.Load().(string); l != "" {
			return l
		}
		return left() // it may have ended between two looks
	}
}
