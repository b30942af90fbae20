package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	landlock "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// The rights of Landlock by the version of its interface that brought them.
const (
	landlockRead = landlock.AccessFSExecute | landlock.AccessFSReadFile | landlock.AccessFSReadDir

	landlock1 = 1<<13 - 1
	landlock2 = landlock1 | landlock.AccessFSRefer
	landlock3 = landlock2 | landlock.AccessFSTruncate
	landlock5 = landlock3 | landlock.AccessFSIoctlDev

	// The rights that a rule on a single file may have.
	landlockFile = landlock.AccessFSExecute | landlock.AccessFSReadFile | landlock.AccessFSWriteFile |
		landlock.AccessFSTruncate | landlock.AccessFSIoctlDev
	landlockNoDevices = landlock.AccessFSMakeChar | landlock.AccessFSMakeBlock | landlock.AccessFSIoctlDev
)

// landlockVersion is the version of Landlock's interface; 0: there is none.
func landlockVersion() int {
	v, err := landlock.LandlockGetABIVersion()
	if err != nil {
		return 0
	}
	return v
}

// restrictPaths restricts this thread, which becomes the program, with everything that
// the kernel's version knows. The library's own Restrict waits for all threads of the
// process, and its best effort goes on without a right that the kernel cannot deny.
func restrictPaths(s *spec) error {
	denied := deniedBy(landlockVersion(), s.Network)
	ruleset, err := landlock.LandlockCreateRuleset(&denied, 0)
	if err != nil {
		return err
	}
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
		if err := allowPath(ruleset, p, denied.HandledAccessFS&landlockRead); err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
	}
	for _, p := range writable {
		allowed := denied.HandledAccessFS &^ landlockNoDevices
		if in, err := filepath.EvalSymlinks(s.Workspace.Target); err != nil || within(p, in) {
			// By a socket in the workspace, another run would get files from this one that
			// are memory. Landlock cannot deny below a folder a right that the folder gives.
			allowed &^= landlock.AccessFSMakeSock
		}
		if err := allowPath(ruleset, p, allowed); err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
	}
	return landlock.LandlockRestrictSelf(ruleset, 0)
}

// deniedBy lists the rights that a version of Landlock can deny.
func deniedBy(version int, network bool) landlock.RulesetAttr { //nolint:revive // flag-parameter: the command says it
	r := landlock.RulesetAttr{HandledAccessFS: landlock1}
	switch {
	case version >= 5:
		r.HandledAccessFS = landlock5
	case version >= 3:
		r.HandledAccessFS = landlock3
	case version == 2:
		r.HandledAccessFS = landlock2
	}
	if version >= 4 && !network {
		r.HandledAccessNet = landlock.AccessNetBindTCP | landlock.AccessNetConnectTCP
	}
	if version >= 6 {
		r.Scoped = landlock.ScopeAbstractUnixSocket | landlock.ScopeSignal
	}
	return r
}

// allowPath adds a rule, where there is such a path.
func allowPath(ruleset int, path string, access uint64) error {
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
	return landlock.LandlockAddPathBeneathRule(ruleset, &landlock.PathBeneathAttr{ParentFd: fd, AllowedAccess: access}, 0)
}
