package sandbox_test

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/sandbox"
)

// TestNothingOutside tries to leave the workspace. Each script prints ESCAPED
// where it got through.
func TestNothingOutside(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	state := filepath.Join(dir, "state")
	readable := filepath.Join(dir, "readable")
	workspace := filepath.Join(dir, "workspace")
	for _, d := range []string{state, readable, readable + "/secret", workspace} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	write(t, state+"/canary", "canary")
	write(t, readable+"/file", "may be read")
	write(t, readable+"/secret/canary", "canary")
	write(t, workspace+"/own", "own")
	for link, to := range map[string]string{
		"link":     state + "/canary",
		"folder":   state,
		"up":       "..",
		"rootlink": "/",
		"proc":     "/proc/self/root",
	} {
		if err := os.Symlink(to, filepath.Join(workspace, link)); err != nil {
			t.Fatal(err)
		}
	}
	box := newBox(t, sandbox.Options{Hidden: []string{readable + "/secret", state, dir + "/absent"}})
	for name, script := range map[string]string{
		"sibling":                  `cat ../state/canary`,
		"sibling, absolute":        `cat ` + state + `/canary`,
		"link":                     `cat link`,
		"linked folder":            `cat folder/canary`,
		"up and down":              `cat up/state/canary`,
		"root link":                `cat rootlink` + state + `/canary`,
		"root of a process":        `cat /proc/1/root` + state + `/canary`,
		"working folder":           `cat /proc/1/cwd` + state + `/canary`,
		"own root":                 `cat proc` + state + `/canary`,
		"hidden in readable":       `cat ` + readable + `/secret/canary`,
		"old root":                 `ls /old /.old /oldroot /mnt /media`,
		"home":                     `ls /root`,
		"password hashes":          `cat /etc/shadow`,
		"keys":                     `ls /etc/ssl/private /etc/ssh`,
		"kernel":                   `cat /proc/kallsyms || cat /proc/sys/kernel/hostname || ls /sys/kernel`,
		"make in system":           `: >/usr/x || : >/usr/local/x || : >/bin/x || : >/etc/x || : >/x || : >/dev/x`,
		"write in system":          `echo x >>/etc/passwd || echo x >>/usr/bin/env`,
		"make outside":             `: >../made; : >` + dir + `/made; : >` + state + `/made; false`,
		"write readable":           `echo x >>` + readable + `/file || : >` + readable + `/made`,
		"through a link":           `echo x >link || echo x >folder/made`,
		"remove":                   `rm -rf ` + dir + `/state/canary; false`,
		"remove the workspace":     `rmdir ` + workspace,
		"rename out":               `cp own x; mv x ../own; mv x ` + dir + `/x; false`,
		"hard link":                `ln ` + readable + `/file hard && echo x >hard`,
		"device":                   `mknod disk b 8 0 || mknod mem c 1 1`,
		"mount":                    `mount -t tmpfs none /tmp || mount --bind / /tmp || umount /proc`,
		"more namespaces":          `unshare -U true || unshare -m true || unshare -rm true`,
		"other namespaces":         `nsenter -t 1 -m true`,
		"another root":             `chroot . true`,
		"rights by a file":         `cp /bin/sh s && chmod 4755 s && ./s -c 'grep -q "Cap...:.*[1-9a-f]" /proc/self/status'`,
		"rights":                   `grep 'Cap...:.*[1-9a-f]' /proc/self/status`,
		"new rights":               `grep 'NoNewPrivs:.0' /proc/self/status`,
		"host name":                `hostname x`,
		"clock":                    `date -s 2020-01-01`,
		"more memory than allowed": `ulimit -Hv unlimited || ulimit -Hd unlimited || ulimit -Hc 1`,
		"open files of others":     `ls /proc/self/fd | grep -v '^[0123]$'`,
		"signal the init":          `kill -9 1; kill -TERM 1; kill -0 1`,
		"memory of the init":       `head -c1 /proc/1/mem || cat /proc/1/environ || cat /proc/1/maps || readlink /proc/1/fd/3 || head -c1 /proc/1/fd/3`,
		"other processes":          fmt.Sprintf(`kill -0 %d || cat /proc/%d/environ`, os.Getpid(), os.Getpid()),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := sh(workspace, "("+script+") && echo ESCAPED")
			c.Readable = []string{readable}
			res := run(t, box, c)
			if bytes.Contains(res.Stdout, []byte("ESCAPED")) || bytes.Contains(res.Stdout, []byte("canary")) {
				t.Errorf("it got through:\n%s%s", res.Stdout, res.Stderr)
			}
		})
	}
	t.Cleanup(func() {
		for name, want := range map[string]string{state + "/canary": "canary", readable + "/file": "may be read", workspace + "/own": "own"} {
			if b, _ := os.ReadFile(name); string(b) != want {
				t.Errorf("%s now holds %q", name, b)
			}
		}
		if entries, _ := os.ReadDir(dir); len(entries) != 3 {
			t.Errorf("there is something new beside the workspace: %v", entries)
		}
	})
}

