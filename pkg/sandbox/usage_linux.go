package sandbox

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// use is the consumption of a sandbox's processes without the init.
type use struct {
	processes, threads int
	memory             int64 // in bytes: resident, swapped out, and large pages
}

// crowds says whether there are more processes, or threads of all of them, than a run may have.
func (u use) crowds(s *spec) bool {
	return u.processes > s.Processes || u.threads > s.threads()
}

// usage looks at all processes but this one.
func usage() (u use) {
	all, err := filepath.Glob("/proc/[0-9]*/status")
	if err != nil {
		return use{}
	}
	for _, name := range all {
		if name == "/proc/1/status" {
			continue
		}
		b, err := os.ReadFile(name) //nolint:gosec // G304: from the pattern above
		if err != nil {
			continue // it has ended
		}
		u = u.and(b)
	}
	return u
}

// and counts the process of a status file too.
func (u use) and(status []byte) use {
	const kilobyte = 1 << 10
	u.processes++
	for line := range bytes.Lines(status) {
		name, value, _ := strings.Cut(string(line), ":")
		n, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
		switch name {
		case "Threads":
			u.threads += int(n)
		case "VmRSS", "VmSwap", "HugetlbPages":
			u.memory += n * kilobyte
		}
	}
	return u
}

// socketBuffer is the capacity of a socket, in unread bytes. It is asked before the
// machine's settings are out of sight.
func socketBuffer() int64 {
	const usual = 212992
	b, err := os.ReadFile("/proc/sys/net/core/wmem_default")
	n, bad := strconv.ParseInt(strings.TrimSpace(string(b)), 10, 64)
	if err != nil || bad != nil {
		return usual
	}
	return n
}

// socketMemory is the most that the sockets of the sandbox's own network hold, by
// their number: the kernel counts it for no process. Where the network is the
// machine's, the sockets are not the sandbox's alone.
func socketMemory(each int64) int64 {
	b, err := os.ReadFile("/proc/self/net/sockstat")
	if err != nil {
		return 0
	}
	first, _, _ := strings.Cut(string(b), "\n")
	n, _ := strconv.ParseInt(strings.TrimPrefix(first, "sockets: used "), 10, 64)
	return n * each
}
