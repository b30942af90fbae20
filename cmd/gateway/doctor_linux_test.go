package main_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

const offlineModel = "models: {main: {provider: offline}}\n"

// TestDoctorOfABrokenConfiguration names each mistake with its place and its cure.
func TestDoctorOfABrokenConfiguration(t *testing.T) {
	t.Parallel()
	diagnose(t, map[string]setup{
		"no YAML": {
			breaks: func(_ *testing.T, w *world) { w.write("models: {main: [\n") },
			want:   finding{"configuration", "fail", "parley.yaml:2:", "correct line 2 of "},
		},
		"an unknown key": {
			breaks: func(_ *testing.T, w *world) { w.write("agentt: {}\n") },
			want:   finding{"configuration", "fail", "agentt: unknown key: did you mean agent?", "config check"},
		},
		"a secret in the file": {
			breaks: func(_ *testing.T, w *world) { w.write("models: {main: {model: m, api_key: " + hiddenKey + "}}\n") },
			want:   finding{"configuration", "fail", "a secret is never written into this file: write env:NAME", "correct line 2 of "},
		},
		"a secret that is missing": {
			breaks: func(_ *testing.T, w *world) { w.write("models: {main: {model: m, api_key: env:NOT_THERE}}\n") },
			want:   finding{"configuration", "fail", "the environment variable NOT_THERE is not set: export it", "starts the gateway"},
		},
		"a secret that others can read": {
			breaks: func(_ *testing.T, w *world) {
				w.write("models: {main: {model: m, api_key: file:key}}\n")
				w.file("key", hiddenKey, 0o644)
			},
			want: finding{"configuration", "fail", "can be read by others (mode 0644): run chmod 600 ", "do as the line says"},
		},
		"a named file that is missing": {
			breaks: func(t *testing.T, w *world) {
				t.Helper()
				if err := os.Remove(w.config); err != nil {
					t.Fatal(err)
				}
			},
			want: finding{"configuration", "fail", "there is no ", "parley.yaml init"},
		},
		"a file that others may write": {
			breaks: func(_ *testing.T, w *world) { w.file("parley.yaml", "state_dir: state\n"+offlineModel, 0o666) },
			want:   finding{"configuration", "fail", "others may write to ", "chmod go-w "},
		},
		"no system prompt": {
			breaks: func(t *testing.T, w *world) {
				t.Helper()
				w.chat("hello")
				if err := os.Remove(filepath.Join(w.dir, "state", "workspace", "AGENT.md")); err != nil {
					t.Fatal(err)
				}
			},
			want: finding{"configuration", "fail", "the system prompt, is missing: put it back", "config check"},
		},
		"a model that is not named": {
			breaks: func(_ *testing.T, w *world) { w.write("agent: {model: other}\n" + offlineModel) },
			want:   finding{"configuration", "fail", `agent.model: "other" is not among the models: write one of main`, "correct line 2"},
		},
	})
}

