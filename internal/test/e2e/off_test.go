package e2e_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"parley/internal/test/rig"
)

// TestNoServerUnlessItIsConfigured: a gateway without http listens at no port, and one with an address of this machine there alone.
func TestNoServerUnlessItIsConfigured(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("the ports of a process are read from /proc")
	}
	addr := freeAddr(t)
	_, port, _ := strings.Cut(addr, ":")
	for name, tc := range map[string]struct {
		config rig.Config
		want   string
	}{
		"none":       {rig.Config{}, ""},
		"configured": {rig.Config{HTTP: addr}, "127.0.0.1:" + port},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := prepare(t, echoes, tc.config)
			w.start()
			t.Cleanup(func() { w.process.Kill() })
			w.say("c", "hello")
			w.expect("c", 1, "heard: hello")
			if got := strings.Join(listening(t, w.process.Pid), " "); got != tc.want {
				t.Errorf("it listens at %q, want %q", got, tc.want)
			}
		})
	}
}

// listening are the addresses at which a process listens, by Linux's own tables.
func listening(t *testing.T, pid int) []string {
	t.Helper()
	dir := fmt.Sprint("/proc/", pid)
	own := map[string]bool{}
	open, err := filepath.Glob(dir + "/fd/*")
	if err != nil || len(open) == 0 {
		t.Fatalf("the open files of the process: %d, %v", len(open), err)
	}
	for _, fd := range open {
		to, _ := os.Readlink(fd) // it may be closed by now
		if inode, ok := strings.CutPrefix(to, "socket:["); ok {
			own[strings.TrimSuffix(inode, "]")] = true
		}
	}
	var found []string
	for _, table := range []string{"tcp", "tcp6"} {
		raw, err := os.ReadFile(dir + "/net/" + table)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(raw)) {
			const local, state, inode, listens = 1, 3, 9, "0A"
			if row := strings.Fields(line); len(row) > inode && row[state] == listens && own[row[inode]] {
				found = append(found, address(t, row[local]))
			}
		}
	}
	return found
}

// address reads an address as /proc writes it: IPv4 as a number of the machine's own byte order; IPv6 stays as it is.
func address(t *testing.T, row string) string {
	t.Helper()
	var a, b, c, d, port int
	if n, err := fmt.Sscanf(row, "%02X%02X%02X%02X:%04X", &d, &c, &b, &a, &port); err != nil || n != 5 {
		return row
	}
	return fmt.Sprintf("%d.%d.%d.%d:%d", a, b, c, d, port)
}
