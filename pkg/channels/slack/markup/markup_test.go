package markup_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/channels/slack/markup"
	"parley/pkg/visible"
)

// gap is a zero-width space.
const gap = "\u200B"

// TestMarkup shows the result for each form of Markdown.
func TestMarkup(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ md, block, own string }{
		"emphasis":      {"**b** *i* ~~s~~ `c`", "**b** _i_ ~~s~~ `c`", "*b* _i_ ~s~ `c`"},
		"both":          {"***b** i*", "_**b** i_", "*_b_* _i_"},
		"nested":        {"**b _i_ b**", "**b _i_ b**", "*b _i_ b*"},
		"in a word":     {"a**b**c", "a**b**c", "a" + gap + "*b*" + gap + "c"},
		"over lines":    {"**a\nb**", "**a\nb**", "*a*\n*b*"},
		"heading":       {"## A `b`", "## A `b`", "*A `b`*"},
		"lines":         {"a\nb  \nc", "a\nb  \nc", "a\nb\nc"},
		"rule":          {"a\n\n***\n\nb", "a\n\n___\n\nb", "a\n\n———\n\nb"},
		"quotation":     {"> a\n> b\n>\n> c", "> a\n> b\n>\n> c", "> a\n> b\n>\n> c"},
		"list":          {"* a\n* b\n  * c\n    d", "- a\n- b\n  - c\n    d", "• a\n• b\n    ◦ c\n        d"},
		"numbers":       {"7. a\n8. b", "7. a\n8. b", "7. a\n8. b"},
		"tasks":         {"- [ ] a\n- [x] b", "- [ ] a\n- [x] b", "☐ a\n☑ b"},
		"two lists":     {"- a\n\n* b", "- a\n\n* b", "• a\n\n• b"},
		"code":          {"```go\nx := \"`\"\n\n\ty()\n```", "```go\nx := \"`\"\n\n\ty()\n```", "```\nx := \"`\"\n\n\ty()\n```"},
		"fence in code": {"````\n```\nx\n````", "````\n```\nx\n````", "```\n`" + gap + "`" + gap + "`\nx\n```"},
		"indented code": {"    a <b>", "```\na <b>\n```", "```\na &lt;b&gt;\n```"},
		"backtick":      {"``a`b``", "``a`b``", "a`b"},
		"table": {
			"|a|b|\n|-|-:|\n|`c`|2|\n|ddd|[e](http://f.g)|",
			"| a | b |\n| --- | ---: |\n| `c` | 2 |\n| ddd | [e](http://f.g) |",
			"```\na   | b\n----+--\nc   | 2\nddd | e\n```\n↗ <http://f.g|e>",
		},
		"link":           {"[a|b>c](http://x.y/a|b)", "[a|b&gt;c](http://x.y/a%7Cb)", "<http://x.y/a%7Cb|a¦b&gt;c>"},
		"link in bold":   {"**[a](http://x.y?a=1&b=2)**", "**[a](http://x.y?a=1&b=2)**", "*<http://x.y?a=1&amp;b=2|a>*"},
		"reference":      {"[a]\n\n[a]: http://x.y", "[a](http://x.y)", "<http://x.y|a>"},
		"address":        {"see http://x.y/a_b_c now", "see http://x.y/a_b_c now", "see <http://x.y/a_b_c> now"},
		"address first":  {"http://x.y then\n`a`\n# b", "http://x.y then\n`a`\n\n# b", "<http://x.y> then\n`a`\n\n*b*"},
		"lines of looks": {"a **b**\n*c*\n\\- d", "a **b**\n_c_\n\\- d", "a *b*\n_c_\n- d"},
		"no address":     {"xhttp://a.b", `xhttp\://a.b`, "xhttp://a.b"},
		"empty item":     {"- a\n-\n- b", "- a\n-\n- b", "• a\n•\n• b"},
		"mail":           {"[a](mailto:b@c.de)", "[a](mailto:b@c.de)", "<mailto:b@c.de|a>"},
		"image":          {"![a](http://x.y/z.png)", "[a](http://x.y/z.png)", "<http://x.y/z.png|a>"},
		"no link":        {"[a](javascript:b)", "a (javascript:b)", "a (javascript:b)"},
		"no image":       {"!\\[a](b)", "!\\[a\\](b)", "![a](b)"},
		"image of text":  {"\\![a](http://x.y)", "\\![a](http://x.y)", "!<http://x.y|a>"},
		"HTML":           {"<b>a</b> <script>", "&lt;b&gt;a&lt;/b&gt; &lt;script&gt;", "&lt;b&gt;a&lt;/b&gt; &lt;script&gt;"},
		"entities":       {"a & b &amp;lt; &copy;", "a & b &amp;lt; ©", "a &amp; b &amp;lt; ©"},
		"literal marks":  {"\\*a\\* 2 * 3 a_b_c", "\\*a\\* 2 * 3 a_b_c", "*" + gap + "a*" + gap + " 2 * 3 a_b_c"},
		"one mark":       {"in \\~/x", "in \\~/x", "in ~/x"},
		"literal lines":  {"\\# a\n\\- b\n1\\. c\n\\> d", "\\# a\n\\- b\n1\\. c\n&gt; d", "# a\n- b\n1. c\n" + gap + "&gt; d"},
		"hidden":         {"a\u202eb\x00c\u200bd", "abcd", "abcd"},
		"nothing":        {" \n\u200d", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.block, markup.Block(c.md)); diff != "" {
				t.Errorf("block: -want +got\n%s", diff)
			}
			if diff := cmp.Diff(c.own, markup.Mrkdwn(c.md)); diff != "" {
				t.Errorf("mrkdwn: -want +got\n%s", diff)
			}
			check(t, c.md)
		})
	}
}

