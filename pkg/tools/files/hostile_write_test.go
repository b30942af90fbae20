package files_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/tools"
	"parley/pkg/tools/files"
)

// outside is everything beside the space, with its content.
func (b *box) outside(tb testing.TB) map[string]string {
	tb.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(filepath.Dir(b.dir), func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if p == b.dir {
			return filepath.SkipDir
		}
		out[p] = d.Type().String()
		if d.Type().IsRegular() {
			text, err := os.ReadFile(p)
			out[p] = string(text)
			return err
		}
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
	return out
}

// refused calls every writing tool on a path, first as an examination, and compares
// the answers with want, and the files outside with their former state.
func (b *box) refused(t *testing.T, p, want string) {
	t.Helper()
	outside, inside := b.outside(t), b.names(t)
	for tool, a := range writes(p) {
		_, err := b.examine(t, tools.LevelExec, tool, a)
		if failed, ok := errors.AsType[*tools.Error](err); !ok || string(failed.Type) != want {
			t.Errorf("%s %.60q examined: %v, want %s", tool, p, err, want)
		}
		res := b.call(t.Context(), tool, a)
		if got := errorType(res); got != want {
			t.Errorf("%s %.60q: %s, want %s", tool, p, got, want)
		}
		if strings.Contains(res.ForLLM, filepath.Dir(b.dir)) && !strings.Contains(p, filepath.Dir(b.dir)) || strings.Contains(res.ForLLM, canary) {
			t.Errorf("%s %.60q tells %s", tool, p, res.ForLLM)
		}
	}
	if diff := cmp.Diff(outside, b.outside(t)); diff != "" {
		t.Errorf("%.60q changed what is outside: %s", p, diff)
	}
	if diff := cmp.Diff(inside, b.names(t)); diff != "" {
		t.Errorf("%.60q changed what is inside: %s", p, diff)
	}
}

func TestHostilePathsAreNotWritten(t *testing.T) {
	t.Parallel()
	b := fortify(t)
	b.traps(t)
	b.link(t, "folder", "nowhere")
	for _, p := range []string{
		"..", "../secret.txt", "../new.txt", "a/../../secret.txt", "./../space/inside.txt", "a/../inside.txt", "./..", "../../../../../../etc/cron.d/x",
		"../space-two/secret.txt", "../space-two/new.txt", "../space/new.txt",
		"/etc/passwd", "//etc/passwd", "/../etc/passwd", b.path("../new.txt"), b.path("../space-two/new.txt"), b.dir + "/../new.txt", b.dir + "-new.txt", b.dir + "/up/new.txt", b.dir + "/relative",
		"/proc/self/mem", "/proc/self/environ", "/proc/self/root/etc/passwd", "/proc/self/cwd/x", "/dev/null", "/dev/sda",
		"relative", "absolute", "environ", "dangling-out", "dangling-in", "loop", "good", "up", "slash",
		"up/secret.txt", "up/new.txt", "up/space-two/secret.txt", "up/space/inside.txt", "slash/etc/passwd", "slash/proc/self/environ", "slash/tmp/new.txt",
		"nowhere/x", "nowhere/x/y", "dangling-out/x", "loop/x",
		"hard", "fifo", "socket", "device",
		"inside.txt\x00", "inside.txt\x00.md", "\x00", "a\x00/../../secret.txt",
		`..\secret.txt`, `a\..\..\secret.txt`, `C:\secret.txt`, "a\nb", "a\x1b[2Kb", "a\u202egnp.exe", "a\u200bb", "\ufeffa", "a\u2028b", "\xff", "\xc0\xae\xc0\xae/secret.txt",
	} {
		b.refused(t, p, "security_violation")
	}
	for _, p := range []string{
		"fifo/x", "device/x", "inside.txt/x", strings.Repeat("a/", 5000) + "a", strings.Repeat("a/", 200) + "a",
		strings.Repeat("a", 5000), ".", "./", "./.",
	} {
		b.refused(t, p, "invalid_arguments")
	}
	if b.content(t, "inside.txt") != "inside" {
		t.Error("the file in the space was changed")
	}
}

// TestSpellingsThatAreNames writes names that look like a way out: they stay in the
// space.
func TestSpellingsThatAreNames(t *testing.T) {
	t.Parallel()
	b := fortify(t)
	outside := b.outside(t)
	for _, p := range []string{
		"%2e%2e/secret.txt", "..%2fsecret.txt", "...", "..../x", "..secret", "secret..", "~/x", "$HOME/x", "a:b", "CON", "x.tar.gz", "x.zip", "space-two/secret.txt",
		"file:///etc/passwd", "\u2025/x", "\uff0e\uff0e/x", "..;/x", "a/./b", "@nothing/x", "-rf",
	} {
		res := b.call(t.Context(), "write_file", args("path", p, "content", p))
		if res.IsError {
			t.Errorf("%q: %s", p, res.ForLLM)
		} else if got := b.content(t, filepath.Clean(p)); got != p {
			t.Errorf("%q holds %q", p, got)
		}
	}
	if diff := cmp.Diff(outside, b.outside(t)); diff != "" {
		t.Error(diff)
	}
}

// TestSwappedLinkIsNotWritten swaps a folder of the space and a link out of it
// for each other while all tools write there.
func TestSwappedLinkIsNotWritten(t *testing.T) {
	t.Parallel()
	b := fortify(t)
	b.write(t, "dir/target.txt", "x")
	b.write(t, "../target.txt", "x"+canary)
	outside := b.outside(t)
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			// A call may make the folder, or part of it, at any moment.
			_ = os.Rename(b.path("dir"), b.path("aside"))
			_ = os.RemoveAll(b.path("dir"))
			_ = os.Symlink("..", b.path("dir"))
			_ = os.Remove(b.path("dir"))
			_ = os.Rename(b.path("aside"), b.path("dir"))
		}
	})
	good := 0
	// On a busy machine the swaps may win every race of the first rounds.
	for round, began := 0, time.Now(); round < 150 || good == 0 && time.Since(began) < 30*time.Second; round++ {
		for _, name := range []string{"target.txt", "new.txt", "sub/new.txt"} {
			for _, tool := range []string{"write_file", "append_file", "edit_file", "delete_file"} {
				res := b.call(t.Context(), tool, writes("dir/" + name)[tool])
				if strings.Contains(res.ForLLM, canary) {
					t.Fatal("the secret was read through a swapped link")
				}
				if !res.IsError {
					good++
				}
			}
		}
	}
	close(stop)
	wg.Wait()
	if good == 0 {
		t.Error("no call wrote in between")
	}
	if diff := cmp.Diff(outside, b.outside(t)); diff != "" {
		t.Errorf("a file outside was written: %s", diff)
	}
}

