package sandbox

import (
	"encoding/json"
	"errors"
	"os"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// become gives up every right and becomes the program. The rights of the one thread
// that calls exec are the ones that count.
func become() {
	runtime.LockOSThread()
	if err := closeOnExec(); err != nil {
		fail("close files", err)
	}
	if _, err := syscall.Write(beginFile, []byte{0}); err != nil {
		fail("begin", err)
	}
	var s spec
	if err := json.NewDecoder(os.NewFile(specFile, "spec")).Decode(&s); err != nil {
		unix.Exit(1) // the init failed, and says why
	}
	unix.Umask(0o077)
	if err := os.Chdir(s.Dir); err != nil {
		fail("enter the folder", errors.Unwrap(err))
	}
	// A busy program leaves the processor to the gateway.
	const nice = 10
	_ = unix.Setpriority(unix.PRIO_PROCESS, 0, nice)
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		fail("give up new rights", err)
	}
	if !s.Unsafe {
		confine(&s)
	}
	if s.Probe != nil {
		tell(report{Probed: true, Escapes: s.Probe.escapes()})
		return
	}
	if err := limit(&s); err != nil {
		fail("set the limits", err)
	}
	fail("start "+s.Path, syscall.Exec(s.Path, s.Args, s.Env)) //nolint:gosec // G204: running the program is the purpose
}

// confine gives up every right that the sandbox does not grant.
func confine(s *spec) {
	if _, err := unix.KeyctlJoinSessionKeyring("parley"); err != nil && !errors.Is(err, unix.ENOSYS) && !errors.Is(err, unix.EPERM) {
		fail("give up the keys", err)
	}
	if err := dropCapabilities(); err != nil {
		fail("give up the capabilities", err)
	}
	if err := restrictPaths(s); err != nil {
		fail("landlock", err)
	}
	if err := filterCalls(s.shares()); err != nil {
		fail("filter the calls", err)
	}
}

// limit bounds each process.
func limit(s *spec) error {
	const files = 256
	limits := map[int]uint64{
		unix.RLIMIT_CORE:     0,
		unix.RLIMIT_FSIZE:    uint64(s.FileSize), //nolint:gosec // G115: options are positive
		unix.RLIMIT_NOFILE:   files,
		unix.RLIMIT_MEMLOCK:  0,
		unix.RLIMIT_MSGQUEUE: 0,
		unix.RLIMIT_DATA:     uint64(s.Memory), //nolint:gosec // G115: options are positive
		// Runtimes reserve much more than they use.
		unix.RLIMIT_AS: 16 * uint64(s.Memory), //nolint:gosec // G115: options are positive
	}
	if !s.Unsafe { // there it would count processes that the same user runs elsewhere
		limits[unix.RLIMIT_NPROC] = uint64(s.numbers()) //nolint:gosec // G115: options are positive
	}
	for which, most := range limits {
		var have unix.Rlimit
		if err := unix.Prlimit(0, which, nil, &have); err != nil {
			return err
		}
		most = min(most, have.Max)
		if err := unix.Prlimit(0, which, &unix.Rlimit{Cur: most, Max: most}, nil); err != nil {
			return err
		}
	}
	return nil
}

// dropCapabilities leaves this thread, and whatever it becomes, without any.
func dropCapabilities() error {
	for c := range uintptr(64) {
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0); errors.Is(err, unix.EINVAL) {
			break // there are no more
		} else if err != nil {
			return err
		}
	}
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return err
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	return unix.Capset(&header, &none[0])
}
