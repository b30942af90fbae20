package shell_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/sandbox"
	"parley/pkg/tools"
	"parley/pkg/tools/shell"
)

// recorder keeps the commands without running them.
type recorder struct {
	mu   sync.Mutex
	last sandbox.Command
	ran  int
	res  sandbox.Result
	why  error
}

func (r *recorder) Available() error { return r.why }

func (r *recorder) Run(_ context.Context, c sandbox.Command) (sandbox.Result, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last, r.ran = c, r.ran+1
	return r.res, nil
}

// realBox is the sandbox, where the system has one.
func realBox(t *testing.T) sandbox.Runner {
	t.Helper()
	box := sandbox.New(sandbox.Options{})
	if err := box.Available(); err != nil {
		t.Skipf("not run: %v", err)
	}
	return box
}

func in(tb testing.TB, space string) context.Context {
	tb.Helper()
	return tools.WithInvocation(tb.Context(), tools.Invocation{Space: space, Level: tools.LevelExec})
}

func write(tb testing.TB, path, text string) {
	tb.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		tb.Fatal(err)
	}
}

func argv(words ...string) map[string]any {
	list := make([]any, len(words))
	for i, w := range words {
		list[i] = w
	}
	return map[string]any{"argv": list}
}

func with(args map[string]any, key string, value any) map[string]any {
	args[key] = value
	return args
}

func examine(tb testing.TB, tool tools.Tool, space string, args map[string]any) (tools.Examination, error) {
	tb.Helper()
	e, ok := tool.(tools.Examiner)
	if !ok {
		tb.Fatal("the tool does not say what a call would do")
	}
	return e.Examine(in(tb, space), args)
}

// outcome is the model's result.
type outcome struct {
	ExitCode  int    `json:"exit_code"`
	Stdout    string `json:"stdout"`
	Stderr    string `json:"stderr"`
	Duration  *int64 `json:"duration_ms"`
	Truncated bool   `json:"truncated"`
	Type      string `json:"type"`
	Details   *struct {
		Stdout string `json:"stdout"`
	} `json:"details"`
}

func call(t *testing.T, tool tools.Tool, space string, args map[string]any) outcome {
	t.Helper()
	r := tools.NewToolRegistry()
	r.Register(tool)
	res := r.ExecuteWithContext(in(t, space), "run_command", args, "", "", nil)
	var o outcome
	if err := json.Unmarshal([]byte(res.ForLLM), &o); err != nil {
		t.Fatalf("%v: %s", err, res.ForLLM)
	}
	if res.IsError != (o.Type != "") {
		t.Errorf("is an error: %v: %s", res.IsError, res.ForLLM)
	}
	return o
}

