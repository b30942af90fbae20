package sandbox

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// How often the workspace is counted at most, and the share of the time that counting
	// may take.
	diskOften = 100 * time.Millisecond
	diskPart  = 10
	// How deep folders may lie in each other: deeper ones would take ever longer to count.
	maxFolderDepth = 256
)

// disk bounds the workspace of a run.
type disk struct {
	workspace, scratch string
	files              int
	bytes, fileSize    int64
}

// newDisk bounds a run by its options, or by the content before it: a workspace that
// was too full already must not grow.
func newDisk(s *spec) *disk {
	d := &disk{workspace: s.Workspace.Target, scratch: "/tmp", files: s.DiskFiles, bytes: s.Disk, fileSize: s.FileSize}
	c := d.count()
	d.files, d.bytes = max(d.files, c.files), max(d.bytes, c.bytes)
	return d
}

// watch calls end, with the reason, when there is too much.
func (d *disk) watch(end func(limit string)) {
	pause := diskOften
	for {
		<-time.After(pause)
		began := time.Now()
		if limit := d.over(); limit != "" {
			end(limit)
		}
		pause = max(diskOften, diskPart*time.Since(began))
	}
}

// over names the exceeded bound, or "".
func (d *disk) over() string {
	switch c := d.count(); {
	case c.files > d.files || c.depth > maxFolderDepth:
		return "files"
	case c.bytes > d.bytes:
		return "disk"
	default:
		return ""
	}
}

// content is the counted content, up to a little more than the bounds.
type content struct {
	files, depth int
	bytes        int64
}

func (d *disk) count() content {
	var c content
	fd, err := unix.Open(d.workspace, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err == nil {
		d.folder(os.NewFile(uintptr(fd), d.workspace), 1, &c)
	}
	c.bytes += d.unnamed()
	return c
}

// folder counts the content of an open folder, and closes it. It follows no link and
// opens only folders: a pipe would block.
func (d *disk) folder(f *os.File, depth int, c *content) {
	defer f.Close()
	c.depth = max(c.depth, depth)
	const some = 256
	for c.depth <= maxFolderDepth && c.files <= d.files && c.bytes <= d.bytes {
		entries, err := f.ReadDir(some)
		for _, e := range entries {
			c.files++
			if e.IsDir() {
				fd, err := unix.Openat(int(f.Fd()), e.Name(), unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
				if err == nil {
					d.folder(os.NewFile(uintptr(fd), e.Name()), depth+1, c)
				}
				continue
			}
			var st unix.Stat_t
			if e.Type().IsRegular() && unix.Fstatat(int(f.Fd()), e.Name(), &st, unix.AT_SYMLINK_NOFOLLOW) == nil {
				c.bytes += onDisk(st.Size, st.Blocks)
			}
		}
		if err != nil { // the end, or gone
			return
		}
	}
}

// onDisk is the space of a file: its size, or more if blocks were reserved behind it.
func onDisk(size, blocks int64) int64 {
	const block = 512
	return max(size, blocks*block)
}

// unnamed is the size, in bytes, of files that have lost their name but that a
// process has open or in its memory.
func (d *disk) unnamed() (total int64) {
	var scratch unix.Stat_t
	if unix.Stat(d.scratch, &scratch) != nil {
		return 0
	}
	seen := map[uint64]bool{}
	open, _ := filepath.Glob("/proc/[0-9]*/fd/*")
	for _, name := range open {
		info, err := os.Stat(name) // of the file, which is not opened
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		st, ok := info.Sys().(*syscall.Stat_t)
		if !ok || st.Nlink > 0 || st.Dev == scratch.Dev || seen[st.Ino] {
			continue
		}
		seen[st.Ino] = true
		total += onDisk(st.Size, st.Blocks)
	}
	mapped, _ := filepath.Glob("/proc/[0-9]*/maps")
	for _, name := range mapped {
		b, err := os.ReadFile(name) //nolint:gosec // G304: from the pattern above
		if err != nil {
			continue
		}
		total += d.mapped(b, seen)
	}
	return total
}

// mapped is the size of files without a name that a process has in its memory alone.
// Their true size cannot be seen: each counts as the largest possible one.
func (d *disk) mapped(maps []byte, seen map[uint64]bool) (total int64) {
	for line := range bytes.Lines(maps) {
		// address, rights, offset, device, inode, path
		text := strings.TrimSuffix(string(line), "\n")
		at := strings.Index(text, d.workspace+"/")
		if at < 0 || !strings.HasSuffix(text, " (deleted)") {
			continue
		}
		const inode = 4
		fields := strings.Fields(text[:at])
		if len(fields) <= inode {
			continue
		}
		n, err := strconv.ParseUint(fields[inode], 10, 64)
		if err == nil && !seen[n] {
			seen[n] = true
			total += d.fileSize
		}
	}
	return total
}
