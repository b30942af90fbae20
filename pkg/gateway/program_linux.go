package gateway

import (
	"bufio"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// releaseProgram takes the pages of the program's own file out of the process that are only
// read: the start touches most of them, and the kernel maps their neighbours with them, but a
// gateway that serves needs a third. What is needed again comes back from the kernel's cache of
// the file. It does what it can: a gateway with more pages works as well.
func releaseProgram() {
	path, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return
	}
	maps, err := os.Open("/proc/self/maps")
	if err != nil {
		return
	}
	defer func() { _ = maps.Close() }()
	for lines := bufio.NewScanner(maps); lines.Scan(); {
		if start, size, ok := programRange(lines.Text(), path); ok {
			_, _, _ = unix.Syscall(unix.SYS_MADVISE, start, size, unix.MADV_DONTNEED)
		}
	}
}

// programRange reads a line of /proc/self/maps (proc_pid_maps(5)), such as
//
//	00400000-0106c000 r-xp 00000000 fe:00 1234  /usr/bin/parley
//
// and returns the range of memory if it is a private, unwritable one of the file at path.
func programRange(line, path string) (start, size uintptr, ok bool) {
	const before = 5 // fields before the path, which may have spaces
	f := strings.Fields(line)
	if len(f) <= before || !strings.HasSuffix(line, " "+path) || f[1] != "r-xp" && f[1] != "r--p" {
		return 0, 0, false
	}
	from, to, _ := strings.Cut(f[0], "-")
	lo, errLo := strconv.ParseUint(from, 16, strconv.IntSize)
	hi, errHi := strconv.ParseUint(to, 16, strconv.IntSize)
	if errLo != nil || errHi != nil || hi <= lo {
		return 0, 0, false
	}
	return uintptr(lo), uintptr(hi - lo), true
}
