package markup_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"parley/pkg/channels/slack/markup"
)

func people(user string) string {
	return map[string]string{"U1": "Ann", "U2": "Bob\n\u202e\x1b[31m", "UBOT": "Parley"}[user]
}

func TestRead(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"plain":              {"a *b* _c_ `d`", "a *b* _c_ `d`"},
		"escapes":            {"1 &lt; 2 &amp;&amp; 3 &gt; 2 &amp;lt; &copy;", "1 < 2 && 3 > 2 &lt; &copy;"},
		"addressed":          {"<@UBOT> hello", "hello"},
		"with a colon":       {" <@UBOT>: hello", "hello"},
		"with a comma":       {"<@UBOT|parley>, hello", "hello"},
		"alone":              {"<@UBOT>", ""},
		"on its line":        {"<@UBOT>\n  hello", "hello"},
		"in the middle":      {"ask <@UBOT> that", "ask @Parley that"},
		"twice":              {"<@UBOT> <@UBOT> a", "@Parley a"},
		"another's":          {"<@UBOTX> a", "@UBOTX a"},
		"known":              {"<@U1|x> a", "@Ann a"},
		"labelled":           {"<@U9|eve> a", "@eve a"},
		"unknown":            {"<@U9> a", "@U9 a"},
		"hostile name":       {"<@U2>!", "@Bob [31m!"},
		"hostile label":      {"<@U9|e\u202eve\x07\u2028> <#C1|a\x1bb>", "@eve #ab"},
		"channel":            {"<#C1|general> <#C2>", "#general #C2"},
		"everybody":          {"<!here> <!channel|@channel> <!everyone>", "@here @channel @everyone"},
		"group":              {"<!subteam^S1|@team> <!subteam^S1>", "@team @S1"},
		"date":               {"<!date^1392734382^{date}^https://x.y|Feb 18> ok", "Feb 18 ok"},
		"link":               {"<https://x.y?a=1&amp;b=2>", "https://x.y?a=1&b=2"},
		"labelled link":      {"<https://x.y|a &lt;b&gt;>", "a <b> (https://x.y)"},
		"bare link":          {"<http://x.y|x.y>", "http://x.y"},
		"mail":               {"<mailto:a@b.c|a@b.c>", "a@b.c"},
		"labelled mail":      {"<mailto:a@b.c|Ann>", "Ann (a@b.c)"},
		"typed by hand":      {"`&lt;@U1&gt;`", "`<@U1>`"},
		"in code":            {"`<@U1>`", "`@Ann`"},
		"open":               {"a < b <@U1", "a < b <@U1"},
		"nested":             {"<@U1|<@U9>> <<!here>>", "<@U1|@U9> <@here>"},
		"over lines":         {"<@U1\n> a", "<@U1\n> a"},
		"empty":              {"<> <|> <@> <!> <#>", "  @ @ #"},
		"invalid UTF-8":      {"\xff<@U1>\xed\xa0\x80", "\uFFFD@Ann\uFFFD\uFFFD\uFFFD"[:len("\uFFFD@Ann\uFFFD")]},
		"indentation":        {"    code\n", "    code\n"},
		"no name of the bot": {"<@U1>: a", "@Ann: a"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := markup.Read(c.text, "UBOT", people); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
	if got := markup.Read("<@> <@U1> a", "", nil); got != "@ @U1 a" {
		t.Errorf("without a bot and names: %q", got)
	}
}

func TestMentions(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"<@UBOT>":                  true,
		"a <@UBOT|parley> b":       true,
		"`<@UBOT>`":                true,
		"```\n<@UBOT>\n```":        true,
		"<@UBOT <@UBOTX> <@UBOT>":  true,
		"<@UBOTX>":                 false,
		"<@UBOT":                   false,
		"<@UBOT|a\n>":              false,
		"<@UBOT|<@U1>":             false,
		"&lt;@UBOT&gt;":            false,
		"@UBOT <#UBOT> <!UBOT> <>": false,
		"":                         false,
	} {
		if got := markup.Mentions(text, "UBOT"); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	if markup.Mentions("<@>", "") {
		t.Error("nobody is mentioned")
	}
}

// TestReadHuge reads texts that take careless readers for ever.
func TestReadHuge(t *testing.T) {
	t.Parallel()
	const n = 1 << 20
	for name, piece := range map[string]string{
		"<": "<", "<@": "<@", "<@UBOT": "<@UBOT", "<@UBOT|": "<@UBOT|", "<a|": "<a|",
		"<a>": "<a>", "&": "&", "&amp;": "&amp;", "< a": "< a ", "|": "|", "<!date^": "<!date^",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := strings.Repeat(piece, n/len(piece))
			got := markup.Read(text, "UBOT", people)
			if len(got) == 0 || len(got) > 2*len(text) {
				t.Errorf("%d bytes", len(got))
			}
			markup.Mentions(text, "UBOT")
		})
	}
}

func FuzzRead(f *testing.F) {
	for _, text := range []string{
		"<@UBOT>: a <#C1|b> <!here> <!subteam^S|c> <!date^1^d^e|f> <https://g|h> <mailto:i> &lt;&amp;&gt;",
		"<<a>|<b>>\n<", "<@U2|\x00\u202e>\xff&amp;lt;",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := markup.Read(text, "UBOT", people)
		if !utf8.ValidString(got) {
			t.Errorf("%q became %q, which is no UTF-8", text, got)
		}
		controls := func(s string) int {
			return strings.Count(strings.Map(func(r rune) rune {
				if unicode.IsControl(r) {
					return '\x01'
				}
				return ' '
			}, s), "\x01")
		}
		if controls(got) > controls(strings.ToValidUTF8(text, "\uFFFD")) {
			t.Errorf("%q has control characters that came from names: %q", text, got)
		}
		if markup.Mentions(text, "UBOT") && !strings.Contains(text, "<@UBOT") {
			t.Errorf("%q mentions nobody", text)
		}
	})
}
