package sandbox_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"parley/pkg/sandbox"
)

func TestForkBombEnds(t *testing.T) {
	t.Parallel()
	box := newBox(t, sandbox.Options{Processes: 64})
	self, err := filepath.Abs(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	threads := self + " " + victim + " " + threading
	for name, script := range map[string]string{
		"the classic": `f() { f | f & }; f; wait; sleep 100`,
		"in a loop":   `while :; do sleep 100 & done`,
		"detached":    `g() { setsid sh -c 'sleep 100' & g; }; g`,
		"of threads":  threads + " & " + threads + " & " + threads + " & " + threads,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			begun, dead := untilDead(t, dir)
			c := sh(dir, "exec 3>alive; echo begun >&3; "+script)
			c.Readable, c.Timeout = []string{self}, 4*outside
			res := run(t, box, c)
			wait(t, begun, "the program")
			wantDead(t, dead, time.Now())
			if res.Limit != "processes" {
				t.Errorf("it ended with %d, limit %q, in time %v: %s", res.ExitCode, res.Limit, !res.TimedOut, res.Stderr)
			}
		})
	}
	if res := run(t, box, sh(t.TempDir(), "echo fine")); string(res.Stdout) != "fine\n" {
		t.Errorf("then a program says %q", res.Stdout)
	}
}

// manyThreads plays the part of a program four of which have more threads than the 128
// of that test, and fewer than the kernel gives.
func manyThreads() {
	for range 35 {
		go func() {
			runtime.LockOSThread()
			<-time.After(outside)
		}()
	}
	<-time.After(outside)
}

// TestInitHasItsThreads: the program, which may use up all numbers of processes, begins
// when the init has more threads than it needs.
func TestInitHasItsThreads(t *testing.T) {
	t.Parallel()
	const enough = 16
	box := newBox(t, sandbox.Options{})
	res := run(t, box, sh(t.TempDir(), `while read -r name n; do [ $name = Threads: ] && echo $n; done </proc/1/status`))
	if n, err := strconv.Atoi(strings.TrimSpace(string(res.Stdout))); err != nil || n < enough {
		t.Errorf("the init has %q threads: %s", res.Stdout, res.Stderr)
	}
}

