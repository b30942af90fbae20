package markup_test

import (
	"strings"
	"testing"

	"parley/pkg/channels/slack/markup"
)

// TestHugeHostile writes texts that take careless writers for ever. That it ends is all
// that is said of the time.
func TestHugeHostile(t *testing.T) {
	t.Parallel()
	const n = 1 << 17
	repeat := func(s string) string { return strings.Repeat(s, n/len(s)) }
	var ticks, quotes strings.Builder
	for i := 1; ticks.Len() < n; i++ {
		ticks.WriteString(strings.Repeat("`", i) + " ")
		quotes.WriteString(strings.Repeat(">", i%100) + "a\n")
	}
	for name, md := range map[string]string{
		"<":                    repeat("<"),
		"references":           repeat("<!here> "),
		"quotation marks":      repeat(">"),
		"quotations that grow": quotes.String(),
		"backticks that grow":  ticks.String(),
		"stars":                repeat("*a **a "),
		"bold words":           repeat("**a** *b* "),
		"bold paragraphs":      repeat("**a** b\n\n"),
		"brackets":             repeat("[a]("),
		"links":                repeat("[a](http://b.c) "),
		"nested lists":         repeat("- "),
		"items":                repeat("- **a** `b`\n"),
		"lists in quotations":  repeat("> - a\n"),
		"table":                "|a|b|\n|-|-|\n" + repeat("|**c**|`d`|\n"),
		"tables":               repeat("|a|\n|-|\n|b|\n\n"),
		"one long target":      "[a]: http://a.b/" + strings.Repeat("c", 900) + "\n\n" + repeat("[a] "),
		"entities":             repeat("&amp;"),
		"marks":                repeat("_*~`"),
		"callers":              repeat("@here "),
		"empty fences":         repeat("```\n```\n"),
		"lines":                repeat("a\n"),
		"hard lines":           repeat("a  \n"),
		"numbers":              repeat("1. a\n"),
		"spaces":               "a" + repeat(" ") + "b",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			parts := markup.Split(md)
			if len(parts) == 0 || len(parts) > 4*n/1000 {
				t.Errorf("%d parts", len(parts))
			}
			for i := range min(len(parts), 3) {
				check(t, parts[i])
			}
			for _, s := range []string{markup.Block(md), markup.Mrkdwn(md)} {
				if s == "" || len(s) > 64*n {
					t.Errorf("%d bytes", len(s))
				}
			}
		})
	}
}
