package markup_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/channels/telegram/markup"
)

// TestRender compares the text that a person sees.
func TestRender(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ md, want string }{
		"text":    {"Hello, world.", "Hello, world."},
		"escapes": {`1 < 2 & "a" \*b\* &copy; &lt;b&gt; &amp;amp;`, `1 &lt; 2 &amp; "a" *b* © &lt;b&gt; &amp;amp;`},
		"styles": {
			"*i* _i_ **b** __b__ ~~s~~ ~s~ `c` ***bi***",
			"<i>i</i> <i>i</i> <b>b</b> <b>b</b> <s>s</s> <s>s</s> <code>c</code> <b><i>bi</i></b>",
		},
		"styles in styles": {"**a *b* `c` d**", "<b>a <i>b</i> </b><code>c</code><b> d</b>"},
		"stray marks": {
			"a~~b~~c 2 * 3 * 4, snake_case_name, a ~ b, ~5 to ~10, No ~x~~",
			"a<s>b</s>c 2 * 3 * 4, snake_case_name, a ~ b, ~5 to ~10, No ~x~~",
		},
		"headings":           {"# One\ntext\n\nTwo *i* `c`\n---", "<b>One</b>\n\ntext\n\n<b>Two <i>i</i> </b><code>c</code>"},
		"breaks":             {"one\ntwo  \nthree\\\nfour\n\n\n\nfive", "one\ntwo\nthree\nfour\n\nfive"},
		"table, empty rows":  {"00\n-|\n|\n|", "<pre>00\n--</pre>"},
		"rule":               {"a\n\n---\n\nb", "a\n\n———\n\nb"},
		"code":               {"```go\nif a < b {\n\treturn\n}\n```", `<pre><code class="language-go">if a &lt; b {` + "\n    return\n}</code></pre>"},
		"code, no language":  {"    a\n    b\n", "<pre>a\nb</pre>"},
		"code, strange name": {"```\"><b>\nx\n```", "<pre>x</pre>"},
		"code, known names":  {"```c++\nx\n```\n~~~objective-c extra\ny", `<pre><code class="language-c++">x</code></pre>` + "\n\n" + `<pre><code class="language-objective-c">y</code></pre>`},
		"code without end":   {"```\n**x**\n\n# y", "<pre>**x**\n\n# y</pre>"},
		"tabs in code":       {"```\na\tb\n\tc\n```", "<pre>a   b\n    c</pre>"},
		"markup in code":     {"`**a** <b> &amp;`", "<code>**a** &lt;b&gt; &amp;amp;</code>"},
		"spoiler":            {"It is ||the *butler*||.", "It is <tg-spoiler>the <i>butler</i></tg-spoiler>."},
		"secret code":        {"||`x`||", "<tg-spoiler>x</tg-spoiler>"},
		"no spoiler":         {"a||b||c, a || b || c, ||x, |||y|||", "a||b||c, a || b || c, ||x, |||y|||"},
		"link":               {`[the *docs*](https://a.org/?q=1&r="2" "title")`, `<a href="https://a.org/?q=1&amp;r=%222%22">the <i>docs</i></a>`},
		"link of code":       {"[`x`](http://a.org)", `<a href="http://a.org">x</a>`},
		"link without text":  {"[](https://a.org)", `<a href="https://a.org">https://a.org</a>`},
		"other targets": {
			"[a](/b.md) [c](mailto:d@e.f) [g](tg://user?id=1) [h](javascript:i()) [j]() [k.md](k.md) [l](http:m)",
			"a (/b.md) c (mailto:d@e.f) g (<code>tg://user?id=1</code>) h (javascript:i()) j k.md l (http:m)",
		},
		"target with a space": {"[a](<my file.txt>)", "a (my file.txt)"},
		"what would be a link": {
			"tg://resolve?domain=x, <TON://x/y>: *a ton*site://b (ftp://c.d/e). xtg://",
			"<code>tg://resolve?domain=x</code>, <code>TON://x/y</code>: <i>a </i><code>tonsite://b</code> " +
				"(<code>ftp://c.d/e</code>). x<code>tg://</code>",
		},
		"such a link, covered": {"||a tg://b c|| [tg://d](https://a.org) `tg://e`", `<tg-spoiler>a </tg-spoiler><code>tg://b</code><tg-spoiler> c</tg-spoiler> <a href="https://a.org">tg://d</a> <code>tg://e</code>`},
		"reference":            {"[a][1] and [1]\n\n[1]: https://a.org", `<a href="https://a.org">a</a> and <a href="https://a.org">1</a>`},
		"unused definition":    {"Log:\n\n[INFO]: started", "Log:\n\n[INFO]: started"},
		"footnote":             {"True.[^1]\n\n[^1]: https://a.org", `True.[^1]` + "\n\n[^1]: https://a.org"},
		"image":                {"![a cat](https://a.org/cat.png) ![](https://a.org/b.png) ![dog](dog.png)", `<a href="https://a.org/cat.png">a cat</a> <a href="https://a.org/b.png">https://a.org/b.png</a> dog (dog.png)`},
		"image in a link":      {"[![build](https://a.org/b.svg)](https://a.org)", `<a href="https://a.org">build</a>`},
		"addresses":            {"<https://a.org> http://b.org/x_y_z. www.c.org, d@e.org", `<a href="https://a.org">https://a.org</a> <a href="http://b.org/x_y_z">http://b.org/x_y_z</a>. <a href="http://www.c.org">www.c.org</a>, d@e.org`},
		"raw HTML": {
			"a <b>b</b> <br> <script>alert(1)</script>\n\n<div>\n*x*\n</div>\n\n<!--\nc\n-->",
			"a &lt;b&gt;b&lt;/b&gt; &lt;br&gt; &lt;script&gt;alert(1)&lt;/script&gt;\n\n&lt;div&gt;\n*x*\n&lt;/div&gt;\n\n&lt;!--\nc\n--&gt;",
		},
		"quotation":            {"> a\n> *b*\n\nc", "<blockquote>a\n<i>b</i></blockquote>\n\nc"},
		"quotation in another": {"> a\n>\n> > b\n> > > c", "<blockquote>a\n\nb\n\nc</blockquote>"},
		"two quotations":       {"> a\n\n<!-- -->\n\n> b", "<blockquote>a</blockquote>\n\n&lt;!-- --&gt;\n\n<blockquote>b</blockquote>"},
		"code in a quotation":  {"> a\n>\n> ```\n> b\n> ```", "<blockquote>a\n\n<pre>b</pre></blockquote>"},
		"list":                 {"Do:\n\n- a\n- b\n  c\n* d", "Do:\n\n• a\n• b\n    c\n\n• d"},
		"numbers":              {"9. a\n10. b\n\ntext\n\n1) c", "9. a\n10. b\n\ntext\n\n1) c"},
		"lists in lists": {
			"- a\n  - b\n    - c\n      - d\n  - e\n\n    1. f\n- g",
			"• a\n    ◦ b\n        ▪ c\n            ▪ d\n\n    ◦ e\n        1. f\n• g",
		},
		"spaced list":         {"1. a\n\n2. b\n\n   more", "1. a\n\n2. b\n\n    more"},
		"tasks":               {"- [ ] a\n- [x] b\n- c\n\n1. [X] d", "☐ a\n☑ b\n• c\n\n1. ☑ d"},
		"code in a list":      {"- a\n  ```\n  b\n  ```\n- ```\n  c\n  ```", "• a\n<pre>b</pre>\n•\n<pre>c</pre>"},
		"quotation in a list": {"- a\n  > b\n- c", "• a\n<blockquote>b</blockquote>\n• c"},
		"empty items":         {"- \n- a\n-", "•\n• a\n•"},
		"list in an item":     {"- - a\n  - b", "• ◦ a\n    ◦ b"},
		"table": {
			"| Name | n |\n|:--|--:|\n| a | 1 |\n| bcdef | 23 |", "<pre>Name  |  n\n------+---\na     |  1\nbcdef | 23</pre>",
		},
		"table, centred": {"| a | b |\n|:-:|:-:|\n| long | x |", "<pre> a   | b\n-----+--\nlong | x</pre>"},
		"table, wide letters": {
			"| 名前 | x |\n|--|--|\n| 😀 | y |\n| ❤️ | 🇩🇪 |\n| abc | z |",
			"<pre>名前 | x\n-----+---\n😀   | y\n❤️   | 🇩🇪\nabc  | z</pre>",
		},
		"table, styles": {
			"| **a** | `b` |\n|-|-|\n| x \\| y | `c\\|d` & <e> |",
			"<pre>a     | b\n------+----------\nx | y | c|d &amp; &lt;e&gt;</pre>",
		},
		"table, uneven rows": {"| a | b |\n|-|-|\n| 1 |\n| 2 | 3 | 4 | 5 |", "<pre>a | b\n--+--\n1 |\n2 | 3 | 4 | 5</pre>"},
		"table of a header":  {"| a | b |\n|-|-|", "<pre>a | b\n--+--</pre>"},
		"table with links":   {"| a |\n|-|\n| [b](https://c.org) |\n| d (e) |", `<pre>a` + "\n-----\nb\nd (e)</pre>\n" + `<a href="https://c.org">↗ b</a>`},
		"wide table": {
			"| a | " + strings.Repeat("b", 70) + " | c |\n|-|-|-|\n| 1 | 2 | 3 |",
			"<pre>a | " + strings.Repeat("b", 70) + " | c\n--+------------------+--\n1 | 2 | 3</pre>",
		},
		"no table":              {"a | b\nc | d", "a | b\nc | d"},
		"controls":              {"a\x00b\x1b[31mc\u202Ed\u0085e\r\nf\rg &#x202E;h&#0;i", "ab[31mcd\ne\nf\ng h\uFFFDi"},
		"control by reference":  {"a&#1;b&#8238;c", "abc"},
		"not UTF-8":             {"a\xff\xfeb\xc3", "a\uFFFDb\uFFFD"},
		"nothing but a fence":   {"```go\n```", "```go\n```"},
		"nothing but a heading": {"#", "#"},
		"emoji":                 {"**👩‍👩‍👧** ok", "<b>👩‍👩‍👧</b> ok"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := markup.Render(c.md, 4096)
			if diff := cmp.Diff([]string{c.want}, got); diff != "" {
				t.Errorf("%s\n-want +got\n%s", c.md, diff)
			}
			check(t, c.md, 4096)
		})
	}
}