// TestAnInitThatDies: a death of the init that the program did not cause is an error
// with the state in which it ended.
func TestAnInitThatDies(t *testing.T) {
	t.Parallel()
	box := newBox(t, sandbox.Options{})
	dir := t.TempDir()
	begun, dead := untilDead(t, dir)
	mark := "10" + strconv.Itoa(os.Getpid())
	ended := make(chan error, 1)
	go func() {
		res, err := box.Run(t.Context(), sh(dir, "exec 3>alive; echo begun >&3; echo 'sh: Cannot fork' >&2; exec sleep "+mark))
		if err == nil {
			err = fmt.Errorf("a result: %+v", res)
		}
		ended <- err
	}()
	wait(t, begun, "the program")
	if err := unix.Kill(parentOf(t, "sleep\x00"+mark+"\x00"), unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := wait(t, ended, "the end"); !strings.HasSuffix(err.Error(), "(signal: killed)") {
		t.Errorf("it ended with %v", err)
	}
	wantDead(t, dead, time.Now())
}

// parentOf waits for the process with a command line and returns its parent's number.
func parentOf(t *testing.T, line string) int {
	t.Helper()
	for end := time.Now().Add(outside); time.Now().Before(end); <-time.After(time.Millisecond) {
		all, _ := filepath.Glob("/proc/[0-9]*/cmdline")
		for _, name := range all {
			if b, _ := os.ReadFile(name); string(b) != line {
				continue
			}
			status, _ := os.ReadFile(filepath.Dir(name) + "/status")
			if m := regexp.MustCompile(`PPid:\s+(\d+)`).FindSubmatch(status); m != nil {
				pid, _ := strconv.Atoi(string(m[1]))
				return pid
			}
		}
	}
	t.Fatalf("there is no process %q", line)
	return 0
}

// TestHugeOutput writes 1 GiB and looks at our own memory at its highest.
func TestHugeOutput(t *testing.T) { //nolint:paralleltest // others' memory is not its own
	box := newBox(t, sandbox.Options{})
	const most = 10 << 20
	memory := func(what string) int64 {
		b, err := os.ReadFile("/proc/self/status")
		if err != nil {
			t.Fatal(err)
		}
		m := regexp.MustCompile(what + `:\s+(\d+) kB`).FindSubmatch(b)
		if m == nil {
			t.Skipf("not run: /proc has no %s", what)
		}
		n, _ := strconv.ParseInt(string(m[1]), 10, 64)
		return n << 10
	}
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil { // forgets the peak
		t.Skipf("not run: %v", err)
	}
	before := memory("VmRSS")
	c := sh(t.TempDir(), `echo first; echo first >&2; head -c 512M /dev/zero; head -c 512M /dev/zero >&2; echo last; echo last >&2`)
	c.Timeout = 2 * time.Minute
	res := run(t, box, c)
	if grown := memory("VmHWM") - before; grown > most {
		t.Errorf("1 GiB of output took %d bytes of memory", grown)
	}
	for _, out := range [][]byte{res.Stdout, res.Stderr} {
		if len(out) > 65<<10 || !bytes.HasPrefix(out, []byte("first\n")) || !bytes.HasSuffix(out, []byte("\x00last\n")) {
			t.Errorf("%d bytes are kept, %q to %q", len(out), out[:min(6, len(out))], out[max(0, len(out)-6):])
		}
	}
	if !res.Truncated || res.ExitCode != 0 {
		t.Errorf("truncated %v, exit code %d", res.Truncated, res.ExitCode)
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	const megabyte = 1 << 20
	box := newBox(t, sandbox.Options{Memory: 64 * megabyte, FileSize: megabyte, Scratch: megabyte})
	dir := t.TempDir()
	for name, script := range map[string]string{
		"file":         `head -c 2M /dev/zero >big; [ $(wc -c <big) -gt 1048576 ]`,
		"temporary":    `for i in 1 2 3; do head -c 1M /dev/zero >/tmp/$i; done; [ $(cat /tmp/? | wc -c) -gt 1048576 ]`,
		"memory":       `head -c 200M /dev/zero | tail -n 1 >/dev/null`,
		"all together": `for i in 1 2 3 4; do (head -c 40M /dev/zero | tail -n 1 | (sleep 1; cat >/dev/null)) & done; wait; sleep 1`,
		"open files":   `i=3; ulimit -n 1000 && echo raised`,
		"core":         `ulimit -c 1000 && echo raised`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if res := run(t, box, sh(dir, script)); res.ExitCode == 0 {
				t.Errorf("it went well: limit %q, %s%s", res.Limit, res.Stdout, res.Stderr)
			}
		})
	}
}

func TestOutput(t *testing.T) {
	t.Parallel()
	box := newBox(t, sandbox.Options{})
	dir := t.TempDir()
	for name, c := range map[string]struct {
		script string
		max    int
		want   string
		cut    bool
	}{
		"whole":         {"printf 123456", 6, "123456", false},
		"empty":         {":", 6, "", false},
		"one too many":  {"printf 1234567", 6, "123\n[... 1 bytes left out ...]\n567", true},
		"head and tail": {"seq 1 100000", 8, "1\n2\n\n[... 588887 bytes left out ...]\n000\n", true},
		"round about":   {"for i in 1 2 3 4 5 6 7 8 9; do printf $i; sleep 0.01; done", 4, "12\n[... 5 bytes left out ...]\n89", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := sh(dir, c.script)
			cmd.MaxOutput = c.max
			res := run(t, box, cmd)
			if string(res.Stdout) != c.want || res.Truncated != c.cut {
				t.Errorf("got %q, truncated %v", res.Stdout, res.Truncated)
			}
		})
	}
}

