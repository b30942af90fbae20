package shell_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"parley/pkg/tools/shell"
)

// FuzzCommand gives arguments, separated by NUL or lines, and a folder. For all of
// them, the shown command runs, with every character visible, in the space.
func FuzzCommand(f *testing.F) {
	for _, seed := range []string{
		"ls\n*", "ls\n../*\n/etc/*", "ls\n[\n?", "env\n-S\nrm",
		"ls\n\u202e\u200b\n\xff\xfe", "cat\n-*", "ls\n*/*/*\nout/*", "/bin/ls\n\"\\", "",
	} {
		f.Add(seed, "")
		f.Add(seed, "sub/../..")
	}
	f.Add("ls\n*", "out")
	space := f.TempDir()
	for _, name := range []string{"a", "b c", "-rf", "sub/d", "sub/\"", ".h"} {
		write(f, filepath.Join(space, name), "")
	}
	if err := os.Symlink("/", space+"/out"); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, words, cwd string) {
		box := &recorder{}
		tool, _ := shell.New(shell.Options{Runner: box, Allow: []string{"ls", "cat"}})
		given := strings.Split(words, "\n")
		args := with(argv(given...), "cwd", cwd)
		seen, err := examine(t, tool, space, args)
		res := tool.Execute(in(t, space), args)
		if (err != nil) != res.IsError || (box.ran > 0) != (err == nil) {
			t.Fatalf("Examine says %v, Execute %s after %d runs", err, res.ForLLM, box.ran)
		}
		if err != nil {
			return
		}
		if c := box.last; c.Workspace != space || c.Dir != space && !strings.HasPrefix(c.Dir, space+"/") {
			t.Errorf("it runs in %q of %q", c.Dir, c.Workspace)
		}
		line, _, _ := strings.Cut(strings.TrimPrefix(seen.Text, "run: "), "\n")
		if strings.IndexFunc(seen.Text, func(r rune) bool { return !unicode.IsPrint(r) && r != '\n' }) >= 0 {
			t.Errorf("something invisible is shown: %q", seen.Text)
		}
		if got := shown(t, line); strings.Join(got[1:], "\x00") != strings.Join(box.last.Args, "\x00") || got[0] != box.last.Path {
			t.Errorf("%q is shown, %q run with %q", got, box.last.Path, box.last.Args)
		}
	})
}

// shown reads a line as a person would.
func shown(t *testing.T, line string) []string {
	t.Helper()
	var words []string
	for line != "" {
		word, rest, _ := strings.Cut(line, " ")
		if line[0] == '"' {
			quoted, err := strconv.QuotedPrefix(line)
			if err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			if word, err = strconv.Unquote(quoted); err != nil {
				t.Fatalf("%q: %v", quoted, err)
			}
			rest = strings.TrimPrefix(line[len(quoted):], " ")
		}
		words, line = append(words, word), rest
	}
	return words
}