// TestDoctorOfBrokenFolders names what cannot be used, and the command that changes it.
func TestDoctorOfBrokenFolders(t *testing.T) {
	t.Parallel()
	chatted := func(then func(t *testing.T, w *world, state string)) func(*testing.T, *world) {
		return func(t *testing.T, w *world) {
			t.Helper()
			w.chat("what is 2*3?")
			then(t, w, filepath.Join(w.dir, "state"))
		}
	}
	diagnose(t, map[string]setup{
		"a state folder that cannot be written": {
			bare: true, breaks: chatted(func(t *testing.T, _ *world, state string) { t.Helper(); unusable(t, state, 0o500) }),
			want: finding{"state folder", "fail", "state cannot be used: permission denied", "chmod u+rwx "},
		},
		"a file in its place": {
			breaks: func(_ *testing.T, w *world) { w.file("state", "", 0o600) },
			want:   finding{"state folder", "fail", "is no folder", "move the file away"},
		},
		"a store of another user": {
			breaks: chatted(func(t *testing.T, _ *world, state string) {
				t.Helper()
				if err := os.Chown(filepath.Join(state, "parley.db"), 12345, 12345); err != nil {
					t.Skipf("only root can give a file away: %v", err)
				}
			}),
			want: finding{"state folder", "fail", "parley.db belongs to user 12345, and this process runs as user ", "sudo chown -R "},
		},
		"a state folder for everybody": {
			breaks: chatted(func(t *testing.T, _ *world, state string) { t.Helper(); unusable(t, state, 0o777) }),
			want:   finding{"state folder", "fail", "others may write to ", "chmod go-w "},
		},
		"a state folder that others see": {
			breaks: chatted(func(t *testing.T, _ *world, state string) { t.Helper(); unusable(t, state, 0o755) }),
			want:   finding{"state folder", "warn", "others may look into ", "chmod 700 "},
		},
		"an audit log that cannot be written": {
			bare: true,
			breaks: chatted(func(t *testing.T, _ *world, state string) {
				t.Helper()
				unusable(t, filepath.Join(state, "audit", "head"), 0o400)
			}),
			want: finding{"gateway", "fail", "the audit log cannot be written: ", "readable and writable for this user"},
		},
		"a file in place of the workspace": {
			breaks: func(_ *testing.T, w *world) {
				w.write("workspace: space\n" + offlineModel)
				w.file("space", "", 0o600)
			},
			want: finding{"workspace", "fail", "is no folder", "name another folder as state_dir or workspace"},
		},
		"a corpus that is missing": {
			breaks: func(_ *testing.T, w *world) {
				w.write(offlineModel + "corpora: {book: {path: /nowhere/book, chats: ['console:local']}}\n")
			},
			want: finding{"corpora", "warn", "the folder of the corpus book cannot be read: open /nowhere/book", "correct corpora.book.path"},
		},
		"no room": {
			breaks: func(t *testing.T, w *world) { t.Helper(); mountState(t, w) },
			want:   finding{"disk", "fail", "4.2 MB are left at ", "df -h"},
		},
	})
}

// TestDoctorOfABrokenStore names the fault, and the verb that helps.
func TestDoctorOfABrokenStore(t *testing.T) {
	t.Parallel()
	diagnose(t, map[string]setup{
		"damaged": {
			breaks: func(t *testing.T, w *world) {
				t.Helper()
				w.chat("what is 2*3?")
				w.snapshot()
				spoilStore(t, w)
			},
			want: finding{"store", "fail", "damaged", "store restore "},
		},
		"damaged without a snapshot": {
			breaks: func(t *testing.T, w *world) { t.Helper(); w.chat("what is 2*3?"); spoilStore(t, w) },
			want:   finding{"store", "fail", "damaged", "no snapshot is there"},
		},
		"held": {
			breaks: func(t *testing.T, w *world) {
				t.Helper()
				w.chat("what is 2*3?")
				if out, stderr, code := w.run("store", "restore", w.snapshot()); code != 0 {
					t.Fatalf("%d %s%s", code, out, stderr)
				}
			},
			want: finding{"store", "fail", "held", "store release"},
		},
		"held by another program": {
			breaks: func(t *testing.T, w *world) {
				t.Helper()
				w.chat("what is 2*3?")
				f, err := os.OpenFile(filepath.Join(w.dir, "state", "parley.lock"), os.O_RDWR, 0)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = f.Close() })
				if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
					t.Fatal(err)
				}
			},
			want: finding{"store", "fail", "another instance uses this state directory", "fuser -v "},
		},
		"a gateway that does not answer": {
			breaks: func(t *testing.T, w *world) { t.Helper(); deafGateway(t, w) },
			want:   finding{"gateway", "fail", "", "status; if it does not answer either, start the gateway again"},
		},
	})
}

