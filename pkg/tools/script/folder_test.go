package script_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"parley/pkg/tools"
	"parley/pkg/tools/script"
)

func TestBrokenFolders(t *testing.T) {
	t.Parallel()
	in := func(dir string, name ...string) string { return filepath.Join(append([]string{dir}, name...)...) }
	for name, c := range map[string]struct {
		damage func(dir string) error // of the folder of the tool probe
		want   string
	}{
		"no tool.yaml":       {func(d string) error { return os.Remove(in(d, "tool.yaml")) }, "there is no file tool.yaml"},
		"no program":         {func(d string) error { return os.Remove(in(d, "run")) }, "there is no file run"},
		"not executable":     {func(d string) error { return os.Chmod(in(d, "run"), 0o600) }, "run is not executable: chmod u+x run"},
		"writable program":   {func(d string) error { return os.Chmod(in(d, "run"), 0o702) }, "everybody may write run: chmod o-w run"},
		"writable tool.yaml": {func(d string) error { return os.Chmod(in(d, "tool.yaml"), 0o602) }, "everybody may write tool.yaml"},
		"writable folder":    {func(d string) error { return os.Chmod(d, 0o702) }, "everybody may write the folder probe"},
		"setuid":             {func(d string) error { return os.Chmod(in(d, "run"), 0o700|os.ModeSetuid) }, "setuid"},
		"program links out": {func(d string) error {
			return errors.Join(os.Remove(in(d, "run")), os.Symlink("/bin/sh", in(d, "run")))
		}, "run cannot be read, or leads out of the folder"},
		"program links up": {func(d string) error {
			return errors.Join(os.Rename(in(d, "run"), in(d, "..", "prog")), os.Symlink("../prog", in(d, "run")))
		}, "run cannot be read, or leads out of the folder"},
		"tool.yaml links out": {func(d string) error {
			return errors.Join(os.Rename(in(d, "tool.yaml"), in(d, "..", "t.yaml")), os.Symlink("../t.yaml", in(d, "tool.yaml")))
		}, "tool.yaml cannot be read, or leads out of the folder"},
		"folder is a link": {func(d string) error {
			return errors.Join(os.Rename(d, in(d, "..", ".real")), os.Symlink(".real", d))
		}, "the folder is a symbolic link"},
		"link to nothing": {
			func(d string) error { return errors.Join(os.RemoveAll(d), os.Symlink("nowhere", d)) },
			"the folder is a symbolic link",
		},
		"program is a folder": {
			func(d string) error { return errors.Join(os.Remove(in(d, "run")), os.Mkdir(in(d, "run"), 0o700)) },
			"run is not a regular file",
		},
		"program is a pipe": {
			func(d string) error { return errors.Join(os.Remove(in(d, "run")), syscall.Mkfifo(in(d, "run"), 0o700)) },
			"run is not a regular file",
		},
		"tool.yaml is a pipe": {func(d string) error {
			return errors.Join(os.Remove(in(d, "tool.yaml")), syscall.Mkfifo(in(d, "tool.yaml"), 0o600))
		}, "tool.yaml is not a regular file"},
		"huge tool.yaml": {func(d string) error { return os.Truncate(in(d, "tool.yaml"), 65<<10) }, "tool.yaml is larger than 65536 bytes"},
		"other name": {func(d string) error {
			return os.WriteFile(in(d, "tool.yaml"), []byte("name: prob\ndescription: x\n"), 0o600)
		}, `the name is "prob", and the folder's is "probe"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			dir := w.put(t, "probe", anything, "#!/bin/sh\necho ran\n")
			w.put(t, "good", strings.Replace(anything, "probe", "good", 1), "#!/bin/sh\necho good\n")
			if err := c.damage(dir); err != nil {
				t.Fatal(err)
			}
			r := w.registry(t)
			if got := r.Reason("probe"); !strings.Contains(got, c.want) || strings.Contains(got, "\n") {
				t.Errorf("%q, want %q", got, c.want)
			}
			ctx := tools.WithInvocation(t.Context(), w.invocation())
			if got := r.Execute(ctx, "probe", nil); !got.IsError || !strings.Contains(got.ForLLM, `"type":"disabled"`) || w.runner.runs() != 0 {
				t.Errorf("%+v", got)
			}
			if got := r.Execute(ctx, "good", nil); got.ForLLM != "good" {
				t.Errorf("the other one: %+v", got)
			}
		})
	}
}

func TestFolderNames(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, name := range []string{"a b", "x\x1b[2J", "ü", strings.Repeat("n", 65)} {
		w.put(t, name, anything, "#!/bin/sh\n")
	}
	w.put(t, ".hidden", anything, "#!/bin/sh\n")
	if err := os.WriteFile(filepath.Join(w.dir, "README.md"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	entries := script.Load(w.dir, w.options)
	if len(entries) != 4 {
		t.Errorf("%d entries", len(entries))
	}
	r := w.registry(t)
	for _, e := range entries {
		if strings.ContainsRune(e.Name, 0x1b) || !strings.Contains(r.Reason(e.Name), "is not 1 to 64 letters") {
			t.Errorf("%q: %q", e.Name, r.Reason(e.Name))
		}
	}
	if got := script.Load(filepath.Join(w.dir, "nothing"), w.options); len(got) != 0 {
		t.Errorf("%v", got)
	}
}

func TestManifestProblems(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"empty":            {"", "it is empty"},
		"comments":         {"# nothing\n", "it is empty"},
		"a list":           {"- a\n", "tool.yaml:1:1: must be a block of keys (approval, command, "},
		"a word":           {"hello", "must be a block of keys"},
		"not YAML":         {"name: probe\ndescription: \"x\n", "tool.yaml:2:14: this is not YAML"},
		"a tab":            {"name: probe\n\tdescription: x\n", "this is not YAML"},
		"unknown key":      {anything + "tiemout: 3s\n", `tool.yaml:4:1: tiemout: unknown key: did you mean timeout?`},
		"case":             {anything + "Name: probe\n", `tool.yaml:4:1: Name: unknown key: did you mean name?`},
		"twice":            {anything + "name: probe\n", `tool.yaml:4:1: name: is written twice, first in line 1`},
		"no name":          {"description: x\n", "name: is missing"},
		"no description":   {"name: probe\n", "description: is missing"},
		"blank":            {"name: probe\ndescription: '  '\n", "tool.yaml:2:14: description: is missing"},
		"long":             {"name: probe\ndescription: " + strings.Repeat("x", 2001) + "\n", "description: is longer than 2000 bytes"},
		"name a number":    {"name: 5\ndescription: x\n", "tool.yaml:1:7: name: must be a text, not a number"},
		"flag a text":      {anything + "read_only: 'yes'\n", "tool.yaml:4:12: read_only: must be true or false"},
		"flag yes":         {anything + "network: yes\n", "network: must be true or false"},
		"flag empty":       {anything + "network:\n", "network: has no value"},
		"level":            {anything + "level: root\n", `tool.yaml:4:8: level: "root" is not understood: write one of chat, read, write, exec`},
		"approval":         {anything + "approval: always\n", "write one of destructive, side_effects, never"},
		"timeout":          {anything + "timeout: 30\n", "timeout: must be a time span"},
		"negative timeout": {anything + "timeout: -3s\n", "timeout: -3s is too short: write a time span of at least 100ms"},
		"long timeout":     {anything + "timeout: 9h\n", "timeout 9h0m0s is more than tools.scripts.max_timeout allows (1m0s)"},
		"both":             {anything + "read_only: true\ndestructive: true\n", "tool.yaml:5:14: destructive: a tool cannot be both"},
		"command path":     {anything + "command: ../run\n", "tool.yaml:4:10: command: must be the name of a file"},
		"command absolute": {anything + "command: /bin/sh\n", "command: must be the name of a file"},
		"command dot":      {anything + "command: ..\n", "command: must be the name of a file"},
		"command NUL":      {anything + "command: \"r\\0n\"\n", "command: holds the character U+0000"},
		"command itself":   {anything + "command: tool.yaml\n", "command: must be the name of a file"},
		"command missing":  {anything + "command: start\n", "there is no file start"},
		"parameters": {
			"name: probe\ndescription: x\nparameters: [a]\n",
			"tool.yaml:3:13: parameters: must be a block of names with their keys, not a list",
		},
		"schema type": {
			"name: probe\ndescription: x\nparameters: {type: strin}\n",
			"tool.yaml: parameters: the schema's type must be object, not strin",
		},
		"schema": {
			"name: probe\ndescription: x\nparameters: {type: object, properties: {a: {type: strin}}}\n",
			"tool.yaml: parameters: the schema is not valid",
		},
		"schema reference": {"name: probe\ndescription: x\nparameters: {$ref: 'file:///etc/passwd'}\n", "must not refer to file:///etc/passwd"},
		"schema twice":     {"name: probe\ndescription: x\nparameters: {type: object, type: object}\n", `parameters.type: is written twice`},
		"schema deep": {
			"name: probe\ndescription: x\nparameters: " + strings.Repeat("{a: ", 40) + "1" + strings.Repeat("}", 40) + "\n",
			"is nested too deeply",
		},
		"brackets":      {"name: probe\ndescription: " + strings.Repeat("[", 20_000), "nested more than 100 levels"},
		"alias":         {"name: &a probe\ndescription: *a\n", "anchors, aliases and tags are not understood here"},
		"merge":         {"<<: {name: probe}\ndescription: x\n", "anchors, aliases and tags are not understood here"},
		"tag":           {"name: !!str probe\ndescription: x\n", "anchors, aliases and tags are not understood here"},
		"two documents": {anything + "---\n" + anything, "a second document"},
		"no text":       {"name: \xff\xfe\n", "UTF-8"},
		"several":       {anything + "a: 1\nb: 2\nc: 3\nd: 4\ne: 5\nf: 6\n", "; and 1 more"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.put(t, "probe", c.text, "#!/bin/sh\necho ran\n")
			if got := w.registry(t).Reason("probe"); !strings.Contains(got, c.want) || strings.ContainsAny(got, "\n\x1b") {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// FuzzManifest: whatever tool.yaml is, there is a tool or one line that says why not.
func FuzzManifest(f *testing.F) {
	for _, seed := range []string{
		anything, "", "name: probe", anything + "level: exec\napproval: never\ntimeout: 1s\nnetwork: true\n", "- a", "? a\n: b",
		"name: &a probe\ndescription: *a",
		"parameters: {type: object, properties: {a: {type: [string, 'null'], enum: [1, .inf, ~]}}}\nname: probe\ndescription: |\n  x\n",
		strings.Repeat("[", 200), "<<: *x", "name: !!binary aGk=", anything + "enabled: false\n",
	} {
		f.Add(seed)
	}
	dir := filepath.Join(f.TempDir(), "tools")
	folder := filepath.Join(dir, "probe")
	if err := errors.Join(os.MkdirAll(folder, 0o700), os.WriteFile(filepath.Join(folder, "run"), nil, 0o700)); err != nil {
		f.Fatal(err)
	}
	runner := &bare{}
	f.Fuzz(func(t *testing.T, text string) {
		if err := os.WriteFile(filepath.Join(folder, "tool.yaml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		entries := script.Load(dir, script.Options{Runner: runner})
		if len(entries) != 1 || entries[0].Name != "probe" {
			t.Fatalf("%+v", entries)
		}
		r := tools.NewToolRegistry()
		err := r.RegisterWith(entries[0].Tool, tools.RegisterOptions{Community: true})
		if err != nil && strings.ContainsAny(err.Error(), "\n\r\x1b") {
			t.Errorf("more than a line: %q", err)
		}
		if a := tools.AnnotationsOf(entries[0].Tool); err == nil && (a.Level == "" || a.Timeout <= 0 || entries[0].Tool.Description() == "") {
			t.Errorf("%+v", a)
		}
	})
}