func TestRunCommand(t *testing.T) {
	t.Parallel()
	tool, missing := shell.New(shell.Options{
		Runner: realBox(t),
		Allow:  []string{"ls", "cat", "/bin/echo", "sleep", "head", "no-such-program"},
	})
	if diff := cmp.Diff([]string{"no-such-program"}, missing); diff != "" {
		t.Errorf("missing programs -want +got\n%s", diff)
	}
	space := t.TempDir()
	write(t, space+"/a.txt", "alpha")
	write(t, space+"/sub/b.txt", "beta\n")
	for name, c := range map[string]struct {
		args map[string]any
		want outcome
	}{
		"list files":   {argv("ls"), outcome{Stdout: "a.txt\nsub\n"}},
		"a folder":     {with(argv("ls"), "cwd", "sub"), outcome{Stdout: "b.txt\n"}},
		"in full":      {with(argv("ls"), "cwd", space+"/sub/"), outcome{Stdout: "b.txt\n"}},
		"all, in full": {with(argv("ls"), "cwd", space), outcome{Stdout: "a.txt\nsub\n"}},
		"a pattern":    {argv("cat", "*/*.txt", "a*"), outcome{Stdout: "beta\nalpha"}},
		"an exit code": {argv("ls", "none"), outcome{ExitCode: 2, Stderr: "/usr/bin/ls: cannot access 'none': No such file or directory\n"}},
		"no shell":     {argv("echo", "$HOME", ";", "ls", "`ls`", "&&", "$(ls)", ">x"), outcome{Stdout: "$HOME ; ls `ls` && $(ls) >x\n"}},
		"by its path":  {argv("/bin/echo", "x"), outcome{Stdout: "x\n"}},
		"not valid":    {argv("head", "-c", "3", "/dev/zero"), outcome{Stdout: "\x00\x00\x00"}},
		"much": {
			argv("head", "-c", "100000", "/dev/zero"),
			outcome{Stdout: strings.Repeat("\x00", 8192) + "\n[... 83616 bytes left out ...]\n" + strings.Repeat("\x00", 8192), Truncated: true},
		},
		"out of time":   {with(argv("sleep", "60"), "timeout_s", 1), outcome{Type: "timeout"}},
		"not allowed":   {argv("rm", "a.txt"), outcome{Type: "permission_denied"}},
		"not there":     {argv("no-such-program"), outcome{Type: "permission_denied"}},
		"outside":       {argv("cat", "/etc/shadow"), outcome{ExitCode: 1, Stderr: "/usr/bin/cat: /etc/shadow: No such file or directory\n"}},
		"no such field": {with(argv("ls"), "script", "ls"), outcome{Type: "invalid_arguments"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := call(t, tool, space, c.args)
			if got.Type == "" && got.Duration == nil {
				t.Error("there is no duration_ms")
			}
			got.Duration, got.Details = nil, nil
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestScripts(t *testing.T) {
	t.Parallel()
	tool, _ := shell.New(shell.Options{Runner: realBox(t), Shell: true})
	space := t.TempDir()
	got := call(t, tool, space, map[string]any{"script": "echo one >f\ncat f | tr o 0; exit 3"})
	if got.Stdout != "0ne\n" || got.ExitCode != 3 {
		t.Errorf("got %+v", got)
	}
	seen, err := examine(t, tool, space, map[string]any{"script": "echo a\nrm -rf ."})
	want := tools.Examination{
		Destructive: true,
		Always:      true,
		Action:      "run a script with",
		Object:      "/bin/sh",
		Text:        "run with /bin/sh:\n| echo a\n| rm -rf .\nin: the workspace\nfor at most: 30s",
		State:       seen.State,
		Foreground:  true,
	}
	if diff := cmp.Diff(want, seen); err != nil || diff != "" {
		t.Errorf("%v -want +got\n%s", err, diff)
	}
	seen, _ = examine(t, tool, space, map[string]any{"script": "echo \u202e\rrm"})
	if !strings.Contains(seen.Text, `"echo \u202e\rrm"`) {
		t.Errorf("what is invisible stays so: %q", seen.Text)
	}
}

func TestExamination(t *testing.T) {
	t.Parallel()
	tool, _ := shell.New(shell.Options{Runner: &recorder{}, Allow: []string{"ls", "rm"}, Network: true, Timeout: time.Minute})
	space := t.TempDir()
	write(t, space+"/s/a b", "")
	write(t, space+"/s/-rf", "")
	seen, err := examine(t, tool, space, with(argv("ls", "-l", "*", "", "a\nb", "\u200b", `"`, "é"), "cwd", "./s/"))
	want := tools.Examination{
		Destructive: true, State: seen.State, Foreground: true,
		Action: "run", Object: `ls -l ./-rf "a b" "" "a\nb" "\u200b" "\"" "é"`,
		Text: "run: /usr/bin/ls -l ./-rf \"a b\" \"\" \"a\\nb\" \"\\u200b\" \"\\\"\" \"é\"\nin: the workspace's folder s\n" +
			"for at most: 1m0s\nwith the network",
	}
	if diff := cmp.Diff(want, seen); err != nil || diff != "" {
		t.Errorf("%v -want +got\n%s", err, diff)
	}
	if seen, err := examine(t, tool, space, argv("rm", "x")); err != nil || !seen.Always {
		t.Errorf("rm: %+v, %v", seen, err)
	}
	a := tools.AnnotationsOf(tool)
	if a.Level != tools.LevelExec || !a.Executes || a.Destructive || a.ReadOnly || a.Idempotent || !a.OpenWorld {
		t.Errorf("annotations %+v", a)
	}
}

// TestAPatternBelowAPipeWaitsForNobody: a look at a pipe as if it were a folder
// would wait until somebody writes there.
func TestAPatternBelowAPipeWaitsForNobody(t *testing.T) {
	t.Parallel()
	space := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(space, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	tool, _ := shell.New(shell.Options{Runner: &recorder{}, Allow: []string{"ls"}})
	done := make(chan error, 1)
	go func() {
		_, err := examine(t, tool, space, argv("ls", "pipe/*", "pipe/*/x", "*/pipe"))
		done <- err
	}()
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("the look has not come back")
	}
}

// TestACommandBringsWhatOthersSent where it could read that.
func TestACommandBringsWhatOthersSent(t *testing.T) {
	t.Parallel()
	space := t.TempDir()
	tool, _ := shell.New(shell.Options{Runner: &recorder{}, Allow: []string{"ls"}, Outside: "inbox"})
	for _, want := range []bool{false, true} {
		for _, args := range []map[string]any{argv("ls"), with(argv("ls"), "background", true)} {
			if ex, err := examine(t, tool, space, args); err != nil || ex.Brings != want || ex.Taints {
				t.Errorf("%v: %+v, %v", args, ex, err)
			}
		}
		write(t, filepath.Join(space, "inbox", "letter"), "")
	}
}
