package shell_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
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

// TestHostileCommands holds both questions to the same answer.
func TestHostileCommands(t *testing.T) {
	t.Parallel()
	space := t.TempDir()
	write(t, space+"/evil", "#!/bin/sh\n")
	write(t, space+"/sub/x", "")
	for link, to := range map[string]string{"out": "/etc", "up": "..", "loop": "loop", "ls": "/bin/sh"} {
		if err := os.Symlink(to, filepath.Join(space, link)); err != nil {
			t.Fatal(err)
		}
	}
	const invalid, denied, violation = tools.ErrInvalidArguments, tools.ErrPermissionDenied, tools.ErrSecurityViolation
	box := &recorder{}
	tool, _ := shell.New(shell.Options{Runner: box, Allow: []string{"ls", "cat"}, MaxTimeout: time.Minute})
	both, _ := shell.New(shell.Options{Runner: box, Allow: []string{"ls"}, Shell: true})
	for name, c := range map[string]struct {
		tool tools.Tool
		args map[string]any
		want tools.ErrorType
	}{
		"no command":               {tool, argv(), invalid},
		"an empty name":            {tool, argv("", "x"), invalid},
		"both":                     {both, with(argv("ls"), "script", "ls"), invalid},
		"neither":                  {both, map[string]any{}, invalid},
		"8 KiB":                    {tool, argv("ls", strings.Repeat("x", 8<<10)), invalid},
		"8 KiB of arguments":       {tool, argv(append([]string{"ls"}, slices.Repeat([]string{""}, 8<<10)...)...), invalid},
		"8 KiB of script":          {both, map[string]any{"script": strings.Repeat("x", 8<<10+1)}, invalid},
		"a line in place of words": {tool, argv("ls -la"), violation},
		"a newline":                {tool, argv("ls\nrm"), violation},
		"NUL in the name":          {tool, argv("ls\x00"), violation},
		"NUL in an argument":       {tool, argv("ls", "a\x00-rf"), violation},
		"NUL in a script":          {both, map[string]any{"script": "ls\x00"}, violation},
		"NUL in cwd":               {tool, with(argv("ls"), "cwd", "a\x00"), violation},
		"a zero-width name":        {tool, argv("l\u200bs"), violation},
		"a reversed name":          {tool, argv("\u202esl"), violation},
		"a no-break space":         {tool, argv("ls\u00a0-la"), violation},
		"a look-alike":             {tool, argv("ѕh"), denied},
		"in the workspace":         {tool, argv("./evil"), violation},
		"in a folder":              {tool, argv("sub/evil"), violation},
		"a link in the workspace":  {tool, argv("./ls"), violation},
		"up":                       {tool, argv("../../bin/sh"), violation},
		"a crooked path":           {tool, argv("/usr/bin/../bin/sh"), violation},
		"a double slash":           {tool, argv("//bin/ls"), violation},
		"another path":             {tool, argv("/tmp/ls"), denied},
		"the link's path":          {tool, argv(space + "/ls"), denied},
		"another case":             {tool, argv("LS"), denied},
		"a pattern":                {tool, argv("l?"), denied},
		"a wrapper":                {tool, argv("env", "-S", "rm -rf ."), denied},
		"nice":                     {tool, argv("nice", "ls"), denied},
		"xargs":                    {tool, argv("xargs", "ls"), denied},
		"busybox":                  {tool, argv("busybox", "ls"), denied},
		"a login shell":            {tool, argv("sh", "-lc", "ls"), denied},
		"the loader":               {tool, argv("/lib64/ld-linux-x86-64.so.2", "/bin/sh"), denied},
		"a variable first":         {tool, argv("LD_PRELOAD=./x.so", "ls"), violation},
		"an absolute folder":       {tool, with(argv("ls"), "cwd", "/etc"), violation},
		"a sibling":                {tool, with(argv("ls"), "cwd", space+"-two"), violation},
		"the space and up":         {tool, with(argv("ls"), "cwd", space+"/sub/../.."), violation},
		"a linked folder, in full": {tool, with(argv("ls"), "cwd", space+"/out"), violation},
		"the folder above":         {tool, with(argv("ls"), "cwd", ".."), violation},
		"down and up":              {tool, with(argv("ls"), "cwd", "sub/../.."), violation},
		"a linked folder":          {tool, with(argv("ls"), "cwd", "out"), violation},
		"a link up":                {tool, with(argv("ls"), "cwd", "up"), violation},
		"a link in a loop":         {tool, with(argv("ls"), "cwd", "loop"), invalid},
		"a file as folder":         {tool, with(argv("ls"), "cwd", "evil"), invalid},
		"no such folder":           {tool, with(argv("ls"), "cwd", "none"), invalid},
		"a long folder":            {tool, with(argv("ls"), "cwd", strings.Repeat("a/", 5000)), invalid},
		"too long":                 {tool, with(argv("ls"), "timeout_s", 61), invalid},
		"negative":                 {tool, with(argv("ls"), "timeout_s", -1), invalid},
		"overflow":                 {tool, with(argv("ls"), "timeout_s", 1<<40), invalid},
		"a script":                 {tool, map[string]any{"script": "ls"}, invalid},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := examine(t, c.tool, space, c.args)
			asked, ok := errors.AsType[*tools.Error](err)
			if !ok || asked.Type != c.want || strings.Count(asked.Message, "\n") > 0 {
				t.Errorf("Examine: %v, want %s", err, c.want)
			}
			res := c.tool.Execute(in(t, space), c.args)
			if !res.IsError || !strings.Contains(res.ForLLM, `"type":"`+string(c.want)+`"`) {
				t.Errorf("Execute: %s, want %s", res.ForLLM, c.want)
			}
		})
	}
	t.Cleanup(func() {
		if box.ran > 0 {
			t.Errorf("%d commands were run", box.ran)
		}
	})
}

