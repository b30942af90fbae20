package files_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/tools"
	"parley/pkg/tools/files"
)

const canary = "CANARY-7f3a"

// fortify gives a space beside files that must stay hidden.
func fortify(tb testing.TB) *box {
	tb.Helper()
	parent := tb.TempDir()
	b := newBox(tb, map[string]string{"inside.txt": "inside"})
	old := b.dir
	b.dir = filepath.Join(parent, "space")
	if err := os.Rename(old, b.dir); err != nil {
		tb.Fatal(err)
	}
	for name, text := range map[string]string{"../secret.txt": canary, "../space-two/secret.txt": canary} {
		b.write(tb, name, text)
	}
	return b
}

func (b *box) link(tb testing.TB, target, name string) {
	tb.Helper()
	if err := os.Symlink(target, b.path(name)); err != nil {
		tb.Fatal(err)
	}
}

func TestHostilePaths(t *testing.T) {
	t.Parallel()
	b := fortify(t)
	b.traps(t)
	tests := []struct{ path, want string }{
		{"..", "security_violation"},
		{"../secret.txt", "security_violation"},
		{"a/../../secret.txt", "security_violation"},
		{"./../space/inside.txt", "security_violation"},
		{"a/../inside.txt", "security_violation"},
		{"../space-two/secret.txt", "security_violation"},
		{b.path("../secret.txt"), "security_violation"},
		{b.path("../space-two/secret.txt"), "security_violation"},
		{b.dir + "/../secret.txt", "security_violation"},
		{b.dir + "/up/secret.txt", "security_violation"},
		{b.dir + "/relative", "security_violation"},
		{b.dir + "/hard", "security_violation"},
		{filepath.Dir(b.dir), "security_violation"},
		{b.dir + "secret.txt", "security_violation"},
		{b.dir + "/nothing", "not_found"},
		{"/etc/passwd", "security_violation"},
		{"/proc/self/environ", "security_violation"},
		{"//etc/passwd", "security_violation"},
		{"inside.txt\x00.md", "security_violation"},
		{"relative", "security_violation"},
		{"absolute", "security_violation"},
		{"up/secret.txt", "security_violation"},
		{"up/space-two/secret.txt", "security_violation"},
		{"slash/etc/passwd", "security_violation"},
		{"slash/proc/self/environ", "security_violation"},
		{"environ", "security_violation"},
		{"dangling-out", "security_violation"},
		{"loop", "security_violation"},
		{"hard", "security_violation"},
		{"fifo", "security_violation"},
		{"socket", "security_violation"},
		{"device", "security_violation"},
		{"dangling-in", "not_found"},
		{"nothing", "not_found"},
		{"inside.txt/x", "not_found"},
		{`..\secret.txt`, "not_found"},
		{"%2e%2e/secret.txt", "not_found"},
		{"\xff", "not_found"},
		{strings.Repeat("a/", 5000) + "a", "invalid_arguments"},
		{strings.Repeat("a", 300), "invalid_arguments"},
		{strings.Repeat("a", 5000), "invalid_arguments"},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprintf("%.40q", tt.path), func(t *testing.T) {
			t.Parallel()
			read := b.call(t.Context(), "read_file", args("path", tt.path))
			if got := errorType(read); got != tt.want {
				t.Errorf("read_file: %s, want %s", got, tt.want)
			}
			for _, tool := range []string{"list_dir", "file_info"} {
				b.unseen(t, tool, args("path", tt.path))
			}
			b.unseen(t, "search_files", args("path", tt.path, "content", "CANARY"))
		})
	}
	if res := b.call(t.Context(), "read_file", args("path", "good")); !strings.Contains(res.ForLLM, `"content":"inside"`) {
		t.Errorf("a link within the space: %s", res.ForLLM)
	}
	b.unseen(t, "search_files", args("content", "CANARY"))
	b.unseen(t, "search_files", args("name", "secret*"))
}

// unseen calls a tool and searches its answer for secrets: content from outside, or
// the place of the space on the machine.
func (b *box) unseen(t *testing.T, tool string, a map[string]any) {
	t.Helper()
	res := b.call(t.Context(), tool, a)
	asked := fmt.Sprint(a)
	for _, secret := range []string{canary, "root:x:0", filepath.Dir(b.dir), `"secret.txt"`} {
		if strings.Contains(res.ForLLM, secret) && !strings.Contains(asked, secret) {
			t.Errorf("%s %.60s shows %s", tool, asked, secret)
		}
	}
}