// TestWhatProgramsHave is the other side: what must work.
func TestWhatProgramsHave(t *testing.T) {
	t.Parallel()
	dir, readable := t.TempDir(), t.TempDir()
	write(t, readable+"/file", "may be read")
	write(t, dir+"/own", "own")
	box := newBox(t, sandbox.Options{})
	for name, c := range map[string]struct{ script, want string }{
		"workspace":     {`cat own; echo new >new; mkdir -p a/b; mv new a/b/; cat a/b/new; ln a/b/new c; rm -r a c`, "ownnew\n"},
		"readable":      {`cat ` + readable + `/file`, "may be read"},
		"temporary":     {`echo t >$TMPDIR/t; cat /tmp/t; cat /var/tmp/t; echo m >/dev/shm/m; cat /dev/shm/m`, "t\nt\nm\n"},
		"home":          {`cd; pwd`, "/tmp\n"},
		"user":          {`id -un; id -gn; hostname`, "agent\nagent\nsandbox\n"},
		"devices":       {`echo x >/dev/null; head -c2 /dev/zero | wc -c; head -c3 /dev/urandom | wc -c`, "2\n3\n"},
		"pipes":         {`seq 3 | sort -r | tr '\n' ' '`, "3 2 1 "},
		"exit of child": {`sh -c 'exit 7'; echo $?`, "7\n"},
		"argument":      {`echo "$0"`, "/bin/sh\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := sh(dir, c.script)
			cmd.Readable = []string{readable}
			res := run(t, box, cmd)
			if string(res.Stdout) != c.want || len(res.Stderr) > 0 {
				t.Errorf("got %q and %q, want %q", res.Stdout, res.Stderr, c.want)
			}
		})
	}
}

func TestReadOnlyWorkspace(t *testing.T) {
	t.Parallel()
	box := newBox(t, sandbox.Options{})
	dir := t.TempDir()
	write(t, dir+"/own", "own")
	c := sh(dir, `cat own; echo x >own || echo x >new || rm own || chmod 777 own`)
	c.Writable = false
	if res := run(t, box, c); string(res.Stdout) != "own" || res.ExitCode == 0 {
		t.Errorf("exit code %d, got %q and %q", res.ExitCode, res.Stdout, res.Stderr)
	}
	if b, _ := os.ReadFile(dir + "/own"); string(b) != "own" {
		t.Errorf("the file now holds %q", b)
	}
}

// TestEnvironmentIsClean fills our own environment with what would execute.
func TestEnvironmentIsClean(t *testing.T) { //nolint:paralleltest // it sets the environment
	for _, name := range []string{
		"LD_PRELOAD", "LD_LIBRARY_PATH", "BASH_ENV", "ENV", "PYTHONSTARTUP", "NODE_OPTIONS", "PERL5OPT",
		"GIT_SSH_COMMAND", "GIT_EXTERNAL_DIFF", "GIT_CONFIG_COUNT", "OPENAI_API_KEY", "SSH_AUTH_SOCK",
	} {
		t.Setenv(name, "/tmp/canary")
	}
	//nolint:paralleltest // they need that environment
	for name, o := range map[string]sandbox.Options{"sandbox": {}, "unsafe": {Unsafe: true}} {
		t.Run(name, func(t *testing.T) {
			box := newBox(t, o)
			c := sandbox.Command{Path: "/usr/bin/env", Workspace: t.TempDir(), Env: []string{"ASKED=for"}}
			var names []string
			for line := range strings.Lines(string(run(t, box, c).Stdout)) {
				n, _, _ := strings.Cut(line, "=")
				names = append(names, n)
			}
			slices.Sort(names)
			if diff := cmp.Diff([]string{"ASKED", "HOME", "LANG", "PATH", "TMPDIR"}, names); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestNoRoute(t *testing.T) {
	t.Parallel()
	const bash = "/bin/bash"
	if _, err := os.Stat(bash); err != nil {
		t.Skipf("not run: %v", err)
	}
	box := newBox(t, sandbox.Options{})
	var lc net.ListenConfig
	l, err := lc.Listen(t.Context(), "tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	dir := t.TempDir()
	for script, reaches := range map[string]bool{
		`exec 3<>/dev/tcp/127.0.0.1/` + port:                     true,
		`exec 3<>/dev/tcp/localhost/` + port:                     true,
		`exec 3<>/dev/tcp/[::ffff:127.0.0.1]/` + port:            false,
		`exec 3<>/dev/udp/192.0.2.1/53; echo x >&3`:              false,
		`exec 3<>/dev/tcp/169.254.169.254/80`:                    false,
		`[ "$(tail -n +2 /proc/self/net/route | wc -l)" -gt 0 ]`: false,
	} {
		for _, network := range []bool{false, true} {
			if network && !reaches {
				continue // what this machine reaches is not ours to say
			}
			res := run(t, box, sandbox.Command{Path: bash, Args: []string{"-c", script}, Workspace: dir, Network: network, Timeout: outside})
			if (res.ExitCode == 0) != network {
				t.Errorf("network %v: %s ends with %d: %s", network, script, res.ExitCode, res.Stderr)
			}
		}
	}
}

// TestSockets makes sockets of all families, in all ways that this machine has, with
// the network and without.
func TestSockets(t *testing.T) {
	t.Parallel()
	for _, filtered := range []string{"of family", "32 bits", "io_uring"} {
		if err := sandbox.New(sandbox.Options{}).Available(); err != nil && strings.Contains(err.Error(), filtered) {
			t.Fatal(err) // no fault of this system's: the filter holds everywhere or is refused
		}
	}
	box := newBox(t, sandbox.Options{})
	self, err := filepath.Abs(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, network := range []bool{false, true} {
		res := run(t, box, sandbox.Command{
			Path: self, Args: []string{victim, making}, Workspace: t.TempDir(), Writable: true, Network: network, Timeout: outside,
		})
		if string(res.Stdout) != "\n" || res.ExitCode != 0 {
			t.Errorf("with the network %v, ending with %d: %s%s", network, res.ExitCode, res.Stdout, res.Stderr)
		}
	}
}