func TestRenderNothing(t *testing.T) {
	t.Parallel()
	for _, md := range []string{"", " \n\t\n", "\u200b\u200d\ufeff", "\x00\x01", "\u2800 \u3000"} {
		if got := markup.Render(md, 100); len(got) != 0 {
			t.Errorf("%q: %q", md, got)
		}
	}
}

// TestTargets bounds what one definition can do.
func TestTargets(t *testing.T) {
	t.Parallel()
	t.Run("longer than a link may be", func(t *testing.T) {
		t.Parallel()
		target := "https://a.org/" + strings.Repeat("b", 3000)
		want := []string{"c (" + target + ")"}
		if diff := cmp.Diff(want, markup.Render("[c]("+target+")", 0)); diff != "" {
			t.Errorf("-want +got\n%s", diff)
		}
	})
	t.Run("many links", func(t *testing.T) {
		t.Parallel()
		md := "[a]: https://a.org/" + strings.Repeat("b", 2000) + "\n\n" + strings.Repeat("[a]\n\n", 10000)
		total := len(strings.Join(markup.Render(md, 0), ""))
		if most := 3*len(md) + 64<<10; total > most {
			t.Errorf("%d bytes became %d", len(md), total)
		}
	})
}

// TestBounds shows what is beyond a bound as it was written.
func TestBounds(t *testing.T) {
	t.Parallel()
	definitions := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "[%d]: https://a.org\n", i)
		}
		return b.String()
	}
	for name, c := range map[string]struct{ md, end string }{
		"markers":             {strings.Repeat("*a* ", 400) + "*b*", "<i>b</i>"},
		"too many markers":    {strings.Repeat("*a* ", 600) + "*b*", "*a* *b*"},
		"quotations":          {strings.Repeat("> ", 16) + "a", "<blockquote>a</blockquote>"},
		"too many quotations": {strings.Repeat("> ", 18) + "a", "<blockquote>&gt; &gt; a</blockquote>"},
		"lists":               {strings.Repeat("> ", 15) + "- - a", "<blockquote>• - a</blockquote>"},
		"cells":               {"a" + strings.Repeat("|a", 20) + "\n-" + strings.Repeat("|-", 20) + strings.Repeat("\nb", 40), "|</pre>"},
		"too many cells":      {"a" + strings.Repeat("|a", 100) + "\n-" + strings.Repeat("|-", 100) + strings.Repeat("\nb", 100), "\nb"},
		"definitions":         {"[1]\n\n" + definitions(2), "[0]: https://a.org"},
		"all definitions":     {"[1]\n\n" + definitions(1000), "[999]: https://a.org"},
		"too many":            {definitions(1001) + "\n[1000]", "\n\n[1000]"},
		"escaped pipes":       {"|a|\n|-|\n" + strings.Repeat("|`\\|`|\n", 1000), "\n|</pre>"},
		"too many of them":    {"|a|\n|-|\n" + strings.Repeat("|`\\|`|\n", 1001), "\n\\|</pre>"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			parts := markup.Render(c.md, 0)
			if last := parts[len(parts)-1]; !strings.HasSuffix(last, c.end) {
				t.Errorf("the end is %q, want %q", last[max(0, len(last)-60):], c.end)
			}
		})
	}
}

