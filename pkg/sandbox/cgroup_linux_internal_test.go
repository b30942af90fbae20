//go:build linux

package sandbox

import (
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestDelegation is which control groups are taken over. TestControlGroups takes one.
func TestDelegation(t *testing.T) {
	t.Parallel()
	const whole, hybrid, container = "36 25 0:31 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw\n",
		"30 29 0:26 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n31 29 0:27 / /sys/fs/cgroup/unified rw shared:2 - cgroup2 cgroup2 rw\n",
		"40 25 0:31 /pod/one /sys/fs/cgroup ro - cgroup2 cgroup rw\n"
	for _, c := range []struct{ groups, mounts, want string }{
		{"0::/system.slice/parley.service\n", whole, "/sys/fs/cgroup/system.slice/parley.service"},
		{"0::/\n", whole, "/sys/fs/cgroup"},
		{"4:memory:/other\n0::/own\n", hybrid, "/sys/fs/cgroup/unified/own"},
		{"0::/pod/one/two\n", container, "/sys/fs/cgroup/two"},
		{"0::/pod/one\n", container, "/sys/fs/cgroup"},
		{"0::/pod/onetwo\n", container, ""},
		{"0::/../elsewhere\n", whole, ""},
		{"4:memory:/other\n", whole, ""},
		{"0::/own\n", "25 1 0:20 / / rw - tmpfs cgroup2 rw\n", ""},
		{"0::/own\n", "36 25 0:31 / /sys/fs/a\\040b rw - cgroup2 cgroup2 rw\n", ""},
		{"0::/own\n", "36 25 -\n", ""},
	} {
		if got := folderOf(c.groups, c.mounts); got != c.want {
			t.Errorf("%q in %q: got %q, want %q", c.groups, c.mounts, got, c.want)
		}
	}

	good := map[string]string{
		"cgroup.type": "domain\n", "cgroup.controllers": "cpu io memory pids\n", "memory.swap.max": "max\n",
		"cgroup.procs": strconv.Itoa(os.Getpid()) + "\n",
	}
	given := func(string) bool { return true }
	for name, c := range map[string]struct {
		file, text string // instead of the good one
		given      func(string) bool
		want       string
	}{
		"all is well":             {"", "", given, ""},
		"the root":                {"cgroup.type", "", given, "its type is"},
		"threads":                 {"cgroup.type", "domain threaded\n", given, "its type is"},
		"no memory":               {"cgroup.controllers", "cpu pids\n", given, "has no controller memory"},
		"no processes":            {"cgroup.controllers", "memory\n", given, "has no controller pids"},
		"swap is not counted":     {"memory.swap.max", "", given, "swapped out"},
		"of somebody else":        {"", "", func(string) bool { return false }, "is not delegated"},
		"others in it":            {"cgroup.procs", good["cgroup.procs"] + "1\n", given, "other processes"},
		"processes out of sight":  {"cgroup.procs", "0\n", given, "other processes"},
		"nobody in it, yet moved": {"cgroup.procs", "\n", given, ""},
	} {
		dir := t.TempDir()
		files := maps.Clone(good)
		if c.file != "" {
			files[c.file] = c.text
		}
		for file, text := range files {
			if text == "" {
				continue
			}
			if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		err := usable(dir, c.given)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
}
