package files_test

import (
	"os"
	"strings"
	"testing"

	"parley/pkg/tools"
	"parley/pkg/tools/files"
)

func TestModeFollowsTheLevel(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		mode  string
		level tools.Level
		want  bool
	}{
		{"", "", false},
		{"", tools.LevelNone, false},
		{"", tools.LevelChat, false},
		{"", tools.LevelRead, false},
		{"", tools.LevelWrite, true},
		{"", tools.LevelExec, true},
		{"ro", tools.LevelExec, false},
		{"rw", tools.LevelRead, true},
		{"something", tools.LevelExec, false},
	} {
		b := newBox(t, map[string]string{"a": "x"}).with(files.Options{Mode: tc.mode})
		ctx := tools.WithInvocation(t.Context(), tools.Invocation{Space: b.dir, Level: tc.level})
		for name, a := range writes("a") {
			tool, _ := b.registry.Get(name)
			_, err := b.examine(t, tc.level, name, a)
			res := tool.Execute(ctx, a)
			if res.IsError == tc.want || (err == nil) != tc.want || !tc.want && errorType(res) != "permission_denied" {
				t.Errorf("mode %q, level %q: %s gives %s, %v", tc.mode, tc.level, name, res.ForLLM, err)
			}
			b.write(t, "a", "x")
		}
	}
}

// writes is a call of each writing tool on a path; edit_file expects an x there.
func writes(p string) map[string]map[string]any {
	return map[string]map[string]any{
		"write_file": args("path", p, "content", "new"), "append_file": args("path", p, "content", "new"),
		"edit_file": args("path", p, "old_text", "x", "new_text", "new"), "delete_file": args("path", p),
	}
}

func TestSpaceIsBounded(t *testing.T) {
	t.Parallel()
	b := newBox(t, map[string]string{"a": "12345", "d/b": "12345"}).with(files.Options{Limits: files.Limits{MaxFiles: 5, MaxBytes: 20}})
	for _, step := range []struct {
		tool string
		args map[string]any
		want string
	}{
		{"write_file", args("path", "e/f/c", "content", ""), "permission_denied"}, // three names, where two are free
		{"write_file", args("path", "c", "content", "1234567890"), "no error"},    // 20 bytes
		{"write_file", args("path", "e", "content", "1"), "permission_denied"},    // 21
		{"append_file", args("path", "a", "content", "1"), "permission_denied"},   // 21
		{"write_file", args("path", "a", "content", "abcde"), "no error"},         // as large as before
		{"edit_file", args("path", "a", "old_text", "a", "new_text", "bc"), "permission_denied"},
		{"write_file", args("path", "e", "content", ""), "no error"}, // the fifth
		{"write_file", args("path", "f", "content", ""), "permission_denied"},
		{"delete_file", args("path", "c"), "no error"},
		{"write_file", args("path", "f", "content", "1"), "no error"},
	} {
		if got := errorType(b.call(t.Context(), step.tool, step.args)); !strings.HasPrefix(got, step.want) {
			t.Errorf("%s %v: %s, want %s", step.tool, step.args, got, step.want)
		}
	}
}

func TestModeOfAFileStays(t *testing.T) {
	t.Parallel()
	b := newBox(t, map[string]string{"run.sh": "x"})
	if err := os.Chmod(b.path("run.sh"), 0o750); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"run.sh", "new"} {
		if res := b.call(t.Context(), "write_file", args("path", name, "content", "y")); res.IsError {
			t.Fatal(res.ForLLM)
		}
	}
	for name, want := range map[string]os.FileMode{"run.sh": 0o750, "new": 0o600} {
		if info, err := os.Stat(b.path(name)); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
}