// TestState changes whatever an approved command relies on.
func TestState(t *testing.T) {
	t.Parallel()
	bin, space := t.TempDir(), t.TempDir()
	program := bin + "/tool"
	write(t, program, "#!/bin/true\n")
	write(t, space+"/sub/x", "")
	if err := os.Chmod(program, 0o700); err != nil {
		t.Fatal(err)
	}
	tool, _ := shell.New(shell.Options{Runner: &recorder{}, Allow: []string{program}})
	args := with(argv("tool", "*"), "cwd", "sub")
	state := func() string {
		seen, err := examine(t, tool, space, args)
		if err != nil {
			t.Fatal(err)
		}
		return seen.State
	}
	before := state()
	if again := state(); again != before {
		t.Error("the state changes by itself")
	}
	for _, change := range []struct {
		name string
		do   func() error
	}{
		{"a file matches", func() error { return os.WriteFile(space+"/sub/y", nil, 0o600) }},
		{"the program changes", func() error { return os.WriteFile(program, []byte("#!/bin/false\n"), 0o700) }},
		{"the program is another", func() error {
			return errors.Join(os.WriteFile(program+"2", []byte("#!/bin/false\n"), 0o700), os.Rename(program+"2", program))
		}},
		{"the folder is another", func() error {
			return errors.Join(os.Rename(space+"/sub", space+"/old"), os.Mkdir(space+"/sub", 0o700),
				os.WriteFile(space+"/sub/x", nil, 0o600), os.WriteFile(space+"/sub/y", nil, 0o600))
		}},
	} {
		if err := change.do(); err != nil {
			t.Fatal(err)
		}
		after := state()
		if after == before {
			t.Errorf("%s, and the state is the same", change.name)
		}
		before = after
	}
	if err := errors.Join(os.Remove(program), os.Symlink("/bin/sh", program)); err != nil {
		t.Fatal(err)
	}
	if _, err := examine(t, tool, space, args); err == nil || !strings.Contains(err.Error(), "another one") {
		t.Errorf("a program that became a link: %v", err)
	}
}

func TestNoSandbox(t *testing.T) {
	t.Parallel()
	box := &recorder{why: fmt.Errorf("%w: the moon", sandbox.ErrUnavailable)}
	tool, _ := shell.New(shell.Options{Runner: box, Allow: []string{"ls"}})
	res := tool.Execute(in(t, t.TempDir()), argv("ls"))
	if !strings.Contains(res.ForLLM, `"type":"disabled"`) || !strings.Contains(res.ForLLM, "the moon") || box.ran > 0 {
		t.Errorf("%s, %d runs", res.ForLLM, box.ran)
	}
	box.why = nil
	if res := tool.Execute(t.Context(), argv("ls")); !strings.Contains(res.ForLLM, `"type":"permission_denied"`) {
		t.Errorf("without a space: %s", res.ForLLM)
	}
	box.res.Limit = "memory"
	if res := tool.Execute(in(t, t.TempDir()), argv("ls")); !strings.Contains(res.ForLLM, "too much memory") || !res.IsError {
		t.Errorf("with a limit: %s", res.ForLLM)
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
