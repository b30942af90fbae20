package sandbox

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// probeLimit bounds the probes of a start.
const probeLimit = 10 * time.Second

// escaped is the name of files that the probes try to make.
const escaped = "parley-probe-escape"

// probe is an action that must fail in the sandbox. The thread that would become the
// program tries it.
type probe struct {
	Canary  string   // a file outside
	Folders []string // folders that must be read-only
	Absent  []string // files of a machine that a sandbox must hide
	Hidden  []string
	Gateway int    // the process
	Port    int    // where it listens on this machine
	Socket  string // and its name in the abstract space
	Shares  bool   // memory that counts for no process is counted by a group
	Inside  string // a new file in the workspace: the one thing that must not fail
}

// escapes are the tries that did not fail as they must.
func (p *probe) escapes() []string {
	var found []string
	note := func(escaped bool, what string) {
		if escaped {
			found = append(found, what)
		}
	}
	note(os.WriteFile(p.Inside, []byte("x"), 0o600) != nil, "the workspace cannot be written")
	_, err := os.ReadFile(p.Canary)
	note(err == nil, "a file outside can be read")
	// Where it lies may be a folder for temporary files, of which there is another
	// one inside: whether something came of it is seen outside.
	_ = os.WriteFile(p.Canary, []byte("escaped"), 0o600)
	_ = os.WriteFile(filepath.Join(filepath.Dir(p.Canary), escaped), nil, 0o600)
	for _, folder := range p.Folders {
		note(os.WriteFile(filepath.Join(folder, escaped), nil, 0o600) == nil, "a file can be made in "+folder)
	}
	for _, name := range p.Absent {
		_, err := os.Stat(name)
		note(err == nil, name+" can be seen")
	}
	for _, h := range p.Hidden {
		entries, err := os.ReadDir(h)
		text, _ := os.ReadFile(h) //nolint:gosec // G304: a file that must be unreadable
		note(err == nil && len(entries) > 0 || len(text) > 0, "what is hidden can be read")
	}
	note(p.process(), "the gateway's process can be seen")
	note(reaches(&unix.SockaddrInet4{Port: p.Port, Addr: [4]byte{127, 0, 0, 1}}, unix.AF_INET), "this machine's own addresses can be reached")
	note(reaches(&unix.SockaddrUnix{Name: p.Socket}, unix.AF_UNIX), "this machine's sockets can be reached")
	for _, family := range otherFamilies() {
		note(true, fmt.Sprintf("sockets of family %d can be made", family))
	}
	if fd, err := unix.MemfdCreate("parley-probe", unix.MFD_CLOEXEC); err == nil {
		_ = unix.Close(fd)
		note(!p.Shares, "memory can be held that counts for no process")
	}
	note(rings(), "io_uring makes sockets without a call that the filter sees")
	note(sockets32(), "a program of 32 bits can make any socket")
	var caps [2]unix.CapUserData
	err = unix.Capget(&unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}, &caps[0])
	note(err != nil || caps[0].Permitted|caps[1].Permitted != 0, "a capability is left")
	return found
}

// otherFamilies are those but the ones that a program may have of which a socket can be made.
func otherFamilies() (made []int) {
	for family := range unix.AF_MAX {
		if slices.Contains(families(), uint32(family)) {
			continue
		}
		for _, kind := range []int{unix.SOCK_RAW, unix.SOCK_DGRAM, unix.SOCK_STREAM, unix.SOCK_SEQPACKET} {
			fd, err := unix.Socket(family, kind|unix.SOCK_CLOEXEC, 0)
			if err != nil {
				continue
			}
			_ = unix.Close(fd)
			made = append(made, family)
			break
		}
	}
	return made
}

// rings says whether an io_uring can be made.
func rings() bool {
	var parameters [120]byte // struct io_uring_params
	//nolint:gosec // G103: a system call without a wrapper
	fd, _, errno := unix.Syscall(unix.SYS_IO_URING_SETUP, 1, uintptr(unsafe.Pointer(&parameters)), 0)
	if errno != 0 {
		return false
	}
	_ = unix.Close(int(fd))
	return true
}

// process says whether any process but those of the sandbox can be seen: their
// environment and memory are in /proc too.
func (p *probe) process() bool {
	const init = 1
	own := os.Getpid()
	if os.Getppid() != init {
		return true // the numbers of processes are not the sandbox's
	}
	if p.Gateway != init && p.Gateway != own && !errors.Is(unix.Kill(p.Gateway, 0), unix.ESRCH) {
		return true
	}
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil && pid != init && pid != own {
			return true
		}
	}
	for _, name := range []string{"environ", "mem"} {
		if f, err := os.Open("/proc/1/" + name); err == nil { //nolint:gosec // G304: a file that must be unreadable
			_ = f.Close()
			return true
		}
	}
	return false
}