// TestControlFilesAreNotWritten tries every spelling of the files that steer an
// agent.
func TestControlFilesAreNotWritten(t *testing.T) {
	t.Parallel()
	b := fortify(t)
	for _, name := range []string{"AGENT.md", "HEARTBEAT.md", "tools/x/tool.yaml", "skills/a.md", "state/db", "policy/rules", "parley.yaml"} {
		b.write(t, name, "x")
	}
	b.link(t, "tools", "mine")
	for _, p := range []string{
		"AGENT.md", "./AGENT.md", ".//AGENT.md", "agent.md", "Agent.MD", "AGENT.md/x", "HEARTBEAT.md", "heartbeat.md",
		"tools", "tools/", "tools/x/tool.yaml", "tools/x", "tools/new/tool.yaml", "Tools/x", "TOOLS/x/run", "mine/x/tool.yaml", "mine/new", "mine/x/y/z",
		"skills", "skills/a.md", "skills/b.md", "SKILLS/x", "state", "state/db", "state/new", "policy", "policy/rules", "parley.yaml", "parley.yml", "PARLEY.YAML",
	} {
		b.refused(t, p, "security_violation")
	}
	if res := b.call(t.Context(), "read_file", args("path", "AGENT.md")); res.IsError {
		t.Errorf("what steers the agent is no secret: %s", res.ForLLM)
	}
	for _, p := range []string{"notes/AGENT.md", "my-tools/x", "toolsmith.txt"} {
		if res := b.call(t.Context(), "write_file", args("path", p, "content", "x")); res.IsError {
			t.Errorf("%s: %s", p, res.ForLLM)
		}
	}
}