func TestPlain(t *testing.T) {
	t.Parallel()
	for html, want := range map[string]string{
		"":  "",
		"a": "a",
		`<b>a</b> &lt;&gt;&amp;&quot; <a href="http://a.org/?b&amp;c">d</a>`: `a <>&" d`,
		"&amp;lt; &nbsp; & &": "&lt; &nbsp; & &",
		"a <b":                "a ",
	} {
		if got := markup.Plain(html); got != want {
			t.Errorf("Plain(%q) is %q, want %q", html, got, want)
		}
	}
}

func TestUnits(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]int{"": 0, "abc": 3, "é": 1, "日本": 2, "😀": 2, "🇩🇪": 4, "\xff": 1} {
		if got := markup.Units(s); got != want {
			t.Errorf("Units(%q) is %d, want %d", s, got, want)
		}
	}
}

func TestColumns(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]int{
		"": 0, "abc": 3, "日本": 4, "ｱ": 1, "Ａ": 2, "한": 2, "é": 1, "e\u0301": 1, "😀": 2, "👩‍👩‍👧": 2, "🇩🇪": 2, "❤️": 2, "❤": 1, "👍🏽": 2,
	} {
		if got := markup.Columns(s); got != want {
			t.Errorf("%q takes %d columns, want %d", s, got, want)
		}
	}
}

