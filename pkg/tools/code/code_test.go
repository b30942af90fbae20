package code_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/sandbox"
	"parley/pkg/tools"
	"parley/pkg/tools/code"
	"parley/pkg/tools/internal/program"
)

func in(t *testing.T, space string) context.Context {
	t.Helper()
	return tools.WithInvocation(t.Context(), tools.Invocation{Space: space, Level: tools.LevelExec})
}

func source(language, text string) map[string]any {
	return map[string]any{"language": language, "code": text}
}

func box(t *testing.T) sandbox.Runner {
	t.Helper()
	b := sandbox.New(sandbox.Options{})
	if err := b.Available(); err != nil {
		t.Skipf("not run: %v", err)
	}
	return b
}

func TestRunCode(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ interpreter, language, code, want string }{
		"python": {
			"/usr/bin/python3", "python",
			"import json, os\nprint(sum(range(10)))\nopen('made','w').write('x')\nprint(os.listdir('.'))",
			`"stdout":"45\n['made']\n"`,
		},
		"python fails":     {"/usr/bin/python3", "python", "raise SystemExit(4)", `"exit_code":4`},
		"python is hidden": {"/usr/bin/python3", "python", "import json; print(json.__file__.startswith('/usr'))", `"stdout":"True\n"`},
		"javascript":       {"/usr/bin/node", "javascript", "console.log([1,2,3].map(x => x * 2).join())", `"stdout":"2,4,6\n"`},
		"no network": {
			"/usr/bin/python3", "python",
			"import socket\ntry:\n  socket.create_connection(('127.0.0.1', 1)); print('connected')\nexcept OSError as e: print('none')",
			`"stdout":"none\n"`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := os.Stat(c.interpreter); err != nil {
				t.Skipf("not run: %v", err)
			}
			space := t.TempDir()
			if name == "python is hidden" { // a file of the workspace is not loaded in its place
				if err := os.WriteFile(space+"/json.py", []byte("print('loaded')"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			res := code.New(code.Options{Runner: box(t)}).Execute(in(t, space), source(c.language, c.code))
			if res.IsError || !strings.Contains(res.ForLLM, c.want) {
				t.Errorf("got %s, want %s", res.ForLLM, c.want)
			}
		})
	}
}

// idle is a runner that skips every run.
type idle struct{ why error }

func (i idle) Available() error { return i.why }

func (idle) Run(context.Context, sandbox.Command) (sandbox.Result, error) {
	return sandbox.Result{}, errors.New("it was run")
}

// TestPlaceOfCode looks at the question for the same code in two spaces, one of which
// has modules of its own.
func TestPlaceOfCode(t *testing.T) {
	t.Parallel()
	tool := code.New(code.Options{Runner: idle{}, Python: "/bin/true", JavaScript: "/bin/true"})
	examine := func(space, language string) tools.Examination {
		seen, err := tool.(tools.Examiner).Examine(in(t, space), source(language, "1"))
		if err != nil {
			t.Fatal(err)
		}
		return seen
	}
	plain, modules := t.TempDir(), t.TempDir()
	if err := os.Mkdir(filepath.Join(modules, "node_modules"), 0o700); err != nil {
		t.Fatal(err)
	}
	const used = "\nwith the modules of its folder node_modules"
	for _, c := range []struct{ space, language, want string }{
		{plain, "python", ""}, {modules, "python", ""}, {plain, "javascript", ""}, {modules, "javascript", used},
	} {
		seen := examine(c.space, c.language)
		head, tail := "run as "+c.language+" with /bin/true:\n| 1\nin: ", "\nfor at most: 30s"+c.want
		if want := head + "the workspace" + tail; seen.Text != want {
			t.Errorf("the question is %q, want %q", seen.Text, want)
		}
		// The stored path is the whole one.
		info, err := os.Stat(c.space)
		if err != nil {
			t.Fatal(err)
		}
		st, _ := info.Sys().(*syscall.Stat_t)
		mark, err := program.Fingerprint("/bin/true")
		if err != nil {
			t.Fatal(err)
		}
		if want := program.State(head+c.space+tail, fmt.Sprintf("%d:%d", st.Dev, st.Ino), mark); seen.State != want {
			t.Errorf("%s in %s: the fingerprint is that of another place", c.language, c.space)
		}
	}
}

func TestExamination(t *testing.T) {
	t.Parallel()
	space := t.TempDir()
	tool := code.New(code.Options{Runner: idle{}, Python: "/bin/true", JavaScript: "/none"})
	seen, err := tool.(tools.Examiner).Examine(in(t, space), source("python", "print(1)\nprint(2)"))
	want := tools.Examination{
		Destructive: true, Always: true, State: seen.State,
		Action: "run code in", Object: "python",
		Text: "run as python with /bin/true:\n| print(1)\n| print(2)\nin: the workspace\nfor at most: 30s",
	}
	if diff := cmp.Diff(want, seen); err != nil || diff != "" {
		t.Errorf("%v -want +got\n%s", err, diff)
	}
	if a := tools.AnnotationsOf(tool); a.Level != tools.LevelExec || !a.Executes || a.Destructive {
		t.Errorf("annotations %+v", a)
	}
}

// TestCodeBringsWhatOthersSent where it could read that.
func TestCodeBringsWhatOthersSent(t *testing.T) {
	t.Parallel()
	space := t.TempDir()
	tool := code.New(code.Options{Runner: idle{}, Python: "/bin/true", JavaScript: "/none", Outside: "inbox"})
	brings := func() bool {
		t.Helper()
		ex, err := tool.(tools.Examiner).Examine(in(t, space), source("python", "print(1)"))
		if err != nil || ex.Taints {
			t.Errorf("%+v, %v", ex, err)
		}
		return ex.Brings
	}
	if brings() {
		t.Error("without an inbox")
	}
	if err := os.Mkdir(filepath.Join(space, "inbox"), 0o700); err != nil || brings() {
		t.Errorf("with an empty one: %v", err)
	}
	if err := os.WriteFile(filepath.Join(space, "inbox", "letter"), nil, 0o600); err != nil || !brings() {
		t.Errorf("with a letter: %v", err)
	}
}

func TestHostileCode(t *testing.T) {
	t.Parallel()
	space := t.TempDir()
	tool := code.New(code.Options{Runner: idle{}, Python: "/bin/true", JavaScript: "/none"})
	off := code.New(code.Options{Runner: idle{fmt.Errorf("%w: x", sandbox.ErrUnavailable)}, Python: "/bin/true"})
	for name, c := range map[string]struct {
		tool tools.Tool
		args map[string]any
		want tools.ErrorType
	}{
		"not installed":   {tool, source("javascript", "1"), tools.ErrInvalidArguments},
		"another word":    {tool, source("python3", "1"), tools.ErrInvalidArguments},
		"a path":          {tool, source("/bin/sh", "1"), tools.ErrInvalidArguments},
		"case":            {tool, source("Python", "1"), tools.ErrInvalidArguments},
		"nothing":         {tool, source("python", " \n"), tools.ErrInvalidArguments},
		"much":            {tool, source("python", strings.Repeat("#", 32<<10+1)), tools.ErrInvalidArguments},
		"NUL":             {tool, source("python", "print(1)\x00"), tools.ErrSecurityViolation},
		"too long a time": {tool, map[string]any{"language": "python", "code": "1", "timeout_s": 301}, tools.ErrInvalidArguments},
		"no sandbox":      {off, source("python", "1"), tools.ErrDisabled},
	} {
		_, err := c.tool.(tools.Examiner).Examine(in(t, space), c.args)
		if e, ok := errors.AsType[*tools.Error](err); !ok || e.Type != c.want {
			t.Errorf("%s: Examine: %v, want %s", name, err, c.want)
		}
		if res := c.tool.Execute(in(t, space), c.args); !strings.Contains(res.ForLLM, `"type":"`+string(c.want)+`"`) {
			t.Errorf("%s: Execute: %s, want %s", name, res.ForLLM, c.want)
		}
	}
	// Invisible characters are written out.
	seen, err := tool.(tools.Examiner).Examine(in(t, space), source("python", "x = 'a\u202eb'"))
	if err != nil || !strings.Contains(seen.Text, `"x = 'a\u202eb'"`) {
		t.Errorf("%v: %q", err, seen.Text)
	}
}
