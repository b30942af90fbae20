package markup_test

import (
	"encoding/json"
	"strings"
	"testing"

	"parley/internal/test/corpora"
	"parley/pkg/channels/slack/markup"
	telegram "parley/pkg/channels/telegram/markup"
)

// TestSpecifications writes every case of CommonMark and GFM. The shown text is that of
// Telegram, which is held against the HTML of each case; links aside, of which each
// platform hides other targets.
func TestSpecifications(t *testing.T) {
	t.Parallel()
	for _, file := range []string{
		"commonmark-0.31-spec-tests.json", "cmark-gfm-spec.json", "cmark-gfm-extensions.json", "cmark-gfm-regression.json",
	} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			var cases []struct {
				Markdown string `json:"markdown"`
				Number   int    `json:"example"`
			}
			if err := json.Unmarshal(corpora.Read(t, "markdown", file), &cases); err != nil || len(cases) == 0 {
				t.Fatal(len(cases), err)
			}
			for _, c := range cases {
				got := check(t, c.Markdown)
				want := letters(telegram.Plain(strings.Join(telegram.Render(c.Markdown, 4096), "")))
				if got != want && !within(want, got) && !strings.ContainsAny(c.Markdown, "[:@") {
					t.Errorf("case %d\n%s\ngot:  %s\nwant: %s", c.Number, c.Markdown, got, want)
				}
				for _, part := range markup.Split(c.Markdown) {
					if again := markup.Block(markup.Block(part)); letters(again) != letters(markup.Block(part)) {
						t.Errorf("case %d: a block written again has other words\n%q\n%q", c.Number, markup.Block(part), again)
					}
				}
			}
		})
	}
}
