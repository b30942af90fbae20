package script_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/test/testtools"
	"parley/pkg/sandbox"
	"parley/pkg/tools"
	"parley/pkg/tools/script"
)

// anything is a tool.yaml that is fine.
const anything = "name: probe\ndescription: Does it.\nparameters: {type: object}\n"

// world is a folder of tools, a chat's space, and the programs that run there.
type world struct {
	dir, space string
	runner     *bare
	options    script.Options
}

func newWorld(t *testing.T) *world {
	t.Helper()
	base := t.TempDir()
	w := &world{dir: filepath.Join(base, "tools"), space: filepath.Join(base, "space"), runner: &bare{}}
	w.options = script.Options{Runner: w.runner, Timeout: 20 * time.Second, MaxTimeout: time.Minute}
	for _, dir := range []string{w.dir, w.space} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// put makes a folder of two files.
func (w *world) put(t *testing.T, name, manifest, program string) string {
	t.Helper()
	dir := filepath.Join(w.dir, name)
	err := errors.Join(os.MkdirAll(dir, 0o700),
		os.WriteFile(filepath.Join(dir, "tool.yaml"), []byte(manifest), 0o600),
		testtools.WriteProgram(filepath.Join(dir, "run"), program))
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// registry is that of a gateway after its start.
func (w *world) registry(t *testing.T) *tools.ToolRegistry {
	t.Helper()
	r := tools.NewToolRegistry()
	for _, e := range script.Load(w.dir, w.options) {
		_ = r.RegisterWith(e.Tool, tools.RegisterOptions{Community: true})
		if !e.Enabled {
			r.SetEnabled(e.Name, false)
		}
	}
	return r
}

func (w *world) invocation() tools.Invocation {
	return tools.Invocation{
		Channel: "telegram", Account: "main", Chat: "-5", Thread: "7", Sender: "42", Session: "s1", Turn: "t1",
		Space: w.space, Level: tools.LevelWrite, CallID: "call\n\x1b[31m1", Key: "k1",
	}
}

func (w *world) call(t *testing.T, name string, args map[string]any) *tools.ToolResult {
	t.Helper()
	return w.registry(t).Execute(tools.WithInvocation(t.Context(), w.invocation()), name, args)
}

func TestResults(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		program string
		want    tools.ToolResult
		part    string // of ForLLM, where the whole is not given
	}{
		"text":               {program: "echo hello", want: tools.ToolResult{ForLLM: "hello"}},
		"nothing":            {program: "true", want: tools.ToolResult{ForLLM: "(no output)"}},
		"answer":             {program: `echo '{"for_llm":"a","for_user":"b","silent":true}'`, want: tools.ToolResult{ForLLM: "a", ForUser: "b", Silent: true}},
		"for the user alone": {program: `echo '{"for_user":"b"}'`, want: tools.ToolResult{ForLLM: "(no output)", ForUser: "b"}},
		"data for the model": {program: `echo '{"for_llm": {"t": [1, 2.50]}}'`, want: tools.ToolResult{ForLLM: `{"t":[1,2.50]}`}},
		"data alone":         {program: `echo '{"t": 12345678901234567890}'`, want: tools.ToolResult{ForLLM: `{"t": 12345678901234567890}`}},
		"broken JSON":        {program: `echo '{"for_llm": "a"'`, want: tools.ToolResult{ForLLM: `{"for_llm": "a"`}},
		"JSON and more":      {program: `echo '{"for_llm": "a"} b'`, want: tools.ToolResult{ForLLM: `{"for_llm": "a"} b`}},
		"twice":              {program: `echo '{"for_llm":"a","for_llm":"b"}'`, want: tools.ToolResult{ForLLM: `{"for_llm":"a","for_llm":"b"}`}},
		"unknown key":        {program: `echo '{"for_llm":"a","for_usr":"b"}'`, want: tools.ToolResult{IsError: true}, part: `for_usr`},
		"wrong type":         {program: `echo '{"for_llm":"a","silent":"no"}'`, want: tools.ToolResult{IsError: true}, part: `silent has the wrong type`},
		"is_error":           {program: `echo '{"for_llm":"sold out","for_user":"Sorry.","is_error":true}'`, want: tools.ToolResult{ForUser: "Sorry.", IsError: true}, part: `"message":"sold out"`},
		"exit code": {
			program: "echo one >&2; echo 'progress: x' >&2; echo two >&2; exit 3",
			want:    tools.ToolResult{IsError: true},
			part:    `"message":"the program ended with exit code 3: two","details":{"exit_code":3,"stderr":"one\ntwo"}`,
		},
		"exit with answer": {program: `echo '{"for_llm":"no such city","for_user":"?"}'; exit 1`, want: tools.ToolResult{ForUser: "?", IsError: true}, part: `"message":"no such city"`},
		"much on stderr": {
			program: "i=0; while [ $i -lt 500 ]; do echo 'a line of trouble' >&2; i=$((i+1)); done; exit 1",
			want:    tools.ToolResult{IsError: true},
			part:    `"stderr":"…`,
		},
		"invalid UTF-8": {program: `printf 'a\377b'`, want: tools.ToolResult{ForLLM: "a\uFFFDb"}},
		"deep JSON":     {program: `awk 'BEGIN { for (i = 0; i < 20000; i++) printf "[" }'`, part: "[[[["},
		"deep answer":   {program: `awk 'BEGIN { printf "{\"for_llm\":"; for (i = 0; i < 20000; i++) printf "[" }'`, part: "[[[["},
		"too much":      {program: "yes | head -c 3000000", part: "left out here"},
		"no program":    {program: "\x00\x01", want: tools.ToolResult{IsError: true}, part: "execution_failed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			program := "#!/bin/sh\n" + c.program + "\n"
			if name == "no program" {
				program = c.program
			}
			w.put(t, "probe", anything, program)
			got := w.call(t, "probe", nil)
			if got.IsError != c.want.IsError || got.ForUser != c.want.ForUser || got.Silent != c.want.Silent {
				t.Errorf("%+v", got)
			}
			if c.part == "" && got.ForLLM != c.want.ForLLM ||
				!strings.Contains(strings.ReplaceAll(got.ForLLM, `\n`, "\n"), strings.ReplaceAll(c.part, `\n`, "\n")) {
				t.Errorf("ForLLM %.300q", got.ForLLM)
			}
			if len(got.ForLLM) > 64<<10 {
				t.Errorf("%d bytes", len(got.ForLLM))
			}
		})
	}
}

