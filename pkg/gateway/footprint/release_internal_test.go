//go:build linux

package footprint

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestMapping: of the memory of a process, only what is read, belongs to the program's own file and
// is as there may go.
func TestMapping(t *testing.T) {
	t.Parallel()
	const path = "/opt/my tools/parley"
	for head, want := range map[string]bool{
		"00400000-00500000 r-xp 00000000 fe:00 12    /opt/my tools/parley":    true,
		"00500000-00501000 r--p 00100000 fe:00 12    /opt/my tools/parley":    true,
		"00501000-00502000 rw-p 00101000 fe:00 12    /opt/my tools/parley":    false,
		"00501000-00502000 r--s 00101000 fe:00 12    /opt/my tools/parley":    false,
		"00501000-00502000 r--p 00101000 fe:00 12    /opt/my tools/parley.db": false,
		"00501000-00502000 r--p 00101000 fe:00 12    /usr/lib/libc.so":        false,
		"7fff0000-7fff1000 r-xp 00000000 00:00 0     [vdso]":                  false,
		"c000000000-c000400000 rw-p 00000000 00:00 0 ":                        false,
		"00502000-00501000 r--p 00101000 fe:00 12    /opt/my tools/parley":    false,
		"x-00501000 r--p 00101000 fe:00 12           /opt/my tools/parley":    false,
	} {
		for lines, clean := range map[string]bool{
			"Rss:      4 kB\nAnonymous:      0 kB\nVmFlags: rd ex mr mw me": true,
			"Rss:      4 kB\nAnonymous:      4 kB\nVmFlags: rd mr mw me":    false,
			"Rss:      4 kB\nVmFlags: rd mr mw me":                          false,
		} {
			m, released := mapping{start: 1, size: 1, program: true}, false
			for line := range strings.SplitSeq(head+"\n"+lines, "\n") {
				if m.read(line, path) {
					released = true
				}
			}
			if released != (want && clean) {
				t.Errorf("%q with %q: %v", head, lines, released)
			}
		}
	}
	m := mapping{}
	m.read("00400000-00501000 r-xp 00000000 fe:00 12 "+path, path)
	if m.start != 0x400000 || m.size != 0x101000 {
		t.Errorf("the range is %#x and %#x bytes", m.start, m.size)
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
			t.Fatalf("the kernel does not tell which memory belongs to files: %s", raw)
		}
		n, err := strconv.Atoi(string(found[1]))
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	before := ofFiles()
	ReleaseProgram()
	if after := ofFiles(); after >= before {
		t.Errorf("%d kB of files were in memory, and are now %d", before, after)
	}
}