// TestRefusedPathsAreNotReached tries the files that hold secrets, for every tool.
func TestRefusedPathsAreNotReached(t *testing.T) {
	t.Parallel()
	b := fortify(t)
	for _, name := range []string{".ssh/config", ".env", "app/.env.local", ".git/config", ".git/hooks/pre-commit", "id_rsa", "deep/id_ed25519", "credentials.json", "private/diary"} {
		b.write(t, name, "x"+canary)
	}
	for name, target := range map[string]string{"keys": ".ssh", "repo": ".git", "diary": "private/diary", "plain.txt": ".env", "hooks": ".git/hooks"} {
		b.link(t, target, name)
	}
	b = b.with(files.Options{Refuse: []string{"private/**", "/top.txt", "*.bak"}})
	for _, p := range []string{
		".ssh/config", ".SSH/config", "./.ssh/config", ".ssh", ".ssh/new", ".env", ".ENV", "app/.env.local", "app/.env", ".git/config", ".git", ".git/hooks/pre-commit",
		".git/hooks/new", "sub/.git/x", "id_rsa", "ID_RSA", "id_rsa.pub", "deep/id_ed25519", "credentials.json", "x.pem", "x.KEY", "private/diary", "PRIVATE/diary",
		"keys/config", "keys/new", "repo/config", "repo/hooks/pre-commit", "hooks/pre-commit", "hooks/new/x", "diary", "plain.txt", "top.txt", "a/b.bak", "a.bak/x",
	} {
		b.refused(t, p, "security_violation")
		if got := errorType(b.call(t.Context(), "read_file", args("path", p))); got != "security_violation" && got != "not_found" {
			t.Errorf("read_file %s: %s", p, got)
		}
		for _, tool := range []string{"list_dir", "file_info", "search_files"} {
			b.unseen(t, tool, args("path", p, "content", "CANARY"))
			b.unseen(t, tool, args("path", p))
		}
	}
	b.unseen(t, "search_files", args("content", "CANARY"))
	for _, p := range []string{"repo/config", "repo/none", "private/none", ".ssh/none"} {
		if got := errorType(b.call(t.Context(), "file_info", args("path", p))); got != "security_violation" {
			t.Errorf("file_info %s: %s", p, got)
		}
	}
	for p, reason := range map[string]string{"private/diary": "tools.files.refuse", "diary": "tools.files.refuse", ".env": "keys, passwords", "keys/config": "keys, passwords"} {
		if res := b.call(t.Context(), "read_file", args("path", p)); !strings.Contains(res.ForLLM, reason) {
			t.Errorf("%s: %s", p, res.ForLLM)
		}
	}
	for _, p := range []string{"sub/top.txt", "environment", "git/x", "gitignore", ".gitignore", "keys.txt"} {
		if res := b.call(t.Context(), "write_file", args("path", p, "content", "x")); res.IsError {
			t.Errorf("%s: %s", p, res.ForLLM)
		}
	}
}

