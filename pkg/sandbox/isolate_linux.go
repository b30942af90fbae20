package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// old is where the machine's own files are while the sandbox is built.
const old = "/old"

// systemFolders hold the system's programs and libraries.
func systemFolders() []string {
	return []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store"}
}

// systemFiles are the parts of /etc that programs need: they contain no data of this
// machine's users.
func systemFiles(network bool) []string { //nolint:revive // flag-parameter: the command says it
	files := []string{
		"/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/nsswitch.conf", "/etc/localtime", "/etc/timezone", "/etc/mime.types",
		"/etc/protocols", "/etc/services", "/etc/ssl/openssl.cnf", "/etc/locale.conf", "/etc/magic",
	}
	if network {
		files = append(files, "/etc/resolv.conf", "/etc/hosts", "/etc/host.conf", "/etc/gai.conf")
	}
	return files
}

// systemTrees are the folders of /etc that programs need.
func systemTrees() []string {
	return []string{
		"/etc/alternatives", "/etc/ld.so.conf.d", "/etc/ssl/certs",
		"/etc/pki/tls/certs", "/etc/pki/ca-trust", "/etc/ca-certificates",
	}
}

// isolate builds the sandbox's own tree of files and leaves that of the machine.
// The process has namespaces of its own already.
func isolate(s *spec) error {
	limitNamespaces(s)
	if err := unix.Sethostname([]byte("sandbox")); err != nil {
		return fmt.Errorf("the host name: %w", err)
	}
	if err := newRoot(s.Workspace.Source); err != nil {
		return err
	}
	for _, step := range []func(*spec) error{
		system, processes, devices, scratch, etc, mounts, leave,
	} {
		if err := step(s); err != nil {
			return err
		}
	}
	return nil
}

// limitNamespaces forbids further user namespaces, in which a program would have
// capabilities, and bounds the number of processes. Not every system lets it; then
// other bounds hold.
func limitNamespaces(s *spec) {
	_ = os.WriteFile("/proc/sys/user/max_user_namespaces", []byte("0"), 0)
	if ownProcessNumbers() {
		const reserved = 300 // numbers below are given out once only
		_ = os.WriteFile("/proc/sys/kernel/pid_max", []byte(strconv.Itoa(reserved+s.numbers())), 0)
	}
}

// ownProcessNumbers says whether pid_max is a setting of this namespace, and not
// of the machine: since Linux 6.14.
func ownProcessNumbers() bool {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return false
	}
	var major, minor int
	if n, _ := fmt.Sscanf(unix.ByteSliceToString(u.Release[:]), "%d.%d", &major, &minor); n < 2 {
		return false
	}
	const sinceMajor, sinceMinor = 6, 14
	return major > sinceMajor || major == sinceMajor && minor >= sinceMinor
}

// newRoot makes an empty tree the root and moves the machine's to old. It is mounted
// over a folder that surely exists, the workspace; only this process sees it there.
func newRoot(base string) error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("a tree of its own: %w", err)
	}
	if err := tmpfs(base, "mode=755,size=4m"); err != nil {
		return err
	}
	if err := os.Chdir(base); err != nil {
		return err
	}
	if err := os.Mkdir("old", dirMode); err != nil {
		return err
	}
	if err := unix.PivotRoot(".", "old"); err != nil {
		return fmt.Errorf("a root of its own: %w", err)
	}
	return os.Chdir("/")
}

const (
	dirMode  = 0o755
	fileMode = 0o644
	quiet    = unix.MS_NOSUID | unix.MS_NODEV
)

func tmpfs(at, options string) error {
	if err := unix.Mount("tmpfs", at, "tmpfs", quiet, options); err != nil {
		return fmt.Errorf("an empty folder at %s: %w", at, err)
	}
	return nil
}

// bind shows the machine's source at target. Devices stay devices unless attr says
// otherwise.
func bind(source, target string, attr uint64) error {
	info, err := os.Stat(old + source)
	if err != nil {
		return fmt.Errorf("show %s: %w", source, errors.Unwrap(err))
	}
	if err := place(target, info.IsDir()); err != nil {
		return fmt.Errorf("show %s: %w", target, err)
	}
	if err := unix.Mount(old+source, target, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
		return fmt.Errorf("show %s: %w", source, err)
	}
	if err := unix.MountSetattr(unix.AT_FDCWD, target, unix.AT_RECURSIVE, &unix.MountAttr{Attr_set: attr}); err != nil {
		return fmt.Errorf("close %s: %w", source, err)
	}
	return nil
}

// place makes the missing file or folder for a mount.
func place(target string, dir bool) error { //nolint:revive // flag-parameter: the source says it
	if _, err := os.Stat(target); err == nil {
		return nil
	}
	if dir {
		return os.MkdirAll(target, dirMode)
	}
	if err := os.MkdirAll(filepath.Dir(target), dirMode); err != nil {
		return err
	}
	return os.WriteFile(target, nil, fileMode)
}

const readOnly = unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV

// system shows programs and libraries.
func system(*spec) error {
	for _, dir := range systemFolders() {
		to, err := os.Readlink(old + dir)
		if err == nil {
			if err := os.Symlink(to, dir); err != nil {
				return err
			}
			continue
		}
		if _, err := os.Stat(old + dir); err != nil {
			continue
		}
		if err := bind(dir, dir, readOnly); err != nil {
			return err
		}
	}
	return nil
}

// processes shows the sandbox's own. Some systems forbid it; then there is no /proc.
func processes(*spec) error {
	if err := os.Mkdir("/proc", dirMode); err != nil {
		return err
	}
	_ = unix.Mount("proc", "/proc", "proc", quiet|unix.MS_NOEXEC|unix.MS_RDONLY, "subset=pid")
	return nil
}

// devices are those without memory and without access to other parts.
func devices(*spec) error {
	for _, name := range []string{"null", "zero", "full", "random", "urandom"} {
		if err := bind("/dev/"+name, "/dev/"+name, unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NOEXEC); err != nil {
			return err
		}
	}
	for name, to := range map[string]string{
		"fd":     "/proc/self/fd",
		"stdin":  "/proc/self/fd/0",
		"stdout": "/proc/self/fd/1",
		"stderr": "/proc/self/fd/2",
	} {
		if err := os.Symlink(to, "/dev/"+name); err != nil {
			return err
		}
	}
	return nil
}

// scratch is where temporary files go.
func scratch(s *spec) error {
	for _, dir := range []string{"/tmp", "/var", "/run"} {
		if err := os.Mkdir(dir, dirMode); err != nil {
			return err
		}
	}
	if err := tmpfs("/tmp", "mode=700,size="+strconv.FormatInt(s.Scratch, 10)); err != nil {
		return err
	}
	if err := os.Mkdir("/tmp/.shm", 0o700); err != nil {
		return err
	}
	return errors.Join(os.Symlink("/tmp", "/var/tmp"), os.Symlink("/tmp/.shm", "/dev/shm"))
}

// etc has copies of files, as they may be links, and folders.
func etc(s *spec) error {
	made := map[string]string{
		"/etc/passwd":   fmt.Sprintf("agent:x:%d:%d::/tmp:/bin/sh\nnobody:x:65534:65534::/:/bin/false\n", sandboxID, sandboxID),
		"/etc/group":    fmt.Sprintf("agent:x:%d:\nnogroup:x:65534:\n", sandboxID),
		"/etc/hosts":    "127.0.0.1 localhost\n",
		"/etc/hostname": "sandbox\n",
	}
	for _, name := range systemFiles(s.Network) {
		if text, err := readOld(name); err == nil {
			made[name] = text
		}
	}
	for name, text := range made {
		if err := os.MkdirAll(filepath.Dir(name), dirMode); err != nil {
			return err
		}
		if err := os.WriteFile(name, []byte(text), fileMode); err != nil {
			return err
		}
	}
	for _, dir := range systemTrees() {
		if info, err := os.Lstat(old + dir); err != nil || !info.IsDir() {
			continue
		}
		if err := bind(dir, dir, readOnly); err != nil {
			return err
		}
	}
	return nil
}

// readOld reads a small file of the machine, wherever its links lead.
func readOld(name string) (string, error) {
	const most, links = 1 << 20, 8
	for range links {
		to, err := os.Readlink(old + name)
		if err != nil {
			break
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(name), to)
		}
		name = to
	}
	info, err := os.Lstat(old + name)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() || info.Size() > most {
		return "", fs.ErrInvalid
	}
	b, err := os.ReadFile(old + name) //nolint:gosec // G304: one of systemFiles
	return string(b), err
}

// mounts shows the workspace and the other readable folders, and covers the hidden
// ones.
func mounts(s *spec) error {
	for _, h := range s.Hidden {
		if err := cover(h); err != nil {
			return err
		}
	}
	for _, m := range append(s.Mounts, s.Workspace) {
		attr := uint64(readOnly)
		if m.Writable {
			attr &^= unix.MOUNT_ATTR_RDONLY
		}
		if err := bind(m.Source, m.Target, attr); err != nil {
			return err
		}
		for _, h := range s.Hidden {
			if !within(m.Source, h) {
				continue
			}
			if err := cover(m.Target + strings.TrimPrefix(h, m.Source)); err != nil {
				return err
			}
		}
	}
	return nil
}

// cover puts something empty over a path, where it is visible.
func cover(path string) error {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return nil //nolint:nilerr // it is not visible
	case info.IsDir():
		return tmpfs(path, "mode=755,size=4m")
	default:
		return unix.Mount("/dev/null", path, "", unix.MS_BIND, "")
	}
}

// leave lets go of the machine's tree and closes the sandbox's own.
func leave(*spec) error {
	if err := unix.Unmount(old, unix.MNT_DETACH); err != nil {
		return fmt.Errorf("leave the machine's files: %w", err)
	}
	if err := os.Remove(old); err != nil {
		return err
	}
	if err := unix.MountSetattr(unix.AT_FDCWD, "/", 0, &unix.MountAttr{Attr_set: readOnly}); err != nil {
		return fmt.Errorf("close the root: %w", err)
	}
	return nil
}