// spoilStore writes over the pages of a store.
func spoilStore(t *testing.T, w *world) {
	t.Helper()
	path := filepath.Join(w.dir, "state", "parley.db")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for at := 0; at+8 < len(b)/2; at += 8 {
		binary.NativeEndian.PutUint64(b[at:], 0xfeed)
	}
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

// deafGateway takes connections and answers none.
func deafGateway(t *testing.T, w *world) {
	t.Helper()
	if err := os.Mkdir(filepath.Join(w.dir, "state"), 0o700); err != nil {
		t.Fatal(err)
	}
	dir, err := os.Open(filepath.Dir(w.socket())) // a socket's address is short
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	var config net.ListenConfig
	l, err := config.Listen(t.Context(), "unix", fmt.Sprintf("/proc/self/fd/%d/admin.sock", dir.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	over := make(chan struct{})
	go func() {
		defer close(over)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_ = conn.Close()
		}
	}()
	t.Cleanup(func() { _ = l.Close(); <-over })
}

// TestDoctorOfABrokenMachine names what the machine lacks.
func TestDoctorOfABrokenMachine(t *testing.T) {
	t.Parallel()
	const shell = offlineModel + "tools: {shell: {enabled: true, allow: [ls, no-such-program]}}\n"
	diagnose(t, map[string]setup{
		"no sandbox": {
			breaks: func(_ *testing.T, w *world) {
				w.write(shell)
				w.env = append(w.env, "TMPDIR="+filepath.Join(w.dir, "none"))
			},
			want: finding{"sandbox", "fail", "run_command are off: no sandbox here", "switch these tools off under tools"},
		},
		"a tool without a sandbox": {
			breaks: func(_ *testing.T, w *world) {
				w.write(offlineModel + "tools: {shell: {enabled: true, unsafe: true}}\n")
			},
			want: finding{"sandbox", "warn", "run_command run without a sandbox", "take unsafe out of tools.shell"},
		},
		"a program that is missing": {
			breaks: func(_ *testing.T, w *world) { w.write(shell) },
			want:   finding{"tools", "warn", "names no-such-program, which is not there", "install no-such-program"},
		},
		"a tool of one's own": {
			breaks: func(_ *testing.T, w *world) {
				w.file("state/workspace/tools/weather/tool.yaml", "descriptionn: x\n", 0o600)
			},
			want: finding{"tools", "fail", "your tool weather cannot be used: ", "correct tool.yaml in tools/weather"},
		},
		"a store of the future": {
			breaks: func(t *testing.T, w *world) {
				t.Helper()
				w.chat("hello")
				then := time.Now().Add(48 * time.Hour)
				if err := os.Chtimes(filepath.Join(w.dir, "state", "parley.db"), then, then); err != nil {
					t.Fatal(err)
				}
			},
			want: finding{"clock", "fail", "the clock went back", "timedatectl"},
		},
		"a port that is taken": {
			breaks: func(t *testing.T, w *world) {
				t.Helper()
				l := taken(t)
				w.write(offlineModel + "http: {listen: " + l + "}\n")
			},
			want: finding{"port", "fail", "is taken by another program", "another port as http.listen"},
		},
		"an address of another machine": {
			breaks: func(_ *testing.T, w *world) { w.write(offlineModel + "http: {listen: \"192.0.2.1:8080\"}\n") },
			want:   finding{"port", "fail", "cannot be listened at", "write an address of this machine as http.listen"},
		},
	})
}

// taken is an address at which somebody else listens.
func taken(t *testing.T) string {
	t.Helper()
	var config net.ListenConfig
	l, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l.Addr().String()
}

// TestDoctorWithoutAHome says what is missing, looks at nothing, and makes nothing.
func TestDoctorWithoutAHome(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	cmd := w.command("doctor", "--json")
	cmd.Args, cmd.Env = cmd.Args[:3], []string{"PATH=" + os.Getenv("PATH")}
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	d := w.judge(out.String(), stderr.String(), cmd.ProcessState.ExitCode(), w.stateFiles())
	if want := (finding{"configuration", "fail", "HOME is not set", "set HOME"}); !d.has(want) || d.OK > 0 || d.Skip == 0 {
		t.Errorf("no %+v in %+v", want, d)
	}
}

// TestDoctorOfABareMachine has no configuration, no state and no key: nothing fails, nothing
// is made, and the report is plain text in a pipe.
func TestDoctorOfABareMachine(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	cmd := w.command("doctor")
	cmd.Args, cmd.Env = cmd.Args[:2], []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "OLLAMA_HOST=127.0.0.1:1", "TERM=xterm"}
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	text := string(out)
	for _, want := range []string{
		"ok    configuration     there is no ", "ok    store             there is no store yet",
		"warn  models            only the built-in offline model answers", "\n      cure: export OPENAI_API_KEY=", " 0 failed, ",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "\x1b") {
		t.Errorf("a pipe gets codes of a terminal: %q", text)
	}
	if _, err := os.Lstat(filepath.Join(w.dir, "state")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("doctor made the state: %v", err)
	}
}