// TestNothingNotifies writes whatever Slack would read as a reference, in every
// spelling and place: nobody is called, and the text is there to be read.
func TestNothingNotifies(t *testing.T) {
	t.Parallel()
	places := []string{
		"%", "**%**", "`%`", "```\n%\n```", "    %", "# %", "> %", "- %", "|%|b|\n|-|-|\n|%|`%`|", "[%](http://x.y)",
		"[a](http://x.y/%)", "[a](%)", "![%](%)", "%\n%", "a%b", "\\%", "<%>",
		"[%]: http://x.y '%'", "<a href='%'>", "``` %\na\n```", "[%][%]\n\n[%]: http://x.y",
	}
	for _, token := range []string{
		"<!channel>", "<!here>", "<!everyone>", "<!HERE|here>", "<!group>", "<@U012345>", "<@W012345|ann>", "<#C012345>", "<#C012345|general>",
		"<!subteam^S1>", "<!subteam^S1|@all>", "<!date^1^{date}|x>", "<!channel", "<https://x.y|<!channel>>", "<http://x|<@U012345>>",
	} {
		for _, spelling := range []string{
			token,
			strings.NewReplacer("<", "&lt;", ">", "&gt;").Replace(token),
			strings.NewReplacer("<", "&#60;", ">", "&#62;").Replace(token),
			strings.NewReplacer("<", "&#x3C;", ">", "&#x3e;").Replace(token),
			strings.NewReplacer("<", "&LT;", ">", "&GT;").Replace(token),
			strings.NewReplacer("<", "&amp;lt;", ">", "&amp;gt;").Replace(token),
			strings.NewReplacer("<", `\<`, "!", `\!`, "@", `\@`).Replace(token),
			strings.NewReplacer("<", "<\u200b", "@", "@\u200b").Replace(token),
			strings.NewReplacer("<", "<\x00").Replace(token),
			strings.NewReplacer("<", "<\u202e").Replace(token),
		} {
			for _, place := range places {
				md := strings.ReplaceAll(place, "%", spelling)
				check(t, md)
				checkSafe(t, markup.Block(md), markup.Mrkdwn(md))
			}
		}
	}
	for _, name := range []string{"@channel", "@here", "(@everyone)", "@Group,"} {
		for _, s := range []string{markup.Block("a " + name), markup.Mrkdwn("a " + name)} {
			if strings.Contains(s, name) || strings.ReplaceAll(s, gap, "") != "a "+name {
				t.Errorf("%q became %q", name, s)
			}
		}
	}
	for _, text := range []string{"@heretic", "a@here", "<!DOCTYPE html>", "<!-- a -->"} {
		if s := markup.Block("`" + text + "`"); s != "`"+text+"`" {
			t.Errorf("%q became %q", text, s)
		}
	}
}

// TestVerbatimIsSeenWhole shows texts as a question about them does.
func TestVerbatimIsSeenWhole(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"<!channel> <@U012345> &lt;!here&gt; &amp;amp;", "```\n# no heading\n~~~\n    code\n[a]: http://x", "  a\t b\n\n\n| x |\n|---|\n",
		"`` ` `````", "*a* _b_ ~c~\n> d\n- e\n\n1. f", "\u202egnp.exe\u202c \u200b\u200d\ufeff\x00\xff",
		"a\\b \\u{202e} @here", "<b>x</b>\r\n", strings.Repeat("`", 200),
	} {
		seen := visible.Text(text)
		parts := markup.Split("**write_file** wants to write:\n\n" + visible.Verbatim(text))
		if len(parts) != 1 {
			t.Errorf("%q is cut into %d parts", text, len(parts))
			continue
		}
		if shown := shownBlock(t, markup.Block(parts[0])); !strings.Contains(shown, seen) {
			t.Errorf("block: %q is not seen whole: %q", seen, shown)
		}
		if shown := shownOwn(markup.Mrkdwn(parts[0])); !strings.Contains(shown, seen) {
			t.Errorf("mrkdwn: %q is not seen whole: %q", seen, shown)
		}
	}
}

// TestTargetsAreShownWhole: a target that cannot be linked loses nothing, however long
// it is, and parentheses that nest too deep are no link but text.
func TestTargetsAreShownWhole(t *testing.T) {
	t.Parallel()
	umlauts := strings.Repeat("ä", 1000)
	nested := func(n int) string { return strings.Repeat("[a](", n) + "x" + strings.Repeat(")", n) }
	for md, want := range map[string]string{
		"[a](" + umlauts + ") and": "a (" + umlauts + ") and",
		nested(33):                 "a (" + nested(32) + ")",
		nested(300):                nested(300),
	} {
		var got strings.Builder
		for _, part := range markup.Split(md) {
			got.WriteString(markup.Mrkdwn(part))
		}
		if got.String() != want {
			t.Errorf("%.40q… is shown as %.300q, want %.300q", md, got.String(), want)
		}
	}
}