// TestSwappedLink swaps a file and a link to a secret for each other while they
// are read. Every read gives the file's text or an error.
func TestSwappedLink(t *testing.T) {
	t.Parallel()
	b := fortify(t)
	b.write(t, "dir/target.txt", "inside")
	b.link(t, "..", "evil")
	b.write(t, "../target.txt", canary)
	swapped, stop := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(swapped)
		for {
			select {
			case <-stop:
				return
			default:
			}
			// "dir" is a folder of the space, then a link out of it, and so on.
			if os.Rename(b.path("dir"), b.path("aside")) != nil || os.Rename(b.path("evil"), b.path("dir")) != nil ||
				os.Rename(b.path("dir"), b.path("evil")) != nil || os.Rename(b.path("aside"), b.path("dir")) != nil {
				t.Error("the swap failed")
				return
			}
		}
	}()
	good := 0
	// On a busy machine the swaps may win every race of the first rounds.
	for round, began := 0, time.Now(); round < 3000 || good == 0 && time.Since(began) < 30*time.Second; round++ {
		res := b.call(t.Context(), "read_file", args("path", "dir/target.txt"))
		if strings.Contains(res.ForLLM, canary) {
			t.Fatal("the secret was read through a swapped link")
		}
		if strings.Contains(res.ForLLM, `"content":"inside"`) {
			good++
		}
		if res := b.call(t.Context(), "list_dir", args("path", "dir")); strings.Contains(res.ForLLM, "space-two") {
			t.Fatal("the folder outside was listed through a swapped link")
		}
	}
	close(stop)
	<-swapped
	if good == 0 {
		t.Error("no read saw the file in between")
	}
}