func TestWhatAProgramSees(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dir := w.put(t, "probe", "name: probe\ndescription: Does it.\n", "#!/bin/sh\nenv\necho ---\npwd\ncat\necho made > made\n")
	got := w.call(t, "probe", map[string]any{
		"city": "Köln; $(id) `id`", "n": json.Number("12345678901234567890"), "on": true, "list": []any{"<"},
		"a-b": "x", "LD_PRELOAD": "evil", "nul": "a\x00b", "long": strings.Repeat("x", 5000),
	})
	env, rest, _ := strings.Cut(got.ForLLM, "---\n")
	lines := strings.Split(env, "\n")
	for _, want := range []string{
		"PARLEY_TOOL=probe", "PARLEY_TOOL_DIR=" + dir, "PARLEY_SPACE=" + w.space, "PARLEY_CHANNEL=telegram", "PARLEY_ACCOUNT=main",
		"PARLEY_CHAT=-5", "PARLEY_THREAD=7", "PARLEY_SENDER=42", "PARLEY_SESSION=s1", "PARLEY_TURN=t1", "PARLEY_KEY=k1",
		"PARLEY_LEVEL=write", "PARLEY_CALL=call\uFFFD\uFFFD[31m1",
		"PARLEY_ARG_city=Köln; $(id) `id`", "PARLEY_ARG_n=12345678901234567890", "PARLEY_ARG_on=true", "PARLEY_ARG_LD_PRELOAD=evil",
	} {
		if !slices.Contains(lines, want) {
			t.Errorf("the program does not see %q:\n%s", want, env)
		}
	}
	for _, never := range []string{canary, "SECRET_TOKEN", "PARLEY_ARG_long", "PARLEY_ARG_nul", "PARLEY_ARG_list", "PARLEY_ARG_a-b"} {
		if strings.Contains(env, never) {
			t.Errorf("the program sees %s", never)
		}
	}
	for _, v := range w.runner.last(t).Env {
		if !strings.HasPrefix(v, "PARLEY_") {
			t.Errorf("it is given %q", v)
		}
	}
	where, input, _ := strings.Cut(rest, "\n")
	if where != w.space {
		t.Errorf("it runs in %s", where)
	}
	if !strings.Contains(input, `"n":12345678901234567890`) || !strings.Contains(input, `"list":["<"]`) {
		t.Errorf("its input is %s", input)
	}
	if _, err := os.Stat(filepath.Join(w.space, "made")); err != nil {
		t.Error(err)
	}
}

