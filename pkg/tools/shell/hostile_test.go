package shell_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/pkg/sandbox"
	"parley/pkg/tools"
	"parley/pkg/tools/shell"
)

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
