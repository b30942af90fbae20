package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// become gives up every right and becomes the program. What counts of that is
// what the one thread has that calls exec.
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
	fail("start "+s.Path, syscall.Exec(s.Path, s.Args, s.Env)) //nolint:gosec // G204: this is what it is for
}

// confine gives up what the sandbox does not grant.
func confine(s *spec) {
	if _, err := unix.KeyctlJoinSessionKeyring("parley"); err != nil && !errors.Is(err, unix.ENOSYS) && !errors.Is(err, unix.EPERM) {
		fail("give up the keys", err)
	}
	if err := dropCapabilities(); err != nil {
		fail("give up the capabilities", err)
	}
	if err := landlock(s); err != nil {
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
	if !s.Unsafe { // there it would count what the same user runs elsewhere
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

// The rights of Landlock by the version of its interface that brought them.
const (
	landlockRead = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR

	landlock1 = 1<<13 - 1
	landlock2 = landlock1 | unix.LANDLOCK_ACCESS_FS_REFER
	landlock3 = landlock2 | unix.LANDLOCK_ACCESS_FS_TRUNCATE
	landlock5 = landlock3 | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV

	// The rights that a rule on a single file may have.
	landlockFile = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE |
		unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	landlockNoDevices = unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
)

// landlockVersion is the version of Landlock's interface; 0: there is none.
func landlockVersion() int {
	v, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(v)
}

// landlock restricts this thread with all that the kernel's version knows.
func landlock(s *spec) error {
	version := landlockVersion()
	rules := rulesFor(version, s.Network)
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&rules)), unsafe.Sizeof(rules), 0) //nolint:gosec // G103: a system call without a wrapper
	if errno != 0 {
		return errno
	}
	ruleset := int(fd)
	defer unix.Close(ruleset)
	readable := append(systemFolders(), "/etc", "/proc")
	for _, m := range s.Mounts {
		readable = append(readable, m.Target)
	}
	// A program that may write to /dev/zero gets shared memory from it, which the filter of calls refuses.
	writable := []string{"/tmp", "/dev/null", "/dev/full"}
	if s.Workspace.Writable {
		writable = append(writable, s.Workspace.Target)
	} else {
		readable = append(readable, s.Workspace.Target)
	}
	readable = append(readable, "/dev")
	for _, p := range readable {
		if err := landlockAllow(ruleset, p, rules.Handled_access_fs&landlockRead); err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
	}
	for _, p := range writable {
		allowed := rules.Handled_access_fs &^ landlockNoDevices
		if in, err := filepath.EvalSymlinks(s.Workspace.Target); err != nil || within(p, in) {
			// By a socket in the workspace, another run would get files from this one that
			// are memory. Landlock cannot deny below a folder a right that the folder gives.
			allowed &^= unix.LANDLOCK_ACCESS_FS_MAKE_SOCK
		}
		if err := landlockAllow(ruleset, p, allowed); err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, fd, 0, 0); errno != 0 {
		return errno
	}
	return nil
}

// rulesFor is what a version of Landlock can deny.
func rulesFor(version int, network bool) unix.LandlockRulesetAttr { //nolint:revive // flag-parameter: the command says it
	var r unix.LandlockRulesetAttr
	switch {
	case version >= 5:
		r.Handled_access_fs = landlock5
	case version >= 3:
		r.Handled_access_fs = landlock3
	case version == 2:
		r.Handled_access_fs = landlock2
	default:
		r.Handled_access_fs = landlock1
	}
	if version >= 4 && !network {
		r.Handled_access_net = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
	}
	if version >= 6 {
		r.Scoped = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
	}
	return r
}

// landlockAllow adds a rule, where there is such a path.
func landlockAllow(ruleset int, path string, access uint64) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		access &= landlockFile
	}
	rule := struct { // packed in the kernel: the last field ends it
		access uint64
		fd     int32
	}{access, int32(fd)} //nolint:gosec // G115: a file descriptor
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(ruleset), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&rule)), 0, 0, 0) //nolint:gosec // G103: a system call without a wrapper
	if errno != 0 {
		return errno
	}
	return nil
}
