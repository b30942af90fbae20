//go:build linux

package gateway

import (
	"os"
	"regexp"
	"strconv"
	"testing"
)

// TestProgramRange: of the memory of a process, only what is read and belongs to the program's
// own file may go.
func TestProgramRange(t *testing.T) {
	t.Parallel()
	const path = "/opt/my tools/parley"
	for line, want := range map[string][2]uintptr{
		"00400000-00500000 r-xp 00000000 fe:00 12    /opt/my tools/parley":    {0x400000, 0x100000},
		"00500000-00501000 r--p 00100000 fe:00 12    /opt/my tools/parley":    {0x500000, 0x1000},
		"00501000-00502000 rw-p 00101000 fe:00 12    /opt/my tools/parley":    {},
		"00501000-00502000 r--s 00101000 fe:00 12    /opt/my tools/parley":    {},
		"00501000-00502000 r--p 00101000 fe:00 12    /opt/my tools/parley.db": {},
		"00501000-00502000 r--p 00101000 fe:00 12    /usr/lib/libc.so":        {},
		"7fff0000-7fff1000 r-xp 00000000 00:00 0     [vdso]":                  {},
		"c000000000-c000400000 rw-p 00000000 00:00 0 ":                        {},
		"00502000-00501000 r--p 00101000 fe:00 12    /opt/my tools/parley":    {},
		"x-00501000 r--p 00101000 fe:00 12           /opt/my tools/parley":    {},
		"": {},
	} {
		start, size, ok := programRange(line, path)
		if got := [2]uintptr{start, size}; got != want || ok != (want[1] > 0) {
			t.Errorf("%q: %x, %v; want %x", line, got, ok, want)
		}
	}
}

// TestReleaseProgram: fewer pages of the program's file are in memory, and the program goes on.
func TestReleaseProgram(t *testing.T) { //nolint:paralleltest // others would bring pages back meanwhile
	ofFiles := func() int {
		raw, err := os.ReadFile("/proc/self/status")
		if err != nil {
			t.Fatal(err)
		}
		found := regexp.MustCompile(`RssFile:\s+(\d+) kB`).FindSubmatch(raw)
		if found == nil {
			t.Skip("the kernel does not tell which memory belongs to files")
		}
		n, err := strconv.Atoi(string(found[1]))
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	before := ofFiles()
	releaseProgram()
	if after := ofFiles(); after >= before {
		t.Errorf("%d kB of files were in memory, and are now %d", before, after)
	}
}