func TestWhatTheSandboxIsAskedFor(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		manifest          string
		writable, network bool
		timeout           time.Duration
	}{
		"as it is":  {"", true, false, 20 * time.Second},
		"read only": {"read_only: true\n", false, false, 20 * time.Second},
		"network":   {"network: true\ntimeout: 45s\n", true, true, 45 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			dir := w.put(t, "probe", anything+c.manifest, "#!/bin/sh\n")
			prepared := ""
			w.options.Prepare = func(space string) error { prepared = space; return nil }
			w.call(t, "probe", nil)
			got := w.runner.last(t)
			if got.Workspace != w.space || got.Dir != w.space || prepared != w.space || !slices.Equal(got.Readable, []string{dir}) ||
				got.Writable != c.writable || got.Network != c.network || got.Timeout != c.timeout {
				t.Errorf("%+v, prepared %q", got, prepared)
			}
		})
	}
}

func TestAnnotations(t *testing.T) {
	t.Parallel()
	for manifest, want := range map[string]struct {
		a        tools.Annotations
		approval string
	}{
		"":                                 {tools.Annotations{Level: tools.LevelWrite}, ""},
		"read_only: true\n":                {tools.Annotations{ReadOnly: true, Level: tools.LevelRead}, ""},
		"destructive: true\nlevel: exec\n": {tools.Annotations{Destructive: true, Level: tools.LevelExec}, ""},
		"network: true\napproval: never\n": {tools.Annotations{OpenWorld: true, Level: tools.LevelWrite}, "never"},
		"network: true\nopen_world: false\nlevel: chat\nidempotent: true\napproval: side_effects\n": {
			tools.Annotations{Idempotent: true, Level: tools.LevelChat}, "side_effects",
		},
	} {
		w := newWorld(t)
		w.put(t, "probe", anything+manifest, "#!/bin/sh\n")
		tool := script.Load(w.dir, w.options)[0].Tool
		got := tools.AnnotationsOf(tool)
		want.a.Timeout, want.a.MaxOutput = got.Timeout, got.MaxOutput
		if got != want.a || got.Timeout < 20*time.Second || got.MaxOutput != 64<<10 {
			t.Errorf("%q: %+v", manifest, got)
		}
		if a := tool.(interface{ Approval() string }).Approval(); a != want.approval {
			t.Errorf("%q: approval %q", manifest, a)
		}
	}
}

func TestTimeout(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put(t, "probe", anything+"timeout: 300ms\n", "#!/bin/sh\necho waiting >&2\nsleep 60 &\nwait\n")
	got := w.call(t, "probe", nil)
	if !got.IsError || !strings.Contains(got.ForLLM, `"type":"timeout"`) || !strings.Contains(got.ForLLM, `"stderr":"waiting"`) {
		t.Errorf("%+v", got)
	}
}

func TestExamine(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dir := w.put(t, "probe", anything+"destructive: true\n", "#!/bin/sh\necho ran\n")
	tool := script.Load(w.dir, w.options)[0].Tool
	ctx := tools.WithInvocation(t.Context(), w.invocation())
	first, err := tool.(tools.Examiner).Examine(ctx, nil)
	if err != nil || !first.Destructive || first.State == "" {
		t.Fatalf("%+v, %v", first, err)
	}
	if again, err := tool.(tools.Examiner).Examine(ctx, nil); err != nil || !reflect.DeepEqual(again, first) {
		t.Errorf("%+v, %v", again, err)
	}
	if w.runner.runs() != 0 {
		t.Error("it was run")
	}
	if err := os.WriteFile(filepath.Join(dir, "run"), []byte("#!/bin/sh\necho changed\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if changed, err := tool.(tools.Examiner).Examine(ctx, nil); err != nil || changed.State == first.State {
		t.Errorf("a changed program has the same state: %+v, %v", changed, err)
	}
}

// TestOwnToolsBringWhatOthersSent where they could read that.
func TestOwnToolsBringWhatOthersSent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.options.Outside = "inbox"
	w.put(t, "probe", anything+"read_only: true\n", "#!/bin/sh\necho ran\n")
	tool := script.Load(w.dir, w.options)[0].Tool
	ctx := tools.WithInvocation(t.Context(), w.invocation())
	for _, c := range []struct {
		name string
		make func() error
		want bool
	}{
		{"no inbox", func() error { return nil }, false},
		{"an empty one", func() error { return os.Mkdir(filepath.Join(w.space, "inbox"), 0o700) }, false},
		{"a letter", func() error { return os.WriteFile(filepath.Join(w.space, "inbox", "letter"), nil, 0o600) }, true},
		{"a link", func() error {
			return errors.Join(os.Rename(filepath.Join(w.space, "inbox"), filepath.Join(w.space, "box")),
				os.Symlink("box", filepath.Join(w.space, "inbox")))
		}, true},
	} {
		if err := c.make(); err != nil {
			t.Fatal(err)
		}
		if ex, err := tool.(tools.Examiner).Examine(ctx, nil); err != nil || ex.Brings != c.want || ex.Taints {
			t.Errorf("%s: %+v, %v", c.name, ex, err)
		}
	}
}

