package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/config"
)

func TestFileTools(t *testing.T) {
	t.Parallel()
	s := schema(t)
	const text = `
tools:
  files:
    mode: rw
    roots: {docs: {path: /srv/docs, chats: ["telegram:-5", "console:local"]}, shared: {path: /srv/shared, mode: rw, chats: ["telegram:-5"]}}
    allow: ["**/*.md"]
    refuse: [private/**]
    max_file_kb: 5
    max_files: 6
    max_mb: 7
    max_depth: 8
`
	got, err := config.Load(write(t, text), options())
	if err != nil {
		t.Fatal(err)
	}
	if err := validate(t, s, text); err != nil {
		t.Error(err)
	}
	want := config.FileTools{
		Mode: "rw", Allow: []string{"**/*.md"}, Refuse: []string{"private/**"}, MaxFileKB: 5, MaxFiles: 6, MaxMB: 7, MaxDepth: 8,
		Roots: map[string]config.FileRoot{
			"docs":   {Path: "/srv/docs", Chats: []string{"telegram:-5", "console:local"}},
			"shared": {Path: "/srv/shared", Mode: "rw", Chats: []string{"telegram:-5"}},
		},
	}
	if diff := cmp.Diff(want, got.Tools.Files); diff != "" {
		t.Error(diff)
	}
}

func TestFileToolsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	home, workspace := filepath.Join(dir, "home"), filepath.Join(dir, "bot")
	for _, d := range []string{filepath.Join(home, ".parley"), workspace, filepath.Join(dir, "etc")} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{"link-to-bot": workspace, "link-up": dir} {
		if err := os.Symlink(target, filepath.Join(dir, "etc", name)); err != nil {
			t.Fatal(err)
		}
	}
	root := func(path string) string {
		return "tools: {files: {roots: {a: {path: " + path + ", chats: ['x:1']}}}}"
	}
	for name, tc := range map[string]struct{ text, want string }{
		"mode":             {"tools: {files: {mode: w}}", "tools.files.mode"},
		"nothing":          {"tools: {files: {max_files: 0}}", "write a number from 1 to 1000000"},
		"pattern":          {"tools: {files: {allow: [a, '[']}}", "tools.files.allow[1]: bad pattern"},
		"pattern, refused": {"tools: {files: {refuse: ['[']}}", "tools.files.refuse[0]: bad pattern"},
		"no path":          {"tools: {files: {roots: {a: {chats: ['x:1']}}}}", "tools.files.roots.a.path: is missing"},
		"no chats":         {"tools: {files: {roots: {a: {path: /srv/a}}}}", "tools.files.roots.a.chats: is missing"},
		"no place": {
			"tools: {files: {roots: {a: {path: /srv/a, chats: ['x:1', everybody]}}}}",
			"tools.files.roots.a.chats[1]: write CHANNEL:CHAT",
		},
		"a name with a slash":  {"tools: {files: {roots: {a/b: {path: /srv/a, chats: ['x:1']}}}}", "a root has a name of letters"},
		"relative":             {root("srv/a"), "must be an absolute path"},
		"home":                 {root("~/a"), "must be an absolute path"},
		"everything":           {root("/"), "must lie apart from the workspace"},
		"the workspace":        {root(workspace), "must lie apart from the workspace"},
		"its tools":            {root(workspace + "/tools"), "must lie apart from the workspace"},
		"a chat's files":       {root(workspace + "/chats/abc"), "must lie apart from the workspace"},
		"with dots":            {root(workspace + "/../etc/../bot/tools"), "must lie apart from the workspace"},
		"by a link":            {root(filepath.Join(dir, "etc", "link-to-bot")), "must lie apart from the workspace"},
		"by a link below":      {root(filepath.Join(dir, "etc", "link-up", "bot", "new")), "must lie apart from the workspace"},
		"above, by a link":     {root(filepath.Join(dir, "etc", "link-up")), "must lie apart from the workspace"},
		"the state":            {root(filepath.Join(home, ".parley")), "must lie apart from state_dir"},
		"above the state":      {root(home), "must lie apart from state_dir"},
		"in the state":         {root(filepath.Join(home, ".parley", "outgoing")), "must lie apart from state_dir"},
		"a sibling by prefix":  {root(workspace + "-two"), ""},
		"a folder beside them": {root(filepath.Join(dir, "etc")), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := options()
			o.Home = home
			o.Pattern = func(s string) error {
				if s == "[" {
					return errors.New("bad pattern")
				}
				return nil
			}
			_, err := config.Load(write(t, "workspace: "+workspace+"\n"+tc.text), o)
			if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
	path := write(t, "")
	if err := os.WriteFile(path, []byte("workspace: "+workspace+"\n"+root(filepath.Dir(path))), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := config.Load(path, options()); err == nil || !strings.Contains(err.Error(), "must lie apart from the configuration") {
		t.Errorf("a root with the configuration in it: %v", err)
	}
}
