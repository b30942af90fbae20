package footprint

import (
	"bufio"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// ReleaseProgram takes the pages of the program's own file out of the process that are only
// read: the start touches most of them, and the kernel maps their neighbours with them, but a
// gateway that serves needs a third. The kernel maps a page again from its cache of the file when
// the program reads it. A range that cannot be released stays: the gateway works as well with it.
func ReleaseProgram() {
	path, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return
	}
	maps, err := os.Open("/proc/self/smaps")
	if err != nil {
		return
	}
	defer func() { _ = maps.Close() }()
	var m mapping
	for lines := bufio.NewScanner(maps); lines.Scan(); {
		if m.read(lines.Text(), path) {
			_, _, _ = unix.Syscall(unix.SYS_MADVISE, m.start, m.size, unix.MADV_DONTNEED)
		}
	}
}

// mapping is a range of memory while its lines of /proc/self/smaps are read (proc_pid_smaps(5)),
// such as
//
//	00400000-0106c000 r-xp 00000000 fe:00 1234  /usr/bin/parley
//	Rss:                4096 kB
//	Anonymous:             0 kB
type mapping struct {
	start, size uintptr
	// program says that the range is one of the program's file that is private and read only.
	program bool
}

// read takes a line, and says at the line that tells it whether the range is as in the program's
// file. One that is not, such as the table that a dynamic linker has filled and closed, must stay.
func (m *mapping) read(line, path string) (clean bool) {
	const before = 5 // fields before the path, which may have spaces
	f := strings.Fields(line)
	switch {
	case len(f) >= 2 && f[0] == "Anonymous:":
		return m.program && f[1] == "0"
	case len(f) < before || !strings.Contains(f[0], "-"):
		return false
	}
	from, to, _ := strings.Cut(f[0], "-")
	lo, errLo := strconv.ParseUint(from, 16, strconv.IntSize)
	hi, errHi := strconv.ParseUint(to, 16, strconv.IntSize)
	*m = mapping{uintptr(lo), uintptr(hi - lo), errLo == nil && errHi == nil && hi > lo &&
		len(f) > before && strings.HasSuffix(line, " "+path) && (f[1] == "r-xp" || f[1] == "r--p")}
	return false
}