// TestChangedFolderIsNotRun changes a folder that was fine at the start.
func TestChangedFolderIsNotRun(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(dir string) error{
		"writable program": func(dir string) error { return os.Chmod(filepath.Join(dir, "run"), 0o777) },
		"writable folder":  func(dir string) error { return os.Chmod(dir, 0o777) },
		"writable parent":  func(dir string) error { return os.Chmod(filepath.Dir(dir), 0o777) },
		"gone":             func(dir string) error { return os.Remove(filepath.Join(dir, "run")) },
		"a link out": func(dir string) error {
			run := filepath.Join(dir, "run")
			return errors.Join(os.Remove(run), os.Symlink("/bin/sh", run))
		},
		"a folder that is a link": func(dir string) error {
			return errors.Join(os.Rename(dir, dir+"2"), os.Symlink(dir+"2", dir))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			dir := w.put(t, "probe", anything, "#!/bin/sh\necho ran\n")
			r := w.registry(t)
			tool := script.Load(w.dir, w.options)[0].Tool
			if err := change(dir); err != nil {
				t.Fatal(err)
			}
			ctx := tools.WithInvocation(t.Context(), w.invocation())
			if got := r.Execute(ctx, "probe", nil); !got.IsError || !strings.Contains(got.ForLLM, `"type":"security_violation"`) {
				t.Errorf("%+v", got)
			}
			var fail *tools.Error
			if _, err := tool.(tools.Examiner).Examine(ctx, nil); !errors.As(err, &fail) || fail.Type != tools.ErrSecurityViolation {
				t.Errorf("Examine: %v", err)
			}
			// The folder may change after the examination: the tool looks again by itself.
			if got := tool.Execute(ctx, nil); !got.IsError || !strings.Contains(got.ForLLM, `"type":"security_violation"`) {
				t.Errorf("Execute: %+v", got)
			}
			if w.runner.runs() != 0 {
				t.Error("it was run")
			}
		})
	}
}

func TestWithoutASpace(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put(t, "probe", anything, "#!/bin/sh\necho ran\n")
	if got := w.registry(t).Execute(t.Context(), "probe", nil); !got.IsError || w.runner.runs() != 0 {
		t.Errorf("%+v", got)
	}
}

func TestWithoutASandbox(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put(t, "probe", anything, "#!/bin/sh\necho ran\n")
	r := w.registry(t)
	w.runner.unavailable = fmt.Errorf("%w: user namespaces are forbidden", sandbox.ErrUnavailable)
	if got := w.registry(t).Reason("probe"); got != "no sandbox here: user namespaces are forbidden" {
		t.Errorf("%q", got)
	}
	got := r.Execute(tools.WithInvocation(t.Context(), w.invocation()), "probe", nil)
	if !got.IsError || !strings.Contains(got.ForLLM, "user namespaces are forbidden") || w.runner.runs() != 0 {
		t.Errorf("%+v", got)
	}
}

func TestBuiltInToolsWin(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put(t, "probe", anything, "#!/bin/sh\necho community\n")
	r := tools.NewToolRegistry()
	r.Register(tools.New("probe", "Built in.", tools.Annotations{}, func(context.Context, struct{}) (any, error) { return "built in", nil }))
	for _, e := range script.Load(w.dir, w.options) {
		if err := r.RegisterWith(e.Tool, tools.RegisterOptions{Community: true}); err == nil {
			t.Error("a built-in tool was replaced")
		}
	}
	if got := r.Execute(t.Context(), "probe", nil); got.ForLLM != "built in" {
		t.Errorf("%+v", got)
	}
}
