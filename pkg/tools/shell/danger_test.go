package shell_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/tools/shell"
)

// TestAlwaysAsked allows everything and checks the calls that still ask.
func TestAlwaysAsked(t *testing.T) {
	t.Parallel()
	dir, space := t.TempDir(), t.TempDir()
	var allow []string
	for _, name := range []string{
		"rm", "dd", "mkfs.ext4", "shred", "mv", "chmod", "chown", "kill", "env", "nice", "xargs",
		"busybox", "sh", "bash", "git", "tar", "gawk", "python3.12", "ld-linux-x86-64.so.2",
		"find", "sort", "tree", "date", "ls", "cat", "grep", "wc",
	} {
		program := filepath.Join(dir, name)
		write(t, program, "#!/bin/true\n")
		if err := os.Chmod(program, 0o700); err != nil {
			t.Fatal(err)
		}
		allow = append(allow, program)
	}
	// A link with a harmless name to a dangerous program.
	if err := os.Symlink("busybox", dir+"/head"); err != nil {
		t.Fatal(err)
	}
	tool, missing := shell.New(shell.Options{Runner: &recorder{}, Allow: append(allow, dir+"/head")})
	if len(missing) > 0 {
		t.Fatalf("missing: %q", missing)
	}
	for line, want := range map[string]bool{
		"rm x": true, "dd if=/dev/zero of=x": true, "mkfs.ext4 disk": true, "shred x": true,
		"mv a b": true, "chmod 777 x": true, "chown 0 x": true, "kill 1": true,
		"env -S rm x": true, "env FOO=1 ls": true, "nice ls": true, "xargs rm": true,
		"busybox rm x": true, "head x": true, "sh -lc ls": true, "bash x": true,
		"git -c core.pager=x log": true, "git status": true, "tar xf a --checkpoint-action=exec=sh": true,
		"tar tf a": true, "gawk BEGIN{system(\"x\")}": true,
		"python3.12 -c x": true, "ld-linux-x86-64.so.2 /bin/rm": true,
		"find . -exec rm {} +": true, "find . -execdir x ;": true, "find . -ok x ;": true,
		"find . -delete": true, "find . -fprintf x y": true, "find . -fls x": true,
		"sort -o x y": true, "sort -uo x y": true, "sort --output=x y": true,
		"sort --out x": true, "sort --compress-program=sh x": true, "sort --co sh x": true,
		"tree -o x": true, "date -s now": true, "date --set now": true,
		"find . -name x": false, "sort -n x": false, "tree": false, "date": false,
		"ls -la": false, "cat x": false, "grep rm x": false, "wc -l x": false,
	} {
		seen, err := examine(t, tool, space, argv(strings.Fields(line)...))
		if err != nil || seen.Always != want || !seen.Destructive {
			t.Errorf("%s: always asked %v, want %v: %v", line, seen.Always, want, err)
		}
	}
}

func TestPatterns(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	space := filepath.Join(parent, "space")
	for _, name := range []string{"a.txt", "b.txt", "c.go", ".hidden", "-rf", "sub/d.txt", "sub/.e.txt", "[x]", "sub2/f"} {
		write(t, filepath.Join(space, name), "")
	}
	write(t, parent+"/outside.txt", "")
	for link, to := range map[string]string{"out": parent, "in": "sub"} {
		if err := os.Symlink(to, filepath.Join(space, link)); err != nil {
			t.Fatal(err)
		}
	}
	box := &recorder{}
	tool, _ := shell.New(shell.Options{Runner: box, Allow: []string{"ls"}})
	for pattern, want := range map[string][]string{
		"*.txt":       {"a.txt", "b.txt"},
		"./*.txt":     {"./a.txt", "./b.txt"},
		"?.go":        {"c.go"},
		"[ab].txt":    {"a.txt", "b.txt"},
		"sub/*":       {"sub/d.txt"},
		"*/*.txt":     {"in/d.txt", "sub/d.txt"},
		".h*":         {".hidden"},
		"-*":          {"./-rf"},
		"in/*":        {"in/d.txt"},
		"*.none":      {"*.none"},
		"plain":       {"plain"},
		"[":           {"["},
		"out/*":       {"out/*"},
		"../*":        {"../*"},
		"sub/../../*": {"sub/../../*"},
		"/etc/*":      {"/etc/*"},
		parent + "/*": {parent + "/*"},
		"*/../*":      {"*/../*"},
		"*/outside*":  {"*/outside*"},
		"~/*":         {"~/*"},
		"{a,b}.txt":   {"{a,b}.txt"},
		"$HOME/*":     {"$HOME/*"},
		"\\*.txt":     {"\\*.txt"},
		"**/*.txt":    {"in/d.txt", "sub/d.txt"},
	} {
		if res := tool.Execute(in(t, space), argv("ls", pattern)); res.IsError {
			t.Errorf("%s: %s", pattern, res.ForLLM)
		}
		if diff := cmp.Diff(want, box.last.Args); diff != "" {
			t.Errorf("%s: -want +got\n%s", pattern, diff)
		}
		_ = tool.Execute(in(t, space), with(argv("ls", pattern), "literal", true))
		if diff := cmp.Diff([]string{pattern}, box.last.Args); diff != "" {
			t.Errorf("%s, literal: -want +got\n%s", pattern, diff)
		}
	}
	for i := range 1001 {
		write(t, fmt.Sprintf("%s/many/%04d", space, i), "")
	}
	for name, args := range map[string]map[string]any{
		"too many files": argv("ls", "many/*"), "too long": argv(append([]string{"ls"}, slices.Repeat([]string{"many/0*", "many/00*"}, 9)...)...),
	} {
		if _, err := examine(t, tool, space, args); err == nil || !strings.Contains(err.Error(), "fewer") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
