package sandbox_test

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"parley/pkg/sandbox"
)

const (
	memoryLimit = 256 << 20
	tooMuch     = 2 * memoryLimit
	part        = 64 << 20
)

// holders hold too much memory, each in another way, as long as the process lives.
func holders() map[string]func() error {
	return map[string]func() error{
		"memory without a name": func() error {
			for range tooMuch / part {
				fd, err := unix.MemfdCreate("m", 0)
				if err != nil {
					return err
				}
				if err := unix.Fallocate(fd, 0, 0, part); err != nil {
					return err
				}
			}
			return nil
		},
		"a segment of System V": func() error {
			for range tooMuch / part {
				id, err := unix.SysvShmGet(unix.IPC_PRIVATE, part, unix.IPC_CREAT|0o600)
				if err != nil {
					return err
				}
				b, err := unix.SysvShmAttach(id, 0, 0)
				if err != nil {
					return err
				}
				touch(b)
				if err := unix.SysvShmDetach(b); err != nil {
					return err
				}
			}
			return nil
		},
		"semaphores of System V": func() error {
			const each, size = 32000, 64
			for range tooMuch / (each * size) {
				if _, _, errno := unix.Syscall(unix.SYS_SEMGET, 0, each, unix.IPC_CREAT|0o600); errno != 0 {
					return errno
				}
			}
			return nil
		},
		"shared memory without a file": func() error { return hide(-1, unix.MAP_ANONYMOUS) },
		"shared memory of a device": func() error {
			f, err := os.OpenFile("/dev/zero", os.O_RDWR, 0)
			if err != nil {
				return err
			}
			return hide(int(f.Fd()), 0)
		},
		"buffers of sockets": func() error {
			const each = 50 << 20 // by the number of files that a process may open
			return inChildren("pairs", tooMuch/each)
		},
		"pairs":             fillPairs,
		"memory of its own": func() error { return inChildren("half of it", 4) }, // each may have as much as the run
		"half of it": func() error {
			b, err := unix.Mmap(-1, 0, memoryLimit/2, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
			if err != nil {
				return err
			}
			touch(b)
			return full()
		},
		"files": mapFiles, // of TestDisk
	}
}

// inChildren starts processes which hold memory of a kind as long as this one lives.
func inChildren(kind string, n int) error {
	for range n {
		c := exec.Command("/proc/self/exe", victim, holding, kind)
		c.Stderr = os.Stderr
		out, err := c.StdoutPipe()
		if err != nil {
			return err
		}
		if _, err := c.StdinPipe(); err != nil { // it is open as long as this process lives
			return err
		}
		if err := c.Start(); err != nil {
			return err
		}
		if line, err := bufio.NewReader(out).ReadString('\n'); line != "full\n" {
			return fmt.Errorf("a child says %q: %w", line, err)
		}
	}
	return nil
}

// full says that the memory is held, and waits until the parent ends.
func full() error {
	fmt.Fprintln(os.Stdout, "full")
	_, err := os.Stdin.Read(make([]byte, 1))
	return err
}

// fillPairs writes into pairs of sockets until there are no more.
func fillPairs() error {
	for {
		pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_NONBLOCK, 0)
		if err == unix.EMFILE {
			break
		} else if err != nil {
			return err
		}
		for _, fd := range pair {
			_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_SNDBUF, 1<<30)
			for err == nil {
				_, err = unix.Write(fd, make([]byte, 32<<10))
			}
			err = nil
		}
	}
	return full()
}

// hide fills shared memory and unmaps it but for a page.
func hide(fd, flags int) error {
	for range tooMuch / part {
		b, err := unix.Mmap(fd, 0, part, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|flags)
		if err != nil {
			return err
		}
		touch(b)
		if err := unix.Madvise(b, unix.MADV_DONTNEED); err != nil {
			return err
		}
	}
	return nil
}

func touch(b []byte) {
	for i := 0; i < len(b); i += os.Getpagesize() {
		b[i] = 1
	}
}

// TestMemoryOfAllKinds holds memory in ways in which it is no process's own.
func TestMemoryOfAllKinds(t *testing.T) {
	t.Parallel()
	box := newBox(t, sandbox.Options{Memory: memoryLimit})
	self, err := filepath.Abs(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	for kind := range holders() {
		if kind == "pairs" || kind == "files" || kind == "half of it" {
			continue
		}
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			res := run(t, box, sandbox.Command{
				Path: self, Args: []string{victim, holding, kind}, Workspace: t.TempDir(), Writable: true, Timeout: outside,
			})
			if bytes.Contains(res.Stdout, []byte("HELD")) || res.TimedOut {
				t.Errorf("it held %d bytes: %s%s", tooMuch, res.Stdout, res.Stderr)
			}
			t.Logf("limit %q, ending with %d: %s%s", res.Limit, res.ExitCode, res.Stdout, res.Stderr)
		})
	}
}

// hold plays the part of a program that holds memory of a kind.
func hold(kind string) {
	if err := holders()[kind](); err != nil {
		fmt.Fprintln(os.Stdout, "refused:", err)
		return
	}
	<-time.After(5 * time.Second) // it is ended meanwhile
	fmt.Fprintln(os.Stdout, "HELD")
}
