package ansi_test

import (
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/charmbracelet/colorprofile"
	"github.com/google/go-cmp/cmp"

	"parley/pkg/console/ansi"
)

// plain is a document without its colours.
func plain(d ansi.Document) string {
	var b strings.Builder
	for i := range d.Lines {
		b.WriteString(d.Lines[i].String() + "\n")
	}
	return b.String()
}

func TestMarkdown(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ text, want string }{
		"words": {"some **bold**, *slanted*, ~~gone~~ and `code`", "some bold, slanted, gone and\ncode\n"},
		"wrap":  {"one two three four five six seven eight nine ten", "one two three four five six\nseven eight nine ten\n"},
		"wide":  {"你好你好你好你好你好你好你好你好你好", "你好你好你好你好你好你好你好\n你好你好\n"},
		"head":  {"# One\nwords\n## Two", "One\n\nwords\n\nTwo\n"},
		"lists": {
			"- a\n- b\n  1. one\n  2. two\n- [x] done\n- [ ] open\n\nend",
			"• a\n• b\n  1. one\n  2. two\n☑ done\n☐ open\n\nend\n",
		},
		"an item of two paragraphs": {"- a\n\n  more\n- b", "• a\n\n  more\n• b\n"},
		"a quotation":               {"> one\n> two\n>\n> - three", "│ one\n│ two\n│\n│ • three\n"},
		"code": {
			"```go\nfunc f() {\n\treturn 1\n}\n```",
			"  func f() {\n      return 1\n  }\n",
		},
		"long code":    {"```\n" + strings.Repeat("x", 40) + "\n```", "  " + strings.Repeat("x", 26) + "\n  " + strings.Repeat("x", 14) + "\n"},
		"a link":       {"[text](https://a.example/x)", "text (https://a.example/x)\n"},
		"an address":   {"<https://a.example/x>", "https://a.example/x\n"},
		"no such link": {"[text](javascript:x)", "text (javascript:x)\n"},
		"a rule":       {"a\n\n---\n\nb", "a\n\n" + strings.Repeat("─", 28) + "\n\nb\n"},
		"a table":      {"|a|b|\n|-|-:|\n|x|1|\n|yy|20|", "a  │  b\n───┼───\nx  │  1\nyy │ 20\n"},
		"a wide table": {
			"|name|what it is for|\n|-|-|\n|one|a text that is far too long for this|",
			"name │ what it is for\n─────┼──────────────────────\none  │ a text that is far\n     │ too long for this\n",
		},
		"many columns": {
			"|a|b|c|d|e|f|g|\n|-|-|-|-|-|-|-|\n|1|2|3|4|5|6|7|", "a: 1\nb: 2\nc: 3\nd: 4\ne: 5\nf: 6\ng: 7\n",
		},
		"controls": {
			"a\x1b[31mb\x07 \x1b]8;;http://x\x1b\\c \u202ed \u009b2J", "a␛[31mb␇ ␛]8;;http://x␛\\c\n<U+202E>d <U+009B>2J\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, plain(ansi.Markdown(tc.text, 28))); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// TestADocumentGrows: the lines of all blocks but the last stay as they are.
func TestADocumentGrows(t *testing.T) {
	t.Parallel()
	const text = "# Head\n\nfirst words\n\n- a\n- b\n\n```go\nx := 1\n```\n\n|a|b|\n|-|-|\n|1|2|\n\nthe end of it"
	var before ansi.Document
	for i := range len(text) {
		now := ansi.Markdown(text[:i+1], 40)
		if n := len(before.Ends) - 1; n > 0 {
			was, is := before.Lines[:before.Start(n)], now.Lines[:min(before.Start(n), len(now.Lines))]
			if plain(ansi.Document{Lines: was}) != plain(ansi.Document{Lines: is}) {
				t.Fatalf("behind %q\n%s became\n%s", text[:i+1], plain(ansi.Document{Lines: was}), plain(ansi.Document{Lines: is}))
			}
		}
		before = now
	}
	if n := len(before.Ends); n != 7 {
		t.Errorf("%d blocks", n)
	}
}

func TestColours(t *testing.T) {
	t.Parallel()
	l := ansi.Text("x", ansi.Good)
	for profile, want := range map[colorprofile.Profile]string{
		colorprofile.NoTTY: "x", colorprofile.ASCII: "x", colorprofile.ANSI: "\x1b[32mx\x1b[m",
		colorprofile.ANSI256: "\x1b[38;5;34mx\x1b[m", colorprofile.TrueColor: "\x1b[38;2;31;157;85mx\x1b[m",
	} {
		if got := ansi.NewTheme(profile).Render(&l); got != want {
			t.Errorf("%s: %q, not %q", profile, got, want)
		}
	}
}

// TestADiffIsRedAndGreen, and a line that only looks like one is not.
func TestADiffIsRedAndGreen(t *testing.T) {
	t.Parallel()
	d := ansi.Question("Allow?\n\n```\n= same\n- lost\n+ - gained\n```", 40)
	theme := ansi.NewTheme(colorprofile.ANSI)
	var got []string
	for i := range d.Lines {
		got = append(got, theme.Render(&d.Lines[i]))
	}
	want := []string{"Allow?", "", "  = same", "  \x1b[31m- lost\x1b[m", "  \x1b[32m+ - gained\x1b[m"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestHighlight(t *testing.T) {
	t.Parallel()
	theme := ansi.NewTheme(colorprofile.ANSI)
	for language, tc := range map[string]struct{ code, want string }{
		"go":   {`if x == "a" { // b`, "\x1b[35mif\x1b[m x == \x1b[32m\"a\"\x1b[m { \x1b[2m// b\x1b[m"},
		"py":   {"x = 12 # c", "x = \x1b[33m12\x1b[m \x1b[2m# c\x1b[m"},
		"none": {`if "a" 1`, `if "a" 1`},
		"":     {`- x`, `- x`},
		"diff": {"- x", "\x1b[31m- x\x1b[m"},
	} {
		lines := ansi.Highlight(tc.code, language)
		if got := theme.Render(&lines[0]); got != tc.want || len(lines) != 1 {
			t.Errorf("%s: %q, not %q", language, got, tc.want)
		}
	}
}

// sequences are those that a theme writes: colours, and links to the web.
var sequences = regexp.MustCompile(`\x1b\[[0-9;:]*m|\x1b\]8;;[[:graph:]]*?(\x1b\\|\x07)`)

// FuzzMarkdown: no text controls the terminal, no line is wider than asked for, and no visible
// character is lost.
func FuzzMarkdown(f *testing.F) {
	for _, text := range []string{
		"# a\n\n- b\n  > c\n\n```go\nd\x1b[31m\n```", "|a|你好|\n|-|:-:|\n|1|2|3|", "[x](https://a.example/\x1b]8)",
		"\u202e\u009b\r\x9d👨‍👩‍👧", "&#27;[2J",
		"1. a\n   2. b\n      3. c\n         > > > > d", "<a\x1b>", "![x](mailto:a@b)", "\t\v\f", strings.Repeat("> ", 40) + "x",
	} {
		f.Add(text, uint8(28), uint8(3))
	}
	f.Fuzz(func(t *testing.T, text string, width, profile uint8) {
		wide := max(ansi.MinWidth, int(width))
		theme := ansi.NewTheme(colorprofile.Profile(1 + profile%5))
		for _, d := range []ansi.Document{ansi.Markdown(text, wide), ansi.Question(text, wide)} {
			for i := range d.Lines {
				l := &d.Lines[i]
				if n := l.Columns(); n > wide {
					t.Fatalf("%d columns at %d: %q", n, wide, l.String())
				}
				written := theme.Render(l)
				rest := sequences.ReplaceAllString(written, "")
				if rest != l.String() {
					t.Fatalf("%q is written as %q", l.String(), written)
				}
				if at := strings.IndexFunc(rest, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) }); at >= 0 {
					t.Fatalf("%q lets %q through", text, rest[at:])
				}
			}
			if n := len(d.Ends); n > 0 && d.Ends[n-1] != len(d.Lines) {
				t.Fatalf("the blocks end at %d of %d", d.Ends[n-1], len(d.Lines))
			}
		}
	})
}
