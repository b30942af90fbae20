package toolset

import (
	"strings"
	"testing"

	"parley/pkg/channels"
	"parley/pkg/config"
	"parley/pkg/corpus"
	"parley/pkg/tools"
)

// TestCorporaAreForChosenChats: the tools are offered, and a corpus is named, in the chats that the
// configuration gives it alone.
func TestCorporaAreForChosenChats(t *testing.T) {
	t.Parallel()
	cfg := config.Default(t.TempDir())
	cfg.Corpora = map[string]config.Corpus{
		"handbook": {Path: "/srv/handbook", Chats: []string{"telegram:5", "telegram:6", "web:ada", "console:local"}, Trusted: true},
		"board":    {Path: "/srv/board", Chats: []string{"telegram:6"}},
	}
	cfg.Tools.Files.Roots = map[string]config.FileRoot{
		"docs":   {Path: "/srv/docs", Chats: []string{"telegram:6"}},
		"shared": {Path: "/srv/shared", Mode: "rw", Chats: []string{"telegram:6", "telegram:7"}},
	}
	cfg.Tools.Chats = map[string]config.ChatTools{"telegram:7": {Disabled: []string{"read_file"}}}
	s := New(cfg, Options{
		Known:   func(a channels.Address) []channels.Address { return []channels.Address{a} },
		Corpora: corpus.New(corpus.Options{Folders: []corpus.Folder{{Name: "board"}, {Name: "handbook"}}}),
	})
	const handbook = "- handbook: a corpus of documents, searched with search_corpus"
	for _, c := range []struct {
		at      channels.Address
		offered bool
		want    string
	}{
		{channels.Address{Channel: "telegram", Chat: "5"}, true, handbook},
		{channels.Address{Channel: "telegram", Account: "1", Chat: "5", Thread: "7"}, true, handbook},
		{
			at: channels.Address{Channel: "telegram", Chat: "6"}, offered: true,
			want: "- @docs: files that you reach as @docs/PATH, to read only\n- @shared: files that you reach as @shared/PATH\n" +
				"- board: a corpus of documents, searched with search_corpus\n" + handbook,
		},
		{channels.Address{Channel: "telegram", Chat: "7"}, false, ""},
		{channels.Address{Channel: "telegram", Chat: "55"}, false, ""},
		{channels.Address{Channel: "web", Chat: "web:ada.x7"}, true, handbook},
		{channels.Address{Channel: "web", Chat: "web:bob.x7"}, false, ""},
		{channels.Address{Channel: "console", Chat: "another"}, true, handbook},
	} {
		for _, tool := range []string{"search_corpus", "list_corpora"} {
			if got := s.Offered(c.at, tool); got != c.offered {
				t.Errorf("%s is offered at %+v: %v", tool, c.at, got)
			}
		}
		if got := strings.Count(s.Indexed(c.at), "Corpus "); got != strings.Count(c.want, "a corpus") {
			t.Errorf("at %+v the status tells of %d corpora: %s", c.at, got, s.Indexed(c.at))
		}
		if got := s.Folders(c.at); got != c.want {
			t.Errorf("at %+v the model is told %q, want %q", c.at, got, c.want)
		}
	}
}

// TestWithoutCorporaTheToolsAreOff, and a call from a chat without any is refused before it searches.
func TestWithoutCorporaTheToolsAreOff(t *testing.T) {
	t.Parallel()
	cfg := config.Default(t.TempDir())
	ctx := tools.WithInvocation(t.Context(), tools.Invocation{Channel: "telegram", Chat: "5", Level: tools.LevelExec})
	search := func() string {
		s := New(cfg, Options{Known: func(a channels.Address) []channels.Address { return []channels.Address{a} }})
		return s.Registry.Execute(ctx, "search_corpus", map[string]any{"query": "x"}).ForLLM
	}
	if got := search(); !strings.Contains(got, `"type":"disabled"`) {
		t.Error(got)
	}
	cfg.Corpora = map[string]config.Corpus{"board": {Path: "/srv/board", Chats: []string{"telegram:6"}}}
	if got := search(); !strings.Contains(got, "this chat has no corpora") {
		t.Error(got)
	}
}
