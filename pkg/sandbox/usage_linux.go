package sandbox

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// usage counts the processes but this one, and their memory in bytes: what they have
// in memory, what of it is swapped out, and their large pages.
func usage() (processes int, memory int64) {
	all, err := filepath.Glob("/proc/[0-9]*/status")
	if err != nil {
		return 0, 0
	}
	for _, name := range all {
		if name == "/proc/1/status" {
			continue
		}
		b, err := os.ReadFile(name) //nolint:gosec // G304: from the pattern above
		if err != nil {
			continue // it has ended
		}
		processes++
		memory += statusBytes(b)
	}
	return processes, memory
}

// statusBytes adds up what a status file of a process says of its memory.
func statusBytes(status []byte) (total int64) {
	const kilobyte = 1 << 10
	for line := range bytes.Lines(status) {
		name, value, _ := strings.Cut(string(line), ":")
		switch name {
		case "VmRSS", "VmSwap", "HugetlbPages":
			n, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
			total += n * kilobyte
		}
	}
	return total
}

// socketBuffer is what a socket may hold, in bytes, that nobody has read. It is asked
// before the machine's settings are out of sight.
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
