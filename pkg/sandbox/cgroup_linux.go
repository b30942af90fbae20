package sandbox

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// The names of the control groups below the delegated one.
const (
	ownGroup  = "parley-gateway" // this process: a group with children has no process itself
	runPrefix = "parley-run-"
)

// Groups are the control groups of runs (cgroup v2), below one that was delegated to
// this process. They count all memory of a run, so that its programs may share memory.
type Groups struct {
	dir string // the delegated one
	cpu bool   // it can share the processors out
}

// Claim takes over the control group of this process if it was delegated to it: it moves
// the process into a group below and removes groups that an earlier process left there. An
// error gives the reason why there is no such group; nothing has then changed. Call it
// once, before this process starts others.
//
// A group is delegated when its folder has the attribute user.delegate or trusted.delegate,
// as systemd sets it for Delegate=, or when an ordinary user owns it. It must have the
// controllers memory and pids, and no process but this one.
func Claim() (*Groups, error) {
	dir, err := delegated()
	if err != nil {
		return nil, err
	}
	g := &Groups{dir: dir, cpu: slices.Contains(words(dir, "cgroup.controllers"), "cpu")}
	if err := g.claim(); err != nil {
		return nil, fmt.Errorf("take the control group %s over: %w", dir, errors.Join(err, g.release()))
	}
	return g, nil
}

// Claimable gives the reason why [Claim] would fail, or nil. It changes no group.
func Claimable() error {
	_, err := delegated()
	return err
}

// delegated is the folder of the group that was delegated to this process.
func delegated() (string, error) {
	dir, err := ownFolder()
	if err != nil {
		return "", err
	}
	if filepath.Base(dir) == ownGroup { // claimed before
		if err := alone(dir); err != nil {
			return "", err
		}
		dir = filepath.Dir(dir)
	}
	return dir, usable(dir, isDelegated)
}

// usable says why a group cannot be taken over, nil when it can.
func usable(dir string, given func(dir string) bool) error {
	for _, controller := range []string{"memory", "pids"} {
		if !slices.Contains(words(dir, "cgroup.controllers"), controller) {
			return fmt.Errorf("the control group %s has no controller %s", dir, controller)
		}
	}
	if kind := words(dir, "cgroup.type"); !slices.Equal(kind, []string{"domain"}) {
		return fmt.Errorf("the control group %s is the root, or one of threads: its type is %q", dir, kind)
	}
	if _, err := os.Stat(filepath.Join(dir, "memory.swap.max")); err != nil {
		return fmt.Errorf("the control group %s does not count what is swapped out", dir)
	}
	if !given(dir) {
		return fmt.Errorf("the control group %s is not delegated to the gateway", dir)
	}
	return alone(dir)
}

// ownFolder is where this process's group of version 2 can be seen.
func ownFolder() (string, error) {
	const none = "there is no control group of version 2 here"
	groups, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return "", errors.New(none)
	}
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return "", errors.New(none)
	}
	dir := folderOf(string(groups), string(mounts))
	if dir == "" {
		return "", errors.New(none)
	}
	return dir, nil
}

