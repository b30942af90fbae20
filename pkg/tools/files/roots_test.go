package files_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/pkg/tools"
	"parley/pkg/tools/files"
)

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