func TestAllowedFilesAlone(t *testing.T) {
	t.Parallel()
	b := newBox(t, map[string]string{"a.json": "x", "d/b.json": "x", "d/c.txt": canary, "notes/e.txt": "x", "a.jsonx": canary})
	b.link(t, "d/c.txt", "link.json")
	b = b.with(files.Options{Allow: []string{"**/*.json", "notes/**", ".env"}})
	for _, p := range []string{"a.json", "d/b.json", "notes/e.txt"} {
		if res := b.call(t.Context(), "read_file", args("path", p)); res.IsError {
			t.Errorf("%s: %s", p, res.ForLLM)
		}
		if res := b.call(t.Context(), "edit_file", args("path", p, "old_text", "x", "new_text", "y")); res.IsError {
			t.Errorf("%s: %s", p, res.ForLLM)
		}
	}
	for _, p := range []string{"d/c.txt", "a.jsonx", "link.json", ".env", "json", "other/notes/x"} {
		b.refused(t, p, "security_violation")
	}
	res := b.call(t.Context(), "read_file", args("path", "d/c.txt"))
	if !strings.Contains(res.ForLLM, `"allowed":["**/*.json","notes/**",".env"]`) {
		t.Errorf("the refusal does not say what is allowed: %s", res.ForLLM)
	}
	b.unseen(t, "search_files", args("content", "CANARY"))
	for _, p := range []string{"d/none.txt", "none/none.txt"} {
		if got := errorType(b.call(t.Context(), "file_info", args("path", p))); got != "security_violation" {
			t.Errorf("file_info %s: %s", p, got)
		}
	}
	var got excerpt
	b.decode(t, "list_dir", args("path", "d"), &got)
	if len(got.Entries) != 1 || got.Entries[0].Name != "b.json" {
		t.Errorf("listed %+v", got.Entries)
	}
	for _, bad := range [][]string{{"["}, {""}, {"/"}, {"{a"}, {strings.Repeat("x", 201)}} {
		broken := b.with(files.Options{Allow: bad})
		if res := broken.call(t.Context(), "read_file", args("path", "a.json")); !res.IsError || files.CheckPattern(bad[0]) == nil {
			t.Errorf("the pattern %.10q allows %s", bad[0], res.ForLLM)
		}
	}
}

func TestRootsBesideTheSpace(t *testing.T) {
	t.Parallel()
	b := fortify(t)
	docs, shared := b.path("../docs"), b.path("../shared")
	for _, name := range []string{"../docs/guide.md", "../docs/.env", "../shared/list.md"} {
		b.write(t, name, "x")
	}
	b.link(t, "../secret.txt", "../shared/out")
	b.write(t, "@docs/shadow", "x")
	all := func(inv tools.Invocation) []files.Root {
		if inv.Chat != "" {
			return nil
		}
		return []files.Root{{Name: "docs", Dir: docs}, {Name: "shared", Dir: shared, Writable: true}}
	}
	b = b.with(files.Options{Roots: all, Limits: files.Limits{MaxFiles: 1}})
	var got excerpt
	b.decode(t, "read_file", args("path", "@docs/guide.md"), &got)
	if got.Path != "@docs/guide.md" || got.Content != "x" {
		t.Errorf("got %+v", got)
	}
	b.decode(t, "search_files", args("path", "@docs", "name", "*.md"), &got)
	if len(got.Results) != 1 || got.Results[0].Path != "@docs/guide.md" {
		t.Errorf("found %+v", got.Results)
	}
	list := b.call(t.Context(), "list_dir", args())
	if !strings.Contains(list.ForLLM, `"roots":[{"path":"@docs","writable":false},{"path":"@shared","writable":true}]`) {
		t.Errorf("listed %s", list.ForLLM)
	}
	b.decode(t, "write_file", args("path", "@shared/new/a.md", "content", "y"), &got)
	if got.Path != "@shared/new/a.md" || b.content(t, "../shared/new/a.md") != "y" {
		t.Errorf("wrote %+v", got)
	}
	e, err := b.examine(t, tools.LevelWrite, "append_file", args("path", "@shared/list.md", "content", "y"))
	if err != nil || !strings.HasPrefix(e.Text, `Append to "@shared/list.md" (1 bytes now`) {
		t.Errorf("asked %q, %v", e.Text, err)
	}
	b.refused(t, "@docs/guide.md", "permission_denied")
	b.refused(t, "@docs/new.md", "permission_denied")
	b.refused(t, "@shared", "invalid_arguments")
	for _, p := range []string{"@shared/out", "@shared/../secret.txt", "@shared/.env", "@shared/AGENT.md", "@shared/tools/x"} {
		b.refused(t, p, "security_violation")
	}
	for _, p := range []string{"@docs/.env", "@shared/out", "@docs/../secret.txt"} {
		if got := errorType(b.call(t.Context(), "read_file", args("path", p))); got != "security_violation" {
			t.Errorf("%s: %s", p, got)
		}
	}
	b.fullPaths(t, docs, shared)
	// Another chat, another level.
	tool, _ := b.registry.Get("read_file")
	other := tools.WithInvocation(t.Context(), tools.Invocation{Space: b.dir, Chat: "2", Level: tools.LevelExec})
	if got := errorType(tool.Execute(other, args("path", "@docs/guide.md"))); got != "not_found" {
		t.Errorf("another chat: %s", got)
	}
	if got := errorType(tool.Execute(other, args("path", docs+"/guide.md"))); got != "security_violation" {
		t.Errorf("another chat: %s", got)
	}
	if _, err := b.examine(t, tools.LevelRead, "write_file", args("path", "@shared/x", "content", "y")); err == nil {
		t.Error("a chat that may not write writes beside its space")
	}
}

