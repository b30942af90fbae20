package markup_test

import (
	"html"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"

	"parley/pkg/channels/slack/markup"
)

// most is how many code points a part may have, escaped.
const most = 3900

var (
	angles    = regexp.MustCompile(`<[^>]*>?`)
	goodLink  = regexp.MustCompile(`^<(https?://|mailto:)[^<>|\s]+(\|[^<>|\n]+)?>$`)
	reference = regexp.MustCompile(`(?i)<(@|#|!(channel|here|everyone|group|subteam|date)).{0,20}`)
	tags      = regexp.MustCompile(`<[^>]*>`)
	links     = regexp.MustCompile(`<([^|>]*)\|?([^>]*)>`)

	usual = goldmark.New(goldmark.WithExtensions(extension.GFM))
)

// tester has the methods that a test, a fuzz test and a property share.
type tester interface {
	Helper()
	Errorf(format string, args ...any)
}

var (
	_ tester = (*testing.T)(nil)
	_ tester = (*testing.F)(nil)
)

// check cuts md and reports parts that Slack would refuse; it returns the words of the
// parts, one after the other.
func check(t tester, md string) string {
	t.Helper()
	var shown strings.Builder
	for i, part := range markup.Split(md) {
		block, own := markup.Block(part), markup.Mrkdwn(part)
		for name, s := range map[string]string{"part": part, "block": block, "mrkdwn": own} {
			if n := utf8.RuneCountInString(s); n > most {
				t.Errorf("%s %d has %d code points: %.200q", name, i, n, s)
			}
			if blank(s) || !utf8.ValidString(s) || strings.Contains(s, "\x00") {
				t.Errorf("%s %d is blank or no text: %q", name, i, s)
			}
		}
		checkSafe(t, block, own)
		a, b := letters(shownBlock(t, block)), letters(shownOwn(own))
		if !fold(a, b) {
			t.Errorf("part %d\n%q\nshows another text in a block\n%q\n%s\nthan in mrkdwn\n%q\n%s", i, part, block, a, own, b)
		}
		shown.WriteString(a)
	}
	return shown.String()
}

// fold compares the rest of two texts; a table shows its links once more.
func fold(block, own string) bool { return block == own || within(block, own) }

// checkSafe looks for whatever could notify somebody.
func checkSafe(t tester, block, own string) {
	t.Helper()
	for _, link := range angles.FindAllString(own, -1) {
		if !goodLink.MatchString(link) {
			t.Errorf("mrkdwn has the reference %q: %q", link, own)
		}
	}
	views := []string{block, html.UnescapeString(block), html.UnescapeString(html.UnescapeString(block))}
	for _, view := range views {
		for _, v := range []string{view, strings.ReplaceAll(view, `\`, "")} {
			if m := reference.FindString(v); m != "" {
				t.Errorf("a block has the reference %q: %q", m, block)
			}
		}
	}
}

// blank is whether the message shows no text.
func blank(text string) bool {
	return strings.TrimFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) || strings.ContainsRune("\u2800\uFEFF\uFFFC", r)
	}) == ""
}

// shownBlock is the text that standard Markdown shows, by a reader with the usual rules.
func shownBlock(t tester, block string) string {
	t.Helper()
	var page strings.Builder
	if err := usual.Convert([]byte(block), &page); err != nil {
		t.Errorf("goldmark: %v", err)
	}
	if strings.Contains(page.String(), "<img") || strings.Contains(page.String(), "omitted") {
		t.Errorf("a block has an image or raw HTML: %q", block)
	}
	return strings.ReplaceAll(html.UnescapeString(tags.ReplaceAllString(page.String(), "")), "\u200B", "")
}

// shownOwn is the text that Slack's own markup shows.
func shownOwn(s string) string {
	s = links.ReplaceAllStringFunc(s, func(link string) string {
		target, label, found := strings.Cut(link[1:len(link)-1], "|")
		if found {
			return label
		}
		return target
	})
	s = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&").Replace(s)
	return strings.ReplaceAll(s, "\u200B", "")
}

// letters drops all but letters.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) {
			return r
		}
		return -1
	}, s)
}

// within says whether all of sub is in s in its order, with something between perhaps.
func within(sub, s string) bool {
	for _, r := range s {
		if first, n := utf8.DecodeRuneInString(sub); n > 0 && first == r {
			sub = sub[n:]
		}
	}
	return sub == ""
}
