package markup_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
	"github.com/google/go-cmp/cmp"

	"parley/pkg/channels/telegram/markup"
)

// TestSplit is where parts end.
func TestSplit(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		md    string
		limit int
		want  []string
	}{
		"fits":                     {"0123456789", 10, []string{"0123456789"}},
		"between paragraphs":       {"one one\n\ntwo two\n\nthree", 17, []string{"one one\n\ntwo two", "three"}},
		"between sentences":        {"One is. Two are more. Three", 24, []string{"One is. Two are more.", "Three"}},
		"between lines":            {"one one. one\ntwo two", 17, []string{"one one. one", "two two"}},
		"between words":            {"one two three four", 10, []string{"one two", "three four"}},
		"within a word":            {"0123456789abcdef", 10, []string{"0123456789", "abcdef"}},
		"sentences without spaces": {"一二三。四五六。七八", 7, []string{"一二三。", "四五六。七八"}},
		"between items": {
			"- one **one**\n- two\n- three [x](http://a.b)\n- four", 16,
			[]string{"• one <b>one</b>\n• two", `• three <a href="http://a.b">x</a>` + "\n• four"},
		},
		"before a list rather than in it": {
			"aaaaaaaaaaaa\n\n- bb\n- cccccccc", 20, []string{"aaaaaaaaaaaa", "• bb\n• cccccccc"},
		},
		"a heading goes with its text": {
			"some words here\n\n## Head\n\ntext of it that is long", 30,
			[]string{"some words here", "<b>Head</b>\n\ntext of it that is long"},
		},
		"a heading in the first half too": {
			"some words here\n\n## Head\n\ntext of it that is so very long", 40,
			[]string{"some words here", "<b>Head</b>\n\ntext of it that is so very long"},
		},
		"headings alone":          {"# aaaa\n\n# bbbb\n\n# cccc", 10, []string{"<b>aaaa</b>\n\n<b>bbbb</b>", "<b>cccc</b>"}},
		"styles are opened again": {"**one *two three* four**", 8, []string{"<b>one <i>two</i></b>", "<b><i>three</i></b>", "<b>four</b>"}},
		"links are opened again":  {"[one two](http://a.b)", 4, []string{`<a href="http://a.b">one</a>`, `<a href="http://a.b">two</a>`}},
		"quotations are opened again": {
			"> one two\n>\n> three\n\nfour", 9,
			[]string{"<blockquote>one two</blockquote>", "<blockquote>three</blockquote>", "four"},
		},
		"code between lines": {
			"```go\nfunc a() {\n\treturn\n}\n```", 12,
			[]string{`<pre><code class="language-go">func a() {</code></pre>`, `<pre><code class="language-go">    return` + "\n}</code></pre>"},
		},
		"code within a line": {"```\n0123456789abc\n```", 10, []string{"<pre>0123456789</pre>", "<pre>abc</pre>"}},
		"code keeps its indentation": {
			"```\nif x:\n    one\n    two\n```", 16, []string{"<pre>if x:\n    one</pre>", "<pre>    two</pre>"},
		},
		"table between rows, with its header": {
			"|a|b|\n|-|-|\n|1|2|\n|3|4|\n|5|6|", 25,
			[]string{"<pre>a | b\n--+--\n1 | 2\n3 | 4</pre>", "<pre>a | b\n--+--\n5 | 6</pre>"},
		},
		"table with too long a header": {
			"|abc|def|\n|-|-|\n|1|2|\n", 20, []string{"<pre>abc | def\n----+----</pre>", "<pre>1   | 2</pre>"},
		},
		"short code goes on in the next part": {
			"A few words are here.\n\n```\nx = 1\ny = 2\n```", 28,
			[]string{"A few words are here.", "<pre>x = 1\ny = 2</pre>"},
		},
		"a little text fills up":    {"ab\n\none two three four", 12, []string{"ab\n\none two", "three four"}},
		"emoji":                     {"aaa😀😀", 4, []string{"aaa", "😀😀"}},
		"families":                  {"a👩‍👩‍👧👩‍👩‍👧", 10, []string{"a👩‍👩‍👧", "👩‍👩‍👧"}},
		"flags":                     {"🇩🇪🇫🇷🇮🇹", 9, []string{"🇩🇪🇫🇷", "🇮🇹"}},
		"one grapheme too long":     {"👩‍👩‍👧", 3, []string{"👩\u200d", "👩\u200d", "👧"}},
		"a pair in one unit":        {"😀a", 1, []string{"😀", "a"}},
		"escapes are one unit":      {"&<>&<>", 4, []string{"&amp;&lt;&gt;&amp;", "&lt;&gt;"}},
		"space at the cut":          {"one      \u00a0 two", 5, []string{"one", "two"}},
		"nothing to see at the end": {"aaaa" + strings.Repeat("\u200b", 9), 4, []string{"aaaa"}},
		"zero is 4096":              {strings.Repeat("a", 4097), 0, []string{strings.Repeat("a", 4096), "a"}},
		"below zero":                {"a b", -1, []string{"a b"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, markup.Render(c.md, c.limit)); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			if c.limit > 0 {
				check(t, c.md, c.limit)
			}
		})
	}
}

// TestSplitEntities ends parts before the entities that Telegram would ignore.
func TestSplitEntities(t *testing.T) {
	t.Parallel()
	for name, md := range map[string]string{
		"one paragraph": strings.Repeat("**a** b ", 450),
		"items":         strings.Repeat("- `a` is [b](http://c.org)\n", 120),
		"quotations":    strings.Repeat("> *a* **b**\n\nc\n\n", 60),
		"blocks":        strings.Repeat("```go\na\n```\n\n", 150),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check(t, md, 4096)
			if n := len(markup.Render(md, 4096)); n < 2 || n > 6 {
				t.Errorf("%d parts", n)
			}
		})
	}
}

// TestSplitBytes keeps the HTML short in parts with a short text.
func TestSplitBytes(t *testing.T) {
	t.Parallel()
	target := "https://a.org/" + strings.Repeat("b", 1000)
	var md strings.Builder
	for i := range 90 {
		fmt.Fprintf(&md, "- [%d](%s%d)\n", i, target, i)
	}
	check(t, md.String(), 4096)
	check(t, strings.Repeat("&", 5000), 4096)
	if n := len(markup.Render(strings.Repeat("&", 4096), 4096)); n != 1 {
		t.Errorf("one message of & became %d", n)
	}
}

// TestSplitLong holds a long answer together: parts are well filled, and end at
// the ends of graphemes, wherever they are cut.
func TestSplitLong(t *testing.T) {
	t.Parallel()
	md := strings.Repeat("Ein Satz mit 👩‍👩‍👧 und e\u0301. ", 2000)
	parts := markup.Render(md, 4096)
	for i, part := range parts[:len(parts)-1] {
		if n := markup.Units(part); n < 4000 {
			t.Errorf("part %d has %d units", i, n)
		}
	}
	unbroken := strings.Repeat("👩‍👩‍👧e\u0301🇩🇪", 2000)
	for i, part := range markup.Render(unbroken, 100) {
		for g := graphemes.FromString(part); g.Next(); {
			if n := utf8.RuneCountInString(g.Value()); n != 5 && n != 2 {
				t.Fatalf("part %d has the grapheme %q", i, g.Value())
			}
		}
	}
}
