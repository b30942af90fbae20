package config_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/config"
)

func TestCorpora(t *testing.T) {
	t.Parallel()
	const text = `
corpora:
  handbook: {path: /srv/handbook, chats: ["telegram:-5", "console:local"]}
  wiki: {path: /srv/wiki, chats: ["telegram:-5"], glob: ["**/*.md", notes/**], trusted: true}
`
	got, err := config.Load(write(t, text), options())
	if err != nil {
		t.Fatal(err)
	}
	if err := validate(t, schema(t), text); err != nil {
		t.Error(err)
	}
	want := map[string]config.Corpus{
		"handbook": {Path: "/srv/handbook", Chats: []string{"telegram:-5", "console:local"}},
		"wiki":     {Path: "/srv/wiki", Chats: []string{"telegram:-5"}, Glob: []string{"**/*.md", "notes/**"}, Trusted: true},
	}
	if diff := cmp.Diff(want, got.Corpora); diff != "" {
		t.Error(diff)
	}
}

func TestCorporaRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	many := "corpora: {"
	for i := range 101 {
		many += fmt.Sprintf("c%d: {path: /srv/c, chats: ['x:1']}, ", i)
	}
	corpus := func(path string) string { return "corpora: {a: {path: " + path + ", chats: ['x:1']}}" }
	for name, tc := range map[string]struct{ text, want string }{
		"no path":       {"corpora: {a: {chats: ['x:1']}}", "corpora.a.path: is missing: write the absolute path"},
		"relative":      {corpus("docs"), "must be an absolute path"},
		"no chats":      {"corpora: {a: {path: /srv/a}}", "corpora.a.chats: is missing: list the chats"},
		"no place":      {"corpora: {a: {path: /srv/a, chats: ['x:1', everybody]}}", "corpora.a.chats[1]: write CHANNEL:CHAT"},
		"a name":        {"corpora: {a/b: {path: /srv/a, chats: ['x:1']}}", "a corpus has a name of letters"},
		"a key":         {"corpora: {a: {path: /srv/a, chats: ['x:1'], globs: []}}", "corpora.a.globs"},
		"a pattern":     {"corpora: {a: {path: /srv/a, chats: ['x:1'], glob: ['[']}}", "corpora.a.glob[0]: bad pattern"},
		"the workspace": {corpus(filepath.Join(dir, "bot", "home")), "must lie apart from the workspace"},
		"above all":     {corpus(dir), "must lie apart from the workspace"},
		"the system's":  {corpus("/etc/ssl"), "which belongs to the system"},
		"too many":      {many + "}", "corpora: has more than 100 entries"},
		"trusted where chats write": {
			"corpora: {a: {path: /srv/a/b, chats: ['x:1'], trusted: true}}\ntools: {files: {roots: {r: {path: /srv/a, mode: rw, chats: ['x:1']}}}}",
			"corpora.a.trusted: cannot hold, because chats write into this folder by tools.files.roots.r",
		},
		"trusted where chats read": {
			"corpora: {a: {path: /srv/a/b, chats: ['x:1'], trusted: true}}\ntools: {files: {roots: {r: {path: /srv/a, chats: ['x:1']}}}}", "",
		},
		"not trusted where chats write": {
			"corpora: {a: {path: /srv/a/b, chats: ['x:1']}}\ntools: {files: {roots: {r: {path: /srv/a, mode: rw, chats: ['x:1']}}}}", "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := options()
			o.Pattern = func(s string) error {
				if s == "[" {
					return fmt.Errorf("bad pattern")
				}
				return nil
			}
			_, err := config.Load(write(t, "workspace: "+filepath.Join(dir, "bot")+"\n"+tc.text), o)
			if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
}