func TestLinesAndStdin(t *testing.T) {
	t.Parallel()
	box := newBox(t, sandbox.Options{})
	var told []string
	c := sh(t.TempDir(), `cat; printf 'one\r\ntwo\n\n' >&2; head -c 9000 /dev/zero | tr '\0' x >&2; printf '\nlast' >&2`)
	c.Stdin = strings.NewReader("input")
	c.Line = func(line string) { told = append(told, line) }
	res := run(t, box, c)
	want := []string{"one", "two", "", strings.Repeat("x", 4<<10), "last"}
	if diff := cmp.Diff(want, told); diff != "" || string(res.Stdout) != "input" {
		t.Errorf("stdout %q, lines -want +got\n%s", res.Stdout, diff)
	}
	// A program that reads nothing of an endless input ends all the same.
	c = sh(t.TempDir(), "exit 3")
	endless, _ := io.Pipe()
	c.Stdin = endless
	if res := run(t, box, c); res.ExitCode != 3 {
		t.Errorf("exit code %d", res.ExitCode)
	}
	_ = endless.Close()
}

func TestExitCodes(t *testing.T) {
	t.Parallel()
	box := newBox(t, sandbox.Options{})
	dir := t.TempDir()
	for script, want := range map[string]int{
		"exit 0": 0, "exit 3": 3, "exit 255": 255, "kill -9 $$": 137,
		"kill -TERM $$": 143, "kill -SEGV $$": 139, "no-such-command": 127,
	} {
		if res := run(t, box, sh(dir, script)); res.ExitCode != want {
			t.Errorf("%s: exit code %d, want %d", script, res.ExitCode, want)
		}
	}
}

// TestNotRun is what ends in an error and not in a result.
func TestNotRun(t *testing.T) {
	t.Parallel()
	box := newBox(t, sandbox.Options{})
	dir := t.TempDir()
	write(t, dir+"/text", "not a program")
	if err := os.Symlink("/", dir+"/out"); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]sandbox.Command{
		"no program":         {Path: "/usr/bin/no-such-program", Workspace: dir},
		"not executable":     {Path: dir + "/text", Workspace: dir},
		"a relative program": {Path: "true", Workspace: dir},
		"a crooked program":  {Path: "/usr/../bin/true", Workspace: dir},
		"no workspace":       {Path: "/bin/true"},
		"the root":           {Path: "/bin/true", Workspace: "/"},
		"no such workspace":  {Path: "/bin/true", Workspace: dir + "/none"},
		"a file":             {Path: "/bin/true", Workspace: dir + "/text", Dir: dir + "/text"},
		"elsewhere":          {Path: "/bin/true", Workspace: dir, Dir: "/usr"},
		"prefix":             {Path: "/bin/true", Workspace: dir, Dir: dir + "x"},
		"no folder":          {Path: "/bin/true", Workspace: dir, Dir: dir + "/none"},
		"NUL":                {Path: "/bin/true", Args: []string{"a\x00b"}, Workspace: dir},
		"NUL in a variable":  {Path: "/bin/true", Env: []string{"A=\x00"}, Workspace: dir},
		"not readable":       {Path: "/bin/true", Workspace: dir, Readable: []string{dir + "/none"}},
	} {
		if res, err := box.Run(t.Context(), c); err == nil || errors.Is(err, sandbox.ErrUnavailable) {
			t.Errorf("%s: it was run: %+v, %v", name, res, err)
		}
	}
	res := run(t, box, sandbox.Command{Path: "/bin/ls", Workspace: dir, Dir: dir + "/out"})
	if strings.Contains(string(res.Stdout), "root") {
		t.Errorf("a linked folder leads out: %s", res.Stdout)
	}
}