// TestDeepFolders makes 5,000 levels and searches them.
func TestDeepFolders(t *testing.T) {
	t.Parallel()
	b := newBox(t, map[string]string{"top.txt": canary})
	root, err := os.OpenRoot(b.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	// From the inside out: each step moves the tree into a new folder.
	must := func(err error) {
		if err != nil {
			t.Helper()
			t.Fatal(err)
		}
	}
	must(root.Mkdir("d", 0o700))
	for range 5000 {
		must(root.Mkdir("n", 0o700))
		must(root.Rename("d", "n/d"))
		must(root.Rename("n", "d"))
	}
	t.Cleanup(func() {
		for os.Rename(b.path("d/d"), b.path("n")) == nil {
			_ = os.Remove(b.path("d"))
			_ = os.Rename(b.path("n"), b.path("d"))
		}
	})
	// The search ends by its depth, not by its time.
	b.registry = tools.NewToolRegistry()
	for _, tool := range files.New(files.Options{SearchTime: time.Minute}) {
		b.registry.Register(tool)
	}
	var got excerpt
	b.decode(t, "search_files", args("content", canary), &got)
	if got.ResultCount != 1 || !got.Truncated {
		t.Errorf("got %+v", got)
	}
	b.decode(t, "list_dir", args("path", strings.Repeat("d/", 200)+"d"), &got)
	if len(got.Entries) != 1 || got.Entries[0].Name != "d" {
		t.Errorf("200 levels down: %+v", got.Entries)
	}
}

func TestWithoutSpace(t *testing.T) {
	t.Parallel()
	b := newBox(t, nil)
	gone := filepath.Join(b.dir, "gone")
	for space, want := range map[string]string{"": "permission_denied", gone: "not_found"} {
		ctx := tools.WithInvocation(t.Context(), tools.Invocation{Space: space, Level: tools.LevelWrite})
		for tool, a := range map[string]map[string]any{
			"list_dir": args(), "read_file": args("path", "x"), "file_info": args("path", "x"), "search_files": args("name", "x"),
			"write_file": args("path", "x", "content", "y"), "append_file": args("path", "x", "content", "y"),
			"edit_file": args("path", "x", "old_text", "y", "new_text", "z"), "delete_file": args("path", "x"),
		} {
			res := b.registry.Execute(ctx, tool, a)
			if got := errorType(res); got != want || strings.Contains(res.ForLLM, b.dir) {
				t.Errorf("%s in %q: %s (%s)", tool, space, got, res.ForLLM)
			}
		}
	}
}

func TestOtherErrors(t *testing.T) {
	t.Parallel()
	b := newBox(t, map[string]string{"a.txt": "x", "d/b.txt": "x"})
	tests := []struct {
		tool string
		args map[string]any
		want string
	}{
		{"read_file", args("path", "d"), "invalid_arguments"},
		{"list_dir", args("path", "a.txt"), "invalid_arguments"},
		{"list_dir", args("path", "none"), "not_found"},
		{"search_files", args("path", "none", "name", "x"), "not_found"},
		{"search_files", args(), "invalid_arguments"},
		{"search_files", args("name", "[a"), "invalid_arguments"},
		{"search_files", args("name", "{a"), "invalid_arguments"},
		{"search_files", args("name", "[z-a]"), "invalid_arguments"},
		{"search_files", args("name", strings.Repeat("*", 201)), "invalid_arguments"},
		{"search_files", args("content", "(", "regexp", true), "invalid_arguments"},
		{"search_files", args("content", "(a{1000}){1000}", "regexp", true), "invalid_arguments"},
		{"search_files", args("name", "x", "max_results", 201), "invalid_arguments"},
		{"read_file", args("path", "a.txt", "offset", -1), "invalid_arguments"},
		{"read_file", args("path", "a.txt", "limit", 1<<20), "invalid_arguments"},
	}
	for _, tt := range tests {
		if got := errorType(b.call(t.Context(), tt.tool, tt.args)); got != tt.want {
			t.Errorf("%s %.60v: %s, want %s", tt.tool, tt.args, got, tt.want)
		}
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	if res := b.call(canceled, "search_files", args("name", "*")); !res.IsError {
		t.Errorf("a search after its end: %s", res.ForLLM)
	}
}

func FuzzPath(f *testing.F) {
	b := fortify(f)
	b.link(f, "..", "up")
	b.link(f, "../secret.txt", "relative")
	b.link(f, ".git", "repo")
	if err := os.Link(b.path("../secret.txt"), b.path("hard")); err != nil {
		f.Fatal(err)
	}
	b.write(f, ".git/config", canary)
	b.write(f, "AGENT.md", "inside")
	outside := b.outside(f)
	for _, seed := range []string{
		".", "..", "inside.txt", "up/secret.txt", "relative", "hard", "/etc/passwd", "a/./b//..", "up/../secret.txt",
		"\x00", "*", "up/*", "repo/config", ".GIT/config", "AGENT.md", "agent.MD", "tools/x", "up/space-two/new", "@up/x",
		"a/b/new.txt", b.dir, b.path("inside.txt"), b.path("up/secret.txt"), b.path("../secret.txt"), b.dir + "-two/x",
	} {
		f.Add(seed)
	}
	list := files.New(files.Options{})
	f.Fuzz(func(t *testing.T, p string) {
		ctx := tools.WithInvocation(t.Context(), tools.Invocation{Space: b.dir, Level: tools.LevelWrite})
		for _, tool := range list {
			for _, a := range []map[string]any{
				args("path", p), args("path", p, "content", "CANARY"), args("name", p),
				args("path", p, "old_text", "CANARY", "new_text", "x"),
			} {
				if e, ok := tool.(tools.Examiner); ok {
					if asked, err := e.Examine(ctx, a); err == nil && asked.State == "" && !tools.AnnotationsOf(tool).ReadOnly {
						t.Fatalf("%s %v: no state", tool.Name(), a)
					}
				}
				res := tool.Execute(ctx, a)
				if strings.Contains(res.ForLLM, canary) || strings.Contains(res.ForLLM, b.dir) && !strings.Contains(p, b.dir) {
					t.Fatalf("%s %v: %s", tool.Name(), a, res.ForLLM)
				}
			}
		}
		if diff := cmp.Diff(outside, b.outside(t)); diff != "" {
			t.Fatalf("%q changed what is outside: %s", p, diff)
		}
		if b.content(t, ".git/config") != canary || b.content(t, "AGENT.md") != "inside" {
			t.Fatalf("%q changed what no tool may write", p)
		}
	})
}

func TestASpaceIsPreparedBeforeItIsLookedInto(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new")
	registry := tools.NewToolRegistry()
	for _, tool := range files.New(files.Options{Prepare: func(space string) error { return os.Mkdir(space, 0o700) }}) {
		registry.Register(tool)
	}
	ctx := tools.WithInvocation(t.Context(), tools.Invocation{Space: dir})
	if got := registry.Execute(ctx, "list_dir", map[string]any{"path": "."}); got.IsError {
		t.Errorf("listed %s", got.ForLLM)
	}
	if got := registry.Execute(ctx, "list_dir", map[string]any{"path": "."}); !got.IsError {
		t.Error("a folder that cannot be prepared was listed")
	}
}

// traps puts links out of the space, and things that are no file, into it.
func (b *box) traps(t *testing.T) {
	t.Helper()
	b.link(t, "../secret.txt", "relative")
	b.link(t, filepath.Join(filepath.Dir(b.dir), "secret.txt"), "absolute")
	b.link(t, "..", "up")
	b.link(t, "/", "slash")
	b.link(t, "/proc/self/environ", "environ")
	b.link(t, "/nothing/here", "dangling-out")
	b.link(t, "nothing", "dangling-in")
	b.link(t, "loop", "loop")
	b.link(t, "inside.txt", "good")
	if err := os.Link(b.path("../secret.txt"), b.path("hard")); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(b.path("fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mknod(b.path("socket"), syscall.S_IFSOCK|0o600, 0); err != nil {
		t.Fatal(err)
	}
	// Only root makes a device; anybody else has a second pipe instead.
	const null = 1<<8 | 3
	if syscall.Mknod(b.path("device"), syscall.S_IFCHR|0o600, null) != nil {
		if err := syscall.Mkfifo(b.path("device"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
