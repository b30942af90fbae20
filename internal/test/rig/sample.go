package rig

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// Sample has the kernel's figures of a running process. Sizes are in KiB.
type Sample struct {
	RSS, Peak, Anon int64
	CPU             time.Duration
	Threads         int64
}

// clockTick is the unit of /proc/PID/stat on every Linux that Go runs on.
const clockTick = 10 * time.Millisecond

// Sample reads /proc of the running process.
func (p *Process) Sample() (Sample, error) {
	dir := "/proc/" + strconv.Itoa(p.Pid)
	status, err := os.ReadFile(dir + "/status") //nolint:gosec // the kernel's file of our own child
	if err != nil {
		return Sample{}, fmt.Errorf("sample: %w", err)
	}
	s := Sample{}
	fields := map[string]*int64{"VmRSS:": &s.RSS, "VmHWM:": &s.Peak, "RssAnon:": &s.Anon, "Threads:": &s.Threads}
	for line := range strings.Lines(string(status)) {
		f := strings.Fields(line)
		if len(f) < 2 {
			continue
		}
		if dst := fields[f[0]]; dst != nil {
			if *dst, err = strconv.ParseInt(f[1], 10, 64); err != nil {
				return Sample{}, fmt.Errorf("sample: %w", err)
			}
		}
	}
	stat, err := os.ReadFile(dir + "/stat") //nolint:gosec // the kernel's file of our own child
	if err != nil {
		return Sample{}, fmt.Errorf("sample: %w", err)
	}
	// The name in parentheses may hold anything; the fields after it are numbers.
	f := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	const user, system = 11, 12
	if len(f) <= system {
		return Sample{}, fmt.Errorf("sample: %s/stat has %d fields", dir, len(f))
	}
	for _, i := range []int{user, system} {
		n, err := strconv.ParseInt(f[i], 10, 64)
		if err != nil {
			return Sample{}, fmt.Errorf("sample: %w", err)
		}
		s.CPU += time.Duration(n) * clockTick
	}
	return s, nil
}
