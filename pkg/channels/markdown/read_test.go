package markdown_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/channels/markdown"
)

func dialect() markdown.Dialect {
	return markdown.Dialect{
		Removed: func(r rune) bool { return r == '\u200B' },
		Link: func(target string) string {
			if strings.HasPrefix(target, "https://") {
				return target
			}
			return ""
		},
	}
}

func TestRead(t *testing.T) {
	t.Parallel()
	prose := func(text string, spans ...markdown.Span) markdown.Prose {
		if spans == nil {
			spans = []markdown.Span{{End: len(text)}}
		}
		return markdown.Prose{Text: text, Spans: spans}
	}
	for name, c := range map[string]struct {
		md   string
		want []markdown.Block
	}{
		"a blank text": {md: " \u200B\n"},
		"looks": {md: "a **b** `c`", want: []markdown.Block{{Prose: prose(
			"a b c",
			markdown.Span{End: 2}, markdown.Span{End: 3, Look: markdown.Look{Style: markdown.Bold}},
			markdown.Span{End: 4}, markdown.Span{End: 5, Look: markdown.Look{Style: markdown.Code}},
		)}}},
		"links": {md: "[a](https://b.c) [d](e:f)", want: []markdown.Block{{Prose: prose(
			"a d (e:f)", markdown.Span{End: 1, Look: markdown.Look{Href: "https://b.c"}}, markdown.Span{End: 9},
		)}}},
		"line ends": {md: "a\nb\\\nc", want: []markdown.Block{{Prose: prose("a\nb\u2028c")}}},
		"a heading and code": {md: "## a\n```go\nb\n```", want: []markdown.Block{
			{Kind: markdown.Heading, Level: 2, Prose: prose("a")},
			{Kind: markdown.Fenced, Language: "go", Prose: markdown.Prose{Text: "b"}},
		}},
		"blank code": {md: "```go\n```", want: []markdown.Block{{Prose: prose("```go\n```")}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, markdown.Read(c.md, dialect())); diff != "" {
				t.Errorf("%q: -want +got\n%s", c.md, diff)
			}
		})
	}
}

// TestReadContainers checks which blocks lie in which lists and quotations.
func TestReadContainers(t *testing.T) {
	t.Parallel()
	blocks := markdown.Read("1. a\n   - [x] b\n2.\n> c\n>\n> d", dialect())
	if len(blocks) != 5 {
		t.Fatalf("%d blocks, want 5: %+v", len(blocks), blocks)
	}
	a, b, empty, c, d := blocks[0], blocks[1], blocks[2], blocks[3], blocks[4]
	if len(b.In) != 2 || b.In[0] != a.In[0] || b.Begins != 1 || b.In[1].Box != markdown.TickedBox {
		t.Errorf("b lies in %+v and begins at %d, want the item of a and a ticked one of its own", b.In, b.Begins)
	}
	if empty.Text != "" || empty.In[0].Number != 2 || empty.In[0].List != a.In[0].List {
		t.Errorf("the empty item is %+v, want number 2 of the list of a", empty)
	}
	if c.In[0].List != nil || d.In[0] != c.In[0] || c.Begins != 0 || d.Begins != 1 {
		t.Errorf("c lies in %+v and d in %+v, want one quotation that c begins", c.In, d.In)
	}
}

// TestReadRows checks the rest of a row beyond the last column.
func TestReadRows(t *testing.T) {
	t.Parallel()
	for extra, want := range map[bool]string{false: "1,2 | 3", true: "1,2,3"} {
		d := dialect()
		d.ExtraCells = extra
		blocks := markdown.Read("|a|b|\n|-|-|\n|1|2|3|", d)
		if len(blocks) != 1 || len(blocks[0].Rows) != 1 {
			t.Fatalf("blocks are %+v, want a table with a row", blocks)
		}
		var got []string
		for _, c := range blocks[0].Rows[0] {
			got = append(got, c.Text)
		}
		if strings.Join(got, ",") != want {
			t.Errorf("with extra cells %v, the row is %q, want %s", extra, got, want)
		}
	}
}

// FuzzLines: a line of words reads as it does in a longer text, which goes to the parser.
func FuzzLines(f *testing.F) {
	for _, s := range []string{
		"rq12", "Yes, well-known: it is (about) 50 % of a/b.", "a.b", "a: b", "see www.a.com", "see https://a.b/", "https: //a.b",
		"Zürich\u00A0liegt", "\u00A0a", "a  b", "a ", "e\u0301:f", "a@b.de", "(a) b", "a 1. b", "ab\u200B", "\u200Bab",
		"a\u0085", "x\u2003", "ftp: a", "a.\u00A0b",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		s = markdown.Clean(s, dialect().Removed)
		if s == "" || strings.ContainsAny(s, "\n\t") || strings.ContainsAny(s[:1], " #+-*_=>0123456789`~[<|\\:") {
			return
		}
		longer := markdown.Read(s+"\n\n***", dialect())
		if n := len(longer) - 1; n < 0 || longer[n].Kind != markdown.Rule {
			t.Fatalf("%q has no rule below it: %v", s, longer)
		}
		want := longer[:len(longer)-1]
		if got := markdown.Read(s, dialect()); len(got)+len(want) > 0 && !cmp.Equal(want, got) {
			t.Errorf("%q: -want +got\n%s", s, cmp.Diff(want, got))
		}
	})
}