// fullPaths names places in the space and in its roots by their absolute paths.
func (b *box) fullPaths(t *testing.T, docs, shared string) {
	t.Helper()
	b.write(t, "@docs/guide.md", "hidden")
	alias := filepath.Join(t.TempDir(), "alias")
	if err := os.Symlink(b.dir, alias); err != nil {
		t.Fatal(err)
	}
	linked := &box{dir: alias, registry: b.registry}
	for _, c := range []struct {
		box        *box
		path, want string // the path that is shown, or the type of the error
	}{
		{b, b.dir + "/inside.txt", "inside.txt"},
		{b, "/" + b.dir + "//./inside.txt", "inside.txt"},
		{b, docs + "/guide.md", "@docs/guide.md"},
		{b, shared + "/list.md", "@shared/list.md"},
		{b, docs + "-two/guide.md", "security_violation"},
		{b, docs + "/.env", "security_violation"},
		{b, shared + "/out", "security_violation"},
		{b, docs + "/../shared/list.md", "security_violation"},
		{b, b.dir + "/@docs/guide.md", "security_violation"}, // it would be shown as the root's
		{linked, alias + "/inside.txt", "inside.txt"},
		{linked, b.dir + "/inside.txt", "inside.txt"},
		{b, alias + "/inside.txt", "security_violation"},
	} {
		res := c.box.call(t.Context(), "read_file", args("path", c.path))
		got := errorType(res)
		if !res.IsError {
			var read excerpt
			b.decode(t, "read_file", args("path", c.want), &read)
			if got = c.want; !strings.Contains(res.ForLLM, `"path":"`+c.want+`","content":"`+read.Content+`"`) {
				t.Errorf("%s: %s", c.path, res.ForLLM)
			}
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.path, got, c.want)
		}
	}
	e, err := b.examine(t, tools.LevelWrite, "write_file", args("path", b.dir+"/inside.txt", "content", "y"))
	if err != nil || !strings.HasPrefix(e.Text, `Overwrite "inside.txt" (`) {
		t.Errorf("asked %q, %v", e.Text, err)
	}
	if got := errorType(b.call(t.Context(), "write_file", args("path", docs+"/new.md", "content", "y"))); got != "permission_denied" {
		t.Errorf("written to a folder that is only read: %s", got)
	}
	if err := os.RemoveAll(b.path("@docs")); err != nil {
		t.Fatal(err)
	}
}

// TestWritersTakeTurns lets many calls change one file at once.
func TestWritersTakeTurns(t *testing.T) {
	t.Parallel()
	b := newBox(t, map[string]string{"count": ""})
	tool, _ := b.registry.Get("append_file")
	ctx := tools.WithInvocation(t.Context(), tools.Invocation{Space: b.dir, Level: tools.LevelWrite})
	var wg sync.WaitGroup
	for i := range 40 {
		wg.Go(func() {
			if res := tool.Execute(ctx, args("path", "count", "content", fmt.Sprintln(i))); res.IsError {
				t.Error(res.ForLLM)
			}
		})
	}
	wg.Wait()
	lines := strings.Fields(b.content(t, "count"))
	slices.Sort(lines)
	if lines = slices.Compact(lines); len(lines) != 40 {
		t.Errorf("%d of 40 lines are there", len(lines))
	}
}
