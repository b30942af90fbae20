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
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// hooked says that the program calls Main: one that does not would do its own work
// where the sandbox starts it again.
var hooked atomic.Bool //nolint:gochecknoglobals // a fact of the process, as its arguments are

// Main takes over, and does not return, in a process that a [Runner] started for
// itself; in every other it returns at once. A program must call it before its first
// run.
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
	unix.Exit(0) // this process is not the caller's: it skips all deferred work
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

// closeOnExec keeps the open files of this process from the program, also those that
// its own parent left it.
func closeOnExec() error {
	const all = 1<<31 - 1
	return unix.CloseRange(specFile, all, unix.CLOSE_RANGE_CLOEXEC)
}

// supervise is the init of the sandbox: it builds the program's view, starts the
// program, adopts the processes that it leaves behind, and ends with it, as do all of
// these.
func supervise() {
	runtime.LockOSThread() // the program dies with the thread that forks it
	// No signal that the program sends ends the init; a caught one is not inherited.
	signal.Notify(make(chan os.Signal, 1))
	if err := closeOnExec(); err != nil {
		fail("close files", err)
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
		if s.Unsafe {
			_ = unix.Kill(0, unix.SIGKILL) // the group of the program and of the init
		}
		unix.Exit(1) // and so is everything in the sandbox
	}()
	if !s.Unsafe {
		// It is the first to go when memory is short. That it may not is no reason to fail.
		_ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0)
	}
	// From here on, its files in /proc are root's.
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		fail("close the memory", err)
	}
	ownThreads()
	program, start := fork()
	each := socketBuffer()
	if !s.Unsafe {
		if err := isolate(&s); err != nil {
			fail("build the sandbox", err)
		}
	}
	w := watch(&s, each)
	if _, err := start.Write(line); err != nil {
		fail("start the program", err)
	}
	if err := start.Close(); err != nil {
		fail("start the program", err)
	}
	reap(program, w)
}

// ownThreads gives the init all threads that it can need, as long as it can get one.
// The program may use up all numbers of processes, threads take such a number too, and
// Go's runtime ends a process that gets no thread. The runtime keeps a thread that it
// has. It needs one for each goroutine that waits in a system call, of which there are
// fewer than six, one for each processor that it uses, and two for itself.
func ownThreads() {
	runtime.GOMAXPROCS(1)
	const enough = 16
	var begun sync.WaitGroup
	over := make(chan struct{})
	for range enough {
		begun.Add(1)
		go func() {
			runtime.LockOSThread() // so each has one of its own
			begun.Done()
			<-over
			runtime.UnlockOSThread()
		}()
	}
	begun.Wait()
	close(over)
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

// reap waits for the program and for all other ends of processes, and reports the
// outcome. An ended process that was left to the init counts as one until it is reaped
// here: counts come in between, so that no crowd is gone before one of them.
func reap(program int, w *watcher) {
	const few = 16 // ends between two looks
	for ends := 1; ; ends++ {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, 0, nil)
		switch {
		case err == syscall.EINTR:
		case err != nil:
			fail("wait for the program", err)
		case pid == program && status.Exited():
			tell(report{Ended: true, Code: status.ExitStatus(), Limit: w.over()})
			return
		case pid == program && status.Signaled():
			const signalled = 128
			tell(report{Ended: true, Code: signalled + int(status.Signal()), Limit: w.over()})
			return
		case ends%few == 0:
			w.crowd(usage())
		}
	}
}

// watcher ends the run when its processes or files are too many, or hold too much
// together. The limits of single processes hold without it.
type watcher struct {
	s     *spec
	limit atomic.Value  // a string: the limit that ended the run
	left  func() string // the limit that the run's files on the disk passed
}

// watch begins to count. Each is the capacity of a socket.
func watch(s *spec, each int64) *watcher {
	const often = 50 * time.Millisecond
	w := &watcher{s: s, left: func() string { return "" }}
	w.limit.Store("")
	if s.Unsafe {
		return w
	}
	if s.Workspace.Writable {
		d := newDisk(s)
		w.left = d.over
		go d.watch(w.end)
	}
	go func() {
		for range time.Tick(often) {
			u := usage()
			if s.shares() {
				u.memory = 0 // the group counts it; shared memory would count here for each process
			}
			if !s.Network {
				u.memory += socketMemory(each)
			}
			w.crowd(u)
			if u.memory > s.Memory {
				w.end("memory")
			}
		}
	}()
	return w
}

// end kills all but this process.
func (w *watcher) end(of string) {
	w.limit.CompareAndSwap("", of)
	_ = unix.Kill(-1, unix.SIGKILL)
}

// crowd ends the run when its processes are too many.
func (w *watcher) crowd(u use) {
	if u.crowds(w.s) {
		w.end("processes")
	}
}

// over gives the limit that the run passed, if any, when the program has ended. It
// may have ended between two counts; its files remain as long as this process.
func (w *watcher) over() string {
	l, _ := w.limit.Load().(string)
	switch {
	case l != "" || w.s.Unsafe:
		return l
	case usage().crowds(w.s):
		return "processes"
	default:
		return w.left()
	}
}