// reaches says whether a connection to an address stands.
func reaches(to unix.Sockaddr, family int) bool {
	fd, err := unix.Socket(family, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	wait := unix.Timeval{Sec: 1}
	if unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_SNDTIMEO, &wait) != nil {
		return false
	}
	return unix.Connect(fd, to) == nil
}

// Available implements [Runner].
func (r *runner) Available() error {
	if !hooked.Load() {
		return fmt.Errorf("%w: this program does not call sandbox.Main when it starts", ErrUnavailable)
	}
	if r.o.Unsafe {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known {
		return r.why
	}
	//nolint:forbidigo // the answer is for all callers, beyond the context of the first
	ctx, cancel := context.WithTimeout(context.Background(), probeLimit)
	defer cancel()
	r.why = r.tryOut(ctx)
	r.known = ctx.Err() == nil // a machine that is too busy is asked again
	return r.why
}

// tryOut tries the sandbox out.
func (r *runner) tryOut(ctx context.Context) error {
	if landlockVersion() == 0 {
		return fmt.Errorf("%w: this kernel has no Landlock: use Linux 5.13 or later, with landlock in its list of security modules "+
			"(lsm= on its command line)",
			ErrUnavailable)
	}
	escapes, err := r.probe(ctx)
	switch {
	case err != nil:
		return fmt.Errorf("%w: %w%s", ErrUnavailable, err, cure())
	case len(escapes) > 0:
		return fmt.Errorf("%w: this system's does not hold: %s", ErrUnavailable, strings.Join(escapes, "; "))
	}
	return nil
}

// cure tells an administrator how to allow a sandbox.
func cure() string {
	for _, c := range []struct{ file, bad, cure string }{
		{
			"/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1",
			"AppArmor keeps ordinary users from user namespaces: give the gateway a profile with userns, or set " +
				"kernel.apparmor_restrict_unprivileged_userns=0",
		},
		{"/proc/sys/kernel/unprivileged_userns_clone", "0", "set kernel.unprivileged_userns_clone=1"},
		{"/proc/sys/user/max_user_namespaces", "0", "set user.max_user_namespaces to more than 0"},
	} {
		b, err := os.ReadFile(c.file)
		if err == nil && strings.TrimSpace(string(b)) == c.bad {
			return " (" + c.cure + ")"
		}
	}
	return " (a container must allow user namespaces and mounts in them)"
}

// probe runs the probes and returns the promises that did not hold.
func (r *runner) probe(ctx context.Context) ([]string, error) {
	dir, err := os.MkdirTemp("", "parley-probe-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, err
	}
	workspace, canary := filepath.Join(dir, "workspace"), filepath.Join(dir, "canary")
	if err := errors.Join(os.Mkdir(workspace, 0o700), os.WriteFile(canary, []byte("canary"), 0o600)); err != nil {
		return nil, err
	}
	var l net.ListenConfig
	tcp, err := l.Listen(ctx, "tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	defer tcp.Close()
	socket := "@parley-probe-" + rand.Text()
	abstract, err := l.Listen(ctx, "unix", socket)
	if err != nil {
		return nil, err
	}
	defer abstract.Close()
	c, err := Command{Path: "/dev/null", Workspace: workspace, Dir: workspace, Writable: true, Timeout: probeLimit}.checked()
	if err != nil {
		return nil, err
	}
	s, err := r.specOf(c)
	if err != nil {
		return nil, err
	}
	s.Mounts = nil
	s.Probe = &probe{
		Canary: canary, Folders: []string{"/", "/usr", "/usr/bin", "/etc", "/dev", "/var", "/run"},
		Absent: []string{
			"/etc/shadow", "/etc/ssl/private", "/sys/kernel", "/proc/sys",
			"/proc/kcore", "/boot", "/var/lib", "/var/log", "/run/systemd",
		},
		Hidden: s.Hidden, Gateway: os.Getpid(), Socket: socket, Inside: filepath.Join(workspace, "inside"), Shares: s.shares(),
	}
	if a, ok := tcp.Addr().(*net.TCPAddr); ok {
		s.Probe.Port = a.Port
	}
	_, said, err := r.start(ctx, s, c)
	if err != nil {
		return nil, err
	}
	return said.escapes(canary)
}

// escapes are the reports of the probes, and their effects on the canary and beside
// it.
func (all reports) escapes(canary string) ([]string, error) {
	for _, r := range all {
		if !r.Probed {
			continue
		}
		if _, err := os.Lstat(filepath.Join(filepath.Dir(canary), escaped)); err == nil {
			r.Escapes = append(r.Escapes, "a file was made outside")
		}
		if text, err := os.ReadFile(canary); err != nil || string(text) != "canary" { //nolint:gosec // G304: made above
			r.Escapes = append(r.Escapes, "a file outside was changed")
		}
		return r.Escapes, nil
	}
	return nil, errors.New("the probes did not report")
}