// TestTargetsAreShownWhole: a target that cannot be linked loses nothing, however long
// it is, and parentheses that nest too deep are no link but text.
func TestTargetsAreShownWhole(t *testing.T) {
	t.Parallel()
	umlauts, words := strings.Repeat("ä", 1000), strings.TrimSpace(strings.Repeat("b ", 700))
	nested := func(n int) string { return strings.Repeat("[a](", n) + "x" + strings.Repeat(")", n) }
	for md, want := range map[string]string{
		"[a](" + umlauts + ") and":  "a (" + umlauts + ") and",
		"[a](<" + words + ">) and":  "a (" + words + ") and",
		"![a](" + umlauts + ") and": "a (" + umlauts + ") and",
		nested(33):                  "a (" + nested(32) + ")",
		nested(34):                  nested(34),
		nested(300):                 nested(300),
	} {
		var got strings.Builder
		for _, part := range markup.Render(md, 4096) {
			got.WriteString(markup.Plain(part))
		}
		if got.String() != want {
			t.Errorf("%.40q… is shown as %.300q, want %.300q", md, got.String(), want)
		}
	}
	// One definition serves many links, and targets of links are bounded.
	many := "[a]: " + umlauts + "\n\n" + strings.Repeat("[a] ", 1000)
	shown := strings.Join(markup.Render(many, 4096), "")
	if strings.ContainsRune(shown, '\uFFFD') || !strings.Contains(shown, "ä…") || len(shown) > 200_000 {
		t.Errorf("%d bytes are shown, and the last target ends in a half letter or not at all", len(shown))
	}
}