// TestNoPlace runs a program while another one holds the only place.
func TestNoPlace(t *testing.T) {
	t.Parallel()
	box := sandbox.New(sandbox.Options{Unsafe: true, Parallel: 1})
	dir := t.TempDir()
	begun, dead := untilDead(t, dir)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := box.Run(ctx, sh(dir, "exec 3>alive; echo begun >&3; sleep 100"))
		ended <- err
	}()
	wait(t, begun, "the first program")
	c := sh(dir, "exit 0")
	c.Owner, c.Patience = "another", 10*time.Millisecond
	waits := 0
	c.Waits = func() func() { waits++; return func() { waits++ } }
	again, stop := context.WithTimeout(t.Context(), outside)
	defer stop()
	if _, err := box.Run(again, c); !errors.Is(err, sandbox.ErrBusy) || waits != 2 {
		t.Errorf("it ended with %v, and told its wait %d times", err, waits)
	}
	cancel()
	wait(t, ended, "the first run")
	wait(t, dead, "the end of the first program")
	if res := run(t, box, c); res.ExitCode != 0 {
		t.Errorf("then it ends with %d", res.ExitCode)
	}
}

// TestProbesFindEscapes runs the probes where there is no sandbox.
func TestProbesFindEscapes(t *testing.T) {
	t.Parallel()
	found, err := sandbox.Escapes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	wanted := []string{
		"a file outside can be read", "a file was made outside", "a file outside was changed", "/proc/sys can be seen",
		"the gateway's process can be seen", "this machine's own addresses can be reached", "this machine's sockets can be reached",
		"sockets of family 16 can be made", // netlink, which every Linux has
		"memory can be held that counts for no process",
	}
	if sandbox.Runs32() {
		wanted = append(wanted, "a program of 32 bits can make any socket")
	}
	for _, want := range wanted {
		if !slices.Contains(found, want) {
			t.Errorf("the probes do not find: %s\nthey found %q", want, found)
		}
	}
}

// TestUnavailable asks where there is none: inside of a sandbox.
func TestUnavailable(t *testing.T) {
	t.Parallel()
	box := newBox(t, sandbox.Options{})
	self, err := filepath.Abs(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	res := run(t, box, sandbox.Command{Path: self, Args: []string{victim, asking}, Workspace: t.TempDir(), Timeout: outside})
	if !strings.HasPrefix(string(res.Stdout), sandbox.ErrUnavailable.Error()+": ") {
		t.Errorf("it says %q, %s", res.Stdout, res.Stderr)
	}
}

// TestUnsafe is what holds without a sandbox.
func TestUnsafe(t *testing.T) {
	t.Parallel()
	box := sandbox.New(sandbox.Options{Unsafe: true})
	if err := box.Available(); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	res := run(t, box, sh(dir, `pwd; echo $HOME; touch $TMPDIR/x; ulimit -c; ulimit -n; grep NoNewPrivs /proc/self/status; exit 4`))
	lines := strings.Split(string(res.Stdout), "\n")
	if res.ExitCode != 4 || len(lines) != 6 || lines[0] != dir || lines[2] != "0" || lines[3] != "256" || lines[4] != "NoNewPrivs:\t1" {
		t.Fatalf("exit code %d, %q, %s", res.ExitCode, lines, res.Stderr)
	}
	if _, err := os.Stat(lines[1]); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the temporary folder is left: %v", err)
	}
	begun, dead := untilDead(t, dir)
	c := sh(dir, `sh -c 'exec 3>alive; echo begun >&3; sleep 100' & sleep 100`)
	c.Timeout = time.Second
	if res := run(t, box, c); !res.TimedOut {
		t.Errorf("it did not time out: %+v", res)
	}
	wait(t, begun, "the child")
	wantDead(t, dead, time.Now())
}

// TestOpenFilesStayOutside leaves a file open that children would inherit.
func TestOpenFilesStayOutside(t *testing.T) {
	t.Parallel()
	newBox(t, sandbox.Options{})
	dir := t.TempDir()
	write(t, dir+"/secret", "secret")
	// The gateway's own parent left it open: a shell does.
	c := exec.CommandContext(t.Context(), "/bin/sh", "-c", fmt.Sprintf(`exec 7<%s/secret; exec %s -test.run='^TestNothingOutside$/open_files'`, dir, os.Args[0]))
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