// folderOf is the folder of the group that /proc/self/cgroup names, by the mounts of
// /proc/self/mountinfo, or "".
func folderOf(groups, mounts string) string {
	var group string
	for line := range strings.Lines(groups) {
		if rest, ok := strings.CutPrefix(line, "0::"); ok {
			group = strings.TrimSuffix(rest, "\n")
		}
	}
	if !filepath.IsAbs(group) || filepath.Clean(group) != group {
		return ""
	}
	for line := range strings.Lines(mounts) {
		// ID parent device root folder options [tags] - type source options
		f := strings.Fields(line)
		end := slices.Index(f, "-")
		const root, folder = 3, 4
		if end <= folder || len(f) < end+2 || f[end+1] != "cgroup2" || strings.Contains(f[folder], `\`) || !within(f[root], group) {
			continue
		}
		return filepath.Join(f[folder], strings.TrimPrefix(group, strings.TrimSuffix(f[root], "/")))
	}
	return ""
}

// isDelegated says whether this process was given a group to rule below it.
func isDelegated(dir string) bool {
	for _, name := range []string{"user.delegate", "trusted.delegate"} {
		value := make([]byte, 8)
		if n, err := unix.Getxattr(dir, name, value); err == nil && string(value[:n]) == "1" {
			return true
		}
	}
	if os.Geteuid() == 0 {
		return false // root may write everywhere
	}
	for _, name := range []string{".", "cgroup.procs", "cgroup.subtree_control"} {
		if unix.Access(filepath.Join(dir, name), unix.W_OK) != nil {
			return false
		}
	}
	return true
}

// alone says which group has other processes than this one: they cannot stay in a
// group that has children, and are not the gateway's to move.
func alone(dir string) error {
	for _, pid := range words(dir, "cgroup.procs") {
		if pid != strconv.Itoa(os.Getpid()) {
			return fmt.Errorf("other processes are in the control group %s", dir)
		}
	}
	return nil
}

// words are those of one of a group's files, or an empty list if it cannot be read.
func words(dir, name string) []string {
	b, _ := os.ReadFile(filepath.Join(dir, name)) //nolint:gosec // G304: a group's file
	return strings.Fields(string(b))
}

// set writes one of a group's files.
func set(dir, name, value string) error {
	return os.WriteFile(filepath.Join(dir, name), []byte(value), 0)
}

func (g *Groups) claim() error {
	own := filepath.Join(g.dir, ownGroup)
	if err := os.Mkdir(own, dirMode); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	if err := set(own, "cgroup.procs", strconv.Itoa(os.Getpid())); err != nil {
		return err
	}
	if err := set(g.dir, "cgroup.subtree_control", "+memory +pids"); err != nil {
		return err
	}
	if g.cpu {
		g.cpu = set(g.dir, "cgroup.subtree_control", "+cpu") == nil
	}
	left, err := filepath.Glob(filepath.Join(g.dir, runPrefix+"*"))
	if err != nil {
		return err
	}
	for _, dir := range left {
		(&runGroup{dir: dir}).end()
	}
	first, err := g.group(&spec{Memory: 1, Processes: 1})
	if err != nil {
		return err
	}
	first.end()
	return nil
}

// release puts this process back where it was.
func (g *Groups) release() error {
	if err := set(g.dir, "cgroup.subtree_control", "-memory -pids"); err != nil {
		return err
	}
	if g.cpu {
		_ = set(g.dir, "cgroup.subtree_control", "-cpu")
	}
	if err := set(g.dir, "cgroup.procs", strconv.Itoa(os.Getpid())); err != nil {
		return err
	}
	return unix.Rmdir(filepath.Join(g.dir, ownGroup))
}

// runGroup is the control group of one run.
type runGroup struct {
	dir  string
	file *os.File // its folder
}

// group makes the group of a run. It bounds all memory: that of the processes, of the
// temporary files, and of the init.
func (g *Groups) group(s *spec) (*runGroup, error) {
	const init = 32 << 20
	const weight = "10" // of the processors; other groups have 100
	run := &runGroup{dir: filepath.Join(g.dir, runPrefix+rand.Text())}
	err := os.Mkdir(run.dir, dirMode)
	for _, f := range []struct{ name, value string }{
		{"memory.max", strconv.FormatInt(s.Memory+s.Scratch+init, 10)},
		{"memory.swap.max", "0"},
		{"memory.oom.group", "1"},
		{"pids.max", strconv.Itoa(s.numbers())},
	} {
		if err == nil {
			err = set(run.dir, f.name, f.value)
		}
	}
	if err == nil && g.cpu {
		err = set(run.dir, "cpu.weight", weight)
	}
	if err == nil {
		run.file, err = os.Open(run.dir)
	}
	if err != nil {
		run.end()
		return nil, fmt.Errorf("a control group for the run: %w", err)
	}
	return run, nil
}

// judge completes a result by the kernel's counts. The kernel ends everything in a group
// that has too much memory, also the init, which then reports nothing: err is dropped.
func (g *runGroup) judge(res *Result, err error) error {
	switch {
	case g.count("memory.events", "oom_kill") > 0:
		res.Limit, err = "memory", nil
	case res.Limit == "" && res.ExitCode != 0 && g.count("pids.events", "max") > 0:
		res.Limit = "processes"
	}
	return err
}

// count is a number of one of the group's files.
func (g *runGroup) count(file, name string) (n int64) {
	b, _ := os.ReadFile(filepath.Join(g.dir, file)) //nolint:gosec // G304: a group's file
	for line := range bytes.Lines(b) {
		if value, ok := strings.CutPrefix(string(line), name+" "); ok {
			n, _ = strconv.ParseInt(strings.TrimSpace(value), 10, 64)
		}
	}
	return n
}

// end kills the processes that are left in the group and removes it. The next start
// removes a group that cannot be removed now.
func (g *runGroup) end() {
	const patience, pause = 5 * time.Second, time.Millisecond
	if g.file != nil {
		_ = g.file.Close()
	}
	_ = set(g.dir, "cgroup.kill", "1")
	for began := time.Now(); unix.Rmdir(g.dir) == unix.EBUSY && time.Since(began) < patience; {
		<-time.After(pause) // killed processes are still going away
	}
}
