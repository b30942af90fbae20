package web_test

import (
	"bytes"
	"context"
	"flag"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/tools/web"
)

var update = flag.Bool("update", false, "write the golden files")

// TestPageKeepsItsParts holds a whole page against its Markdown, through the tool.
func TestPageKeepsItsParts(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile(filepath.Join("testdata", "article.html"))
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, "127.0.0.2", 0, page("text/html; charset=utf-8", string(source)))
	res := fetch(t, s.reach(t), map[string]any{"url": s.URL + "/coffee"})
	got := strings.ReplaceAll(res.ForLLM, s.URL, "https://site.example")
	golden := filepath.Join("testdata", "article.md")
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestMarkdown(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ page, want string }{
		"headings":             {"<h1>a</h1><h2>b</h2><h6>c</h6>", "# a\n\n## b\n\n###### c"},
		"paragraphs unclosed":  {"<p>a<p>b <b>c<p>d", "a\n\nb **c**\n\nd"},
		"absolute link":        {`<a href="/x?a=1">y</a>`, "[y](https://a.example/x?a=1)"},
		"relative link":        {`<a href="../x">y</a>`, "[y](https://a.example/x)"},
		"base":                 {`<base href="//b.example/c/"><a href="x">y</a>`, "[y](https://b.example/c/x)"},
		"script link":          {`<a href="javascript:alert(1)">y</a> <a href=" JaVaScRiPt:x">z</a>`, "y z"},
		"data link":            {`<a href="data:text/html,x">y</a><img src="data:image/png;base64,AAAA">`, "y"},
		"user in a link":       {`<a href="http://u:p@b.example/">y</a>`, "y"},
		"link in the page":     {`<a href="#x">y</a>`, "y"},
		"table":                {"<table><tr><th>a<th>b<tr><td>1<td>2|3</table>", "| a | b |\n|---|---|\n| 1 | 2\\|3 |"},
		"table with breaks":    {"<table><tr><th>a<th>b<tr><td>1<br>2<td>3</table>", "| a | b |\n|---|---|\n| 1  <br />2 | 3 |"},
		"table with spans":     {"<table><tr><th colspan=2>a<tr><td>1<td>2</table>", "| a |  |\n|---|---|\n| 1 | 2 |"},
		"code":                 {"<pre><code class='language-py'>a  b\n\n c</code></pre>", "```py\na  b\n\n c\n```"},
		"code, no code":        {"<pre class=lang-sh>ls</pre>", "```sh\nls\n```"},
		"fence in code":        {"<pre>```\nx</pre>", "````\n```\nx\n````"},
		"inline code":          {"<p>a <code>b|c</code>", "a `b|c`"},
		"scripts":              {"a<script>b</script><style>c</style><noscript>d</noscript><template>e</template><!-- f -->g", "ag"},
		"script in a string":   {"<script>'</scriptx>'</script >a", "a"},
		"controls":             {"a\x00b\x1b[2Jc\u202ed\u200be\U000e0041f", "ab[2Jcdef"},
		"entities":             {"&lt;script&gt; &amp; &eacute;&#x1F600;", "&lt;script&gt; & é😀"},
		"stray end tags":       {"<table><tr><td><p>a</div></p></table>b", "| a |\n|---|\n\nb"},
		"inline over blocks":   {"<b><div>a</b></div>c", "**a**\n\n**c**"},
		"custom elements":      {"<my-box><x-y>a</x-y></my-box>", "a"},
		"list":                 {"<ul><li>a<ul><li>b</ul><li>c</ul>", "- a\n  \n  - b\n- c"},
		"around":               {"<nav>n</nav><p>a</p><footer>f</footer>", "a"},
		"main":                 {"<p>x</p><main><p>a</p></main><p>y</p>", "a"},
		"nothing":              {"", ""},
		"a title that is open": {"<title>x", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			from, err := url.Parse("https://a.example/b/c")
			if err != nil {
				t.Fatal(err)
			}
			_, got, cut, err := web.Markdown(t.Context(), []byte(c.page), from)
			if diff := cmp.Diff(c.want, got); diff != "" || err != nil || cut {
				t.Errorf("cut %v, %v, -want +got\n%s", cut, err, diff)
			}
		})
	}
}

func TestConversionEndsWithItsTime(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, _, err := web.Markdown(ctx, []byte("<p>a"), nil)
	if err == nil {
		t.Error("no error")
	}
}

// FuzzPage looks for a page that costs more than a page may, or leaves a control
// character in its text.
func FuzzPage(f *testing.F) {
	for _, build := range hostilePages() {
		page := build()
		f.Add(bytes.Clone(page[:min(len(page), 256)]), uint16(64)) // a slice would keep all of it
	}
	f.Add([]byte("<p>a<table><tr><td>b</td></tr></table><pre><code class=language-go>c</code></pre>"), uint16(1))
	from, err := url.Parse("https://a.example/b/")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, piece []byte, times uint16) {
		page := strings.Repeat(string(piece), 1+int(times)%512)
		if len(page) > pageBytes {
			page = page[:pageBytes]
		}
		var title, text string
		var fail error
		took, grew := cost(func() { title, text, _, fail = web.Markdown(t.Context(), []byte(page), from) })
		if took > mostTime || grew > mostMemory || fail != nil && !late(fail) {
			t.Fatalf("%d bytes cost %s and %d MB: %v\n%.200q", len(page), took, grew>>20, fail, page)
		}
		for _, s := range []string{title, text} {
			if !utf8.ValidString(s) ||
				strings.ContainsFunc(s, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 }) {
				t.Fatalf("a control character is left in %.100q", s)
			}
		}
	})
}
