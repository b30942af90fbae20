package sandbox_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"parley/pkg/sandbox"
)

const megabyte = 1 << 20

// TestDisk lets programs keep more in their workspace than there may be, and wait.
func TestDisk(t *testing.T) {
	t.Parallel()
	box := newBox(t, sandbox.Options{Disk: 10 * megabyte, DiskFiles: 300, FileSize: 4 * megabyte})
	for name, c := range map[string]struct {
		before int // megabytes that are there before
		script string
		want   string
	}{
		"within bounds":     {0, `for i in 1 2 3; do head -c 3M /dev/zero >$i; done; rm 1 2 3; for i in 1 2 3; do head -c 3M /dev/zero >$i; done`, ""},
		"bytes":             {0, `for i in 1 2 3 4; do head -c 3M /dev/zero >$i; done; sleep 100`, "disk"},
		"files":             {0, `mkdir d; i=0; while [ $i -lt 400 ]; do : >d/$i; i=$((i+1)); done; sleep 100`, "files"},
		"deep folders":      {0, `i=0; while [ $i -lt 280 ]; do mkdir d; cd d; i=$((i+1)); done; sleep 100`, "files"},
		"a closed folder":   {0, `mkdir d; for i in 1 2 3 4; do head -c 3M /dev/zero >d/$i; done; chmod 0 d; sleep 100`, "disk"},
		"files without end": {0, `for i in 1 2 3 4; do : >$i; fallocate -n -l 3M $i || exit; done; sleep 100`, "disk"},
		"files without a name": {
			0, `for i in 1 2 3 4; do (exec 3>a$i; rm a$i; head -c 3M /dev/zero >&3; exec sleep 100) & done; wait`, "disk",
		},
		"more before":            {12, `cat before >/dev/null; sleep 0.3; rm before; head -c 1K /dev/zero >more`, ""},
		"more than before":       {12, `head -c 3M /dev/zero >more; sleep 100`, "disk"},
		"more and gone at once":  {0, `for i in 1 2 3 4; do head -c 3M /dev/zero >$i; done`, "disk"},
		"a pipe, a link, a loop": {0, `mkfifo p; ln -s / l; ln -s . here; mkdir d; ln -s ../d d/d; sleep 0.3`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if name == "files without end" && !reserves(t, t.TempDir()+"/file") {
				t.Skip("not run: this file system reserves nothing")
			}
			if c.before > 0 {
				write(t, dir+"/before", string(make([]byte, c.before*megabyte)))
			}
			cmd := sh(dir, c.script)
			cmd.Timeout = outside
			res := run(t, box, cmd)
			if res.Limit != c.want || res.TimedOut || c.want == "" && res.ExitCode != 0 {
				t.Errorf("limit %q, want %q; timed out %v, ending with %d: %s%s", res.Limit, c.want, res.TimedOut, res.ExitCode, res.Stdout, res.Stderr)
			}
			_ = os.Chmod(dir+"/d", 0o700) // so that it can be removed
		})
	}
	t.Run("files in memory", func(t *testing.T) {
		t.Parallel()
		self, err := filepath.Abs(os.Args[0])
		if err != nil {
			t.Fatal(err)
		}
		res := run(t, box, sandbox.Command{
			Path: self, Args: []string{victim, holding, "files"}, Workspace: t.TempDir(), Writable: true, Timeout: outside,
		})
		if res.Limit != "disk" {
			t.Errorf("limit %q, ending with %d: %s%s", res.Limit, res.ExitCode, res.Stdout, res.Stderr)
		}
	})
	t.Run("a workspace that is not written", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		write(t, dir+"/before", string(make([]byte, 12*megabyte)))
		cmd := sh(dir, "sleep 0.3")
		cmd.Writable = false
		if res := run(t, box, cmd); res.Limit != "" || res.ExitCode != 0 {
			t.Errorf("limit %q, ending with %d", res.Limit, res.ExitCode)
		}
	})
}

// reserves says whether blocks can be reserved behind the end of a file.
func reserves(t *testing.T, name string) bool {
	t.Helper()
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	return errors.Join(unix.Fallocate(int(f.Fd()), unix.FALLOC_FL_KEEP_SIZE, 0, 1), f.Close()) == nil
}

// mapFiles keeps files that have no name and are not open: a page of each is in memory.
func mapFiles() error {
	for i := range 4 {
		name := fmt.Sprint("map", i)
		f, err := os.Create(name)
		if err != nil {
			return err
		}
		if err := f.Truncate(3 * megabyte); err != nil {
			return err
		}
		all, err := unix.MmapPtr(int(f.Fd()), 0, nil, 3*megabyte, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
		if err != nil {
			return err
		}
		_ = f.Close()
		_ = os.Remove(name)
		page := uintptr(os.Getpagesize())
		if err := unix.MunmapPtr(unsafe.Add(all, page), 3*megabyte-page); err != nil {
			return err
		}
	}
	return nil
}
