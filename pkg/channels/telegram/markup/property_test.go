package markup_test

import (
	"bytes"
	"fmt"
	"html"
	"regexp"
	"strings"
	"testing"

	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer"
	mdhtml "github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/util"
	"pgregory.net/rapid"

	"parley/pkg/channels/telegram/markup"
)

// piece is Markdown and the text that a person reads in it.
type piece struct{ md, reading string }

func words(t *rapid.T) piece {
	word := rapid.SampledFrom([]piece{
		{"word", "word"},
		{"Satz.", "Satz."},
		{"日本語。", "日本語。"},
		{"😀", "😀"},
		{"👩‍👩‍👧", "👩‍👩‍👧"},
		{"e\u0301", "e\u0301"},
		{`\*`, "*"},
		{"&lt;", "<"},
		{"a&b", "a&b"},
		{"1<2", "1<2"},
		{"x_y_z", "x_y_z"},
		{"2 * 3", "2 * 3"},
		{"x||y||z", "x||y||z"},
		{"<i>", "<i>"},
		{"\u200f", ""},
		{"\u202e", ""},
		{"[^1]", "[^1]"},
		{"~5", "~5"},
	})
	var p piece
	for _, w := range rapid.SliceOfN(word, 1, 8).Draw(t, "words") {
		p.md += w.md + " "
		p.reading += w.reading
	}
	return piece{"w " + p.md + "w", "w" + p.reading + "w"}
}

func inline(t *rapid.T, depth int) piece {
	p := words(t)
	kinds := 8
	if depth == 0 {
		kinds = 3
	}
	switch rapid.IntRange(0, kinds).Draw(t, "inline") {
	case 0:
		return piece{"`" + "a <b> & *c*" + "`", "a <b> & *c*"}
	case 1:
		return piece{"<https://a.org/b_c>", "https://a.org/b_c"}
	case 2:
		return piece{p.md + "  \n" + p.md, p.reading + p.reading}
	case 4, 5:
		mark := rapid.SampledFrom([]string{"**", "~~", "||", "*"}).Draw(t, "mark")
		in := inline(t, 0)
		return piece{"w " + mark + "w " + in.md + " w" + mark + " w", "ww" + in.reading + "ww"}
	case 6:
		return piece{"[" + p.md + "](https://a.org/?b=1&c=2)", p.reading}
	case 7:
		return piece{"[" + p.md + "](../b.md)", p.reading + "(../b.md)"}
	case 8:
		in := inline(t, depth-1)
		return piece{p.md + " " + in.md, p.reading + in.reading}
	}
	return p
}

func blocks(t *rapid.T, depth int) piece {
	var p piece
	for range rapid.IntRange(1, 3).Draw(t, "blocks") {
		b := oneBlock(t, depth)
		p.md += b.md + "\n\n"
		p.reading += b.reading
	}
	return p
}

func oneBlock(t *rapid.T, depth int) piece {
	kinds := 7
	if depth == 0 {
		kinds = 3
	}
	switch rapid.IntRange(0, kinds).Draw(t, "block") {
	case 1:
		p := words(t)
		return piece{"## " + p.md, p.reading}
	case 2:
		return piece{"***", "———"}
	case 3:
		return piece{"```py\nif a < b:\n\n\treturn '&amp;'\n```", "if a < b: return '&amp;'"}
	case 4:
		in := blocks(t, depth-1)
		return piece{"> " + strings.ReplaceAll(in.md, "\n", "\n> "), in.reading}
	case 5, 6:
		var p piece
		for range rapid.IntRange(1, 3).Draw(t, "items") {
			in := blocks(t, depth-1)
			p.md += "7. w\n\n   " + strings.ReplaceAll(in.md, "\n", "\n   ") + "\n"
			p.reading += "#w" + in.reading
		}
		return piece{"<!-- -->\n\n" + p.md + "\n\n<!-- -->", "<!-- -->" + p.reading + "<!-- -->"}
	default:
		return inline(t, 2)
	}
}

// TestNothingIsLost writes Markdown together with its text and reads it back from parts
// of any length.
func TestNothingIsLost(t *testing.T) {
	t.Parallel()
	numbers := regexp.MustCompile(`\d+\.w`)
	rapid.Check(t, func(t *rapid.T) {
		p := blocks(t, 3)
		limit := rapid.OneOf(rapid.IntRange(1, 50), rapid.IntRange(50, 4096)).Draw(t, "limit")
		got := numbers.ReplaceAllString(squeeze(check(t, p.md, limit)), "#w")
		if want := squeeze(p.reading); got != want {
			t.Errorf("limit %d\n%s\ngot:  %s\nwant: %s", limit, p.md, got, want)
		}
	})
}

// shows is the letters and digits of a page that goldmark itself makes of the tree
// that Render reads.
func shows(t tester, md string) string {
	t.Helper()
	tree, source := markup.Parse(md)
	page := renderer.NewRenderer(renderer.WithNodeRenderers(
		util.Prioritized(mdhtml.NewRenderer(), 1000),
		util.Prioritized(extension.NewTableHTMLRenderer(), 500),
		util.Prioritized(extension.NewStrikethroughHTMLRenderer(), 500),
		util.Prioritized(extension.NewTaskCheckBoxHTMLRenderer(), 500),
	))
	var b bytes.Buffer
	if err := page.Render(&b, source, tree); err != nil {
		t.Errorf("goldmark: %v", err)
	}
	tags := regexp.MustCompile(`<!--.*?-->|<(?:"[^"]*"|[^">])*>`)
	return letters(html.UnescapeString(tags.ReplaceAllString(b.String(), "")))
}

func FuzzRender(f *testing.F) {
	for _, text := range hostile() {
		f.Add(text(300), uint16(50))
	}
	for i, md := range []string{
		"# a\n\n- b\n  1. *c*\n\n> d\n\n| e | f |\n|-|-|\n| `g` | [h](http://i.j) | k |\n\n```go\nl\n```\n",
		"||a `b`|| ~~c~~ ![d](e) [f]: <g>\n\n[h]\n\n[h]: http://i.j 'k'\n",
		"[a](tg://b?c=1) ||d ton://e f|| [T](https://g.h)G://i *t*g://j `tg://k` <tonsite://l>",
		"👩‍👩‍👧&#x202e;\u0301<b>&amp;\xff\x00\r\n\t- x",
	} {
		f.Add(md, uint16(i*20))
	}
	f.Fuzz(func(t *testing.T, md string, limit uint16) {
		if len(md) > 64<<10 {
			t.Skip("a request to the fuzzer, not to Render: such texts are in TestHostile")
		}
		const whole = 1 << 20
		small, large := squeeze(check(t, md, int(limit)+1)), squeeze(check(t, md, whole))
		if equal := small == large; !equal && (!strings.Contains(md, "-") || !within(large, small)) {
			t.Errorf("in parts of %d units\n%q\nas a whole\n%q", int(limit)+1, small, large)
		}
		if want := shows(t, md); !within(want, letters(large)) {
			t.Errorf("goldmark shows\n%q\nRender\n%q", want, large)
		}
	})
}

func ExampleRender() {
	for _, part := range markup.Render("## Result\n\nUse `a < b`:\n\n- [docs](https://example.org)\n- **done**", 4096) {
		fmt.Println(part)
	}
	// Output:
	// <b>Result</b>
	//
	// Use <code>a &lt; b</code>:
	//
	// • <a href="https://example.org">docs</a>
	// • <b>done</b>
}
