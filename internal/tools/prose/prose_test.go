package prose_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"parley/internal/tools/prose"
)

func TestOf(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text string
		want prose.Count
	}{
		"plain words":        {"Deleting a message removes its queued item.", prose.Count{Words: 7}},
		"pronouns":           {"What is kept: who wrote, whose it is, whoever asks.", prose.Count{Words: 10, Pronouns: 4}},
		"negations":          {"Nothing, nobody; none never neither.", prose.Count{Words: 5, Negations: 5}},
		"with an apostrophe": {"what's, nobody’s", prose.Count{Words: 4, Pronouns: 1, Negations: 1}},
		"parts of words":     {"whatever wholly nonetheless", prose.Count{Words: 3}},
		"a quotation":        {"The seed says \"what nobody\nknows\" and “never”.", prose.Count{Words: 4}},
		"a code span":        {"The key `who` is a name.", prose.Count{Words: 5}},
		"a quote left open":  {"It is 3\" long.\n\nWhat follows is 4\" long.", prose.Count{Words: 7, Pronouns: 1}},
		"no words":           {"", prose.Count{}},
		"another language":   {"Was für ein Größenwahn", prose.Count{Words: 4}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, prose.Of("", c.text)); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestTree(t *testing.T) {
	t.Parallel()
	source := "// Package p says what.\n//\n//\tcode what\n//\n//go:generate what\npackage p\n\n// f is what\nfunc f() { _ = \"what\" }\n"
	page := "what\n\n```sh\nwhat\n```\n> what\n\n1. a\n   ~~~\n   what\n   ~~~\n"
	tree := fstest.MapFS{
		"pkg/p/a.go":         {Data: []byte(source)},
		"pkg/p/a_test.go":    {Data: []byte("package p\n\n// " + strings.Repeat("word ", 2000) + "\n")},
		"pkg/q/a.go":         {Data: []byte("package q // nobody\n")},
		"pkg/q/testdata/a":   {Data: []byte("what")},
		"pkg/q/testdata/.md": {Data: []byte("what")},
		"a.md":               {Data: []byte(page)},
		"b.md":               {Data: []byte(strings.Repeat("never ", 1001))},
	}
	rooms, pages, err := prose.Tree(tree)
	if err != nil {
		t.Fatal(err)
	}
	wantRooms := []prose.Count{{Place: "pkg/p", Words: 2007, Pronouns: 2}, {Place: "the rest", Words: 1, Negations: 1}}
	wantPages := []prose.Count{{Place: "b.md", Words: 1001, Negations: 1001}, {Place: "the rest", Words: 2, Pronouns: 1}}
	if diff := cmp.Diff(wantRooms, rooms); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if diff := cmp.Diff(wantPages, pages); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	var out strings.Builder
	if err := prose.Print(&out, rooms, pages); err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(out.String(), "over"); got != 4 { // three marks and the sum
		t.Errorf("%d places over, want 3:\n%s", got-1, out.String())
	}
}

func TestTreeNamesAFileThatIsNotGo(t *testing.T) {
	t.Parallel()
	_, _, err := prose.Tree(fstest.MapFS{"pkg/p/a.go": {Data: []byte("not Go")}})
	if err == nil || !strings.Contains(err.Error(), "pkg/p/a.go") {
		t.Errorf("got %v, want the file's name", err)
	}
}
