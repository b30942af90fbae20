package markup_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley/pkg/channels/slack/markup"
)

// text draws words, some of which are marks, references or no text at all.
func text(t *rapid.T) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{
		"word", "Satz.", "日本語。", "😀", "👩‍👩‍👧", "e\u0301", `\*`, "&lt;", "a&b",
		"1<2", "x_y_z", "2 * 3", "||z||", "<i>", "\u200f", "\u202e", "[^1]", "~5",
		"<!channel>", "<@U012345>", "&lt;!here&gt;", "@here", "**b**", "*i*", "_j_", "~~s~~",
		"`c`", "``d`e``", "**b *i* b**", "[l](http://x.y/z?a=1&b=2)", "![p](http://x.y)",
		"http://x.y/a_b", "*", "**", "`", "_", "~", "[", "](", "<", ">", "#", "-", "1.", "|",
		"\\", "!", "a@b.cd", "\n", "  \n", "\\\n", "\x00", "\xff", "***b** i*", "*i **b***",
	}), 1, 30).Draw(t, "words"), rapid.SampledFrom([]string{" ", "", " "}).Draw(t, "between"))
}

// document draws blocks, some in others.
func document(t *rapid.T, depth int) string {
	var md strings.Builder
	for range rapid.IntRange(1, 4).Draw(t, "blocks") {
		kind := rapid.IntRange(0, 8).Draw(t, "block")
		if depth == 0 {
			kind = min(kind, 4)
		}
		switch kind {
		case 0, 1:
			md.WriteString(text(t))
		case 2:
			md.WriteString("# " + text(t))
		case 3:
			fmt.Fprintf(&md, "````go\n%s\n````", text(t))
		case 4:
			md.WriteString(strings.Repeat(text(t)+" ", rapid.IntRange(1, 60).Draw(t, "times")))
		case 5:
			md.WriteString(indent(document(t, depth-1), "> ", "> "))
		case 6:
			md.WriteString(indent(document(t, depth-1), "- ", "  ") + "\n" + indent(text(t), "- [x] ", "  "))
		case 7:
			md.WriteString(indent(document(t, depth-1), "3. ", "   ") + "\n" + indent(document(t, depth-1), "4. ", "   "))
		case 8:
			cell := strings.NewReplacer("\n", " ", "|", "/").Replace(text(t))
			md.WriteString("| a | b |\n|---|:-:|\n" + strings.Repeat("| "+cell+" | x |\n", rapid.IntRange(0, 60).Draw(t, "rows")))
		}
		md.WriteString(rapid.SampledFrom([]string{"\n", "\n\n"}).Draw(t, "gap"))
	}
	return md.String()
}

// indent puts first before the first line and rest before the others.
func indent(s, first, rest string) string {
	return first + strings.ReplaceAll(strings.TrimRight(s, "\n"), "\n", "\n"+rest)
}

// TestSplitLosesNothing says that the words of the parts are those of the text, in
// its order; tables have their heads in each part.
func TestSplitLosesNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		md := document(t, 2)
		got, want := check(t, md), letters(shownBlock(t, markup.Block(md)))
		if got != want && (!strings.Contains(md, "|---|") || !within(want, got)) {
			t.Errorf("%q\nshows: %s\nwant:  %s", md, got, want)
		}
		for _, part := range markup.Split(md) {
			block := markup.Block(part)
			if again := markup.Block(block); letters(again) != letters(block) {
				t.Errorf("a block written again has other words\n%q\n%q", block, again)
			}
		}
	})
}

func FuzzSplit(f *testing.F) {
	for _, md := range []string{
		"# a\n\n- b\n  1. *c*\n\n> d\n\n| e | f |\n|-|-|\n| `g` | [h](http://i.j) | k |\n\n```go\nl\n```\n",
		"||a `b`|| ~~c~~ ![d](e) [f]: <g>\n\n[h]\n\n[h]: http://i.j 'k'\n",
		"<!channel> `<@U1>` &lt;!here&gt; [<#C1>](http://a.b/<@U1>) @everyone \\<!here>",
		"👩‍👩‍👧&#x202e;\u0301<b>&amp;\xff\x00\r\n\t- x\xed\xa0\x80",
		strings.Repeat("x", 9000), strings.Repeat("`", 9000), strings.Repeat("> - ", 500),
		strings.Repeat("**a _b ", 500), "|a|\n|-|\n" + strings.Repeat("|b\n", 900),
	} {
		f.Add(md)
	}
	f.Fuzz(func(t *testing.T, md string) {
		got, want := check(t, md), letters(shownBlock(t, markup.Block(md)))
		if got != want && !within(want, got) {
			t.Errorf("%q\nshows: %s\nwant:  %s", md, got, want)
		}
		checkSafe(t, markup.Block(md), markup.Mrkdwn(md))
	})
}
