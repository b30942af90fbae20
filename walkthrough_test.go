package parley_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/internal/tools/mutants"
	"parley/internal/tools/promises"
)

const extending = "docs/extending.md"

// block is one fenced block of a walk-through. Its kind decides its use: go, yaml and
// the like are written to the file they name, a diff is applied to the tree, sh is run,
// and text is the expected output of the run before.
type block struct {
	kind, file, text string
	line             int
}

// TestWalkThroughs follows docs/extending.md, in a scratch copy of the tree.
func TestWalkThroughs(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip(promises.Later)
	}
	doc, err := os.ReadFile(extending)
	if err != nil {
		t.Fatal(err)
	}
	all := walkThroughs(string(doc))
	for _, name := range []string{"To add a channel", "To add a provider", "To add a tool"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			blocks := all[name]
			kinds := map[string]bool{}
			for _, b := range blocks {
				kinds[b.kind] = true
			}
			for _, kind := range []string{"go", "diff", "sh", "text"} {
				if !kinds[kind] {
					t.Fatalf("%s: %q has no %s block", extending, name, kind)
				}
			}
			walk(t, blocks)
		})
	}
}

func TestWalkThroughsParse(t *testing.T) {
	t.Parallel()
	doc := "# A\n```go outside.go\n```\n## To add x\nprose\n```go a/b.go\npackage b\n```\n```sh\ngo test\n```\n## C\n```sh\nno\n```\n"
	got := walkThroughs(doc)["To add x"]
	want := []block{{"go", "a/b.go", "package b\n", 6}, {"sh", "", "go test\n", 9}}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// walkThroughs finds the blocks under each second-level heading.
func walkThroughs(doc string) map[string][]block {
	found := map[string][]block{}
	heading := ""
	var open *block
	for i, line := range strings.SplitAfter(doc, "\n") {
		fence, isFence := strings.CutPrefix(line, "```")
		switch {
		case isFence && open != nil:
			if heading != "" {
				found[heading] = append(found[heading], *open)
			}
			open = nil
		case isFence:
			kind, file, _ := strings.Cut(strings.TrimSpace(fence), " ")
			open = &block{kind: kind, file: file, line: i + 1}
		case open != nil:
			open.text += line
		case strings.HasPrefix(line, "## "):
			heading = strings.TrimSpace(line[len("## "):])
		case strings.HasPrefix(line, "#"):
			heading = ""
		}
	}
	return found
}

// walk does what the blocks say, one after the other, in a copy of the tree.
func walk(t *testing.T, blocks []block) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "parley")
	if err := mutants.Copy(dir, "."); err != nil {
		t.Fatal(err)
	}
	printed := ""
	for _, b := range blocks {
		switch b.kind {
		case "sh":
			printed = command(t, dir, b, "sh", "-e", "-c", b.text)
		case "diff":
			patch(t, dir, b)
		case "text":
			for line := range strings.Lines(b.text) {
				if !strings.Contains(printed, strings.TrimSpace(line)) {
					t.Errorf("%s:%d: the command before did not print %q but:\n%s", extending, b.line, line, printed)
				}
			}
		default:
			path := filepath.Join(dir, filepath.FromSlash(b.file))
			if b.file == "" {
				t.Fatalf("%s:%d: the block names no file", extending, b.line)
			}
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(b.text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func command(t *testing.T, dir string, b block, name string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), buildLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	// The caches stay where they are; state and configuration do not.
	cmd.Env = append(cmd.Environ(), "HOME="+t.TempDir(), "OPENAI_API_KEY=", "OPENROUTER_API_KEY=",
		"GOCACHE="+goEnv(t, "GOCACHE"), "GOMODCACHE="+goEnv(t, "GOMODCACHE"))
	// A gateway that it started ends with it, however it ends.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // mostly nobody is left
	}
	if err != nil {
		t.Fatalf("%s:%d: %v\n%s", extending, b.line, err, out)
	}
	return string(out)
}

func goEnv(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "env", name).Output()
	if err != nil {
		t.Fatalf("go env: %v", err)
	}
	return strings.TrimSpace(string(out))
}

// patch applies a diff without line numbers: in the file that a line +++ names,
// what a hunk has of old lines stands exactly once and becomes its new ones.
func patch(t *testing.T, dir string, b block) {
	t.Helper()
	var path, before, after string
	apply := func() {
		if before+after == "" {
			return
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatalf("%s:%d: %v", extending, b.line, err)
		}
		if n := strings.Count(string(text), before); n != 1 || before == "" {
			t.Fatalf("%s:%d: %s has %d times:\n%s", extending, b.line, path, n, before)
		}
		if err := os.WriteFile(path, []byte(strings.Replace(string(text), before, after, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		before, after = "", ""
	}
	for line := range strings.Lines(b.text) {
		name, isName := strings.CutPrefix(line, "+++ b/")
		switch {
		case strings.HasPrefix(line, "--- a/"), strings.HasPrefix(line, "@@"):
			apply()
		case isName:
			path = filepath.Join(dir, filepath.FromSlash(strings.TrimSpace(name)))
		case line[0] == '-':
			before += line[1:]
		case line[0] == '+':
			after += line[1:]
		default:
			before, after = before+line[1:], after+line[1:]
		}
	}
	apply()
}
