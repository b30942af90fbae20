package markup_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"parley/internal/test/faketelegram"
	"parley/pkg/channels/telegram/markup"
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

// check renders md and reports parts that Telegram would refuse; it returns the text of
// the parts, one after the other.
func check(t tester, md string, limit int) string {
	t.Helper()
	var shown strings.Builder
	for i, part := range markup.Render(md, limit) {
		text, entities, err := faketelegram.ParseHTML(part)
		if err != nil {
			t.Errorf("limit %d: part %d is refused: %v\n%q", limit, i, err, part)
			continue
		}
		if got := markup.Plain(part); got != text {
			t.Errorf("limit %d: Plain of part %d is %q, Telegram shows %q", limit, i, got, text)
		}
		if n := markup.Units(text); n > limit && utf8.RuneCountInString(text) > 1 {
			t.Errorf("limit %d: part %d shows %d units: %q", limit, i, n, text)
		}
		if most := max(6*limit, 4096); len(part) > most {
			t.Errorf("limit %d: part %d takes %d bytes, more than %d", limit, i, len(part), most)
		}
		if blank(text) || !utf8.ValidString(text) {
			t.Errorf("limit %d: part %d is blank or not UTF-8: %q", limit, i, part)
		}
		if links := faketelegram.AutoLinks(text, entities); len(links) > 0 {
			t.Errorf("limit %d: part %d has links that lead elsewhere than to the web: %+v\n%q", limit, i, links, part)
		}
		if len(entities) > 100 {
			t.Errorf("limit %d: part %d has %d entities", limit, i, len(entities))
		}
		checkNesting(t, part, entities)
		shown.WriteString(text)
	}
	return shown.String()
}

// blank is whether Telegram would say that the message is empty.
func blank(text string) bool {
	return strings.TrimFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune("\u180E\u200B\u200C\u200D\u200E\u200F\u2800\uFEFF\uFFFC", r)
	}) == ""
}

// checkNesting holds entities against the rules that the Bot API's documentation
// states: code touches no entity but quotations, a quotation holds no other, and a link
// no other.
func checkNesting(t tester, part string, entities []faketelegram.Entity) {
	t.Helper()
	for i, outer := range entities {
		for _, inner := range entities[i+1:] {
			if inner.Offset >= outer.Offset+outer.Length {
				continue
			}
			a, b := outer.Type, inner.Type
			isCode := a == "pre" || a == "code" || b == "pre" || b == "code"
			if inner.Offset+inner.Length > outer.Offset+outer.Length || a == b || b == "blockquote" || isCode && a != "blockquote" {
				t.Errorf("%s lies in %s: %q", b, a, part)
			}
		}
	}
}

// squeeze drops white space and invisible characters.
func squeeze(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, s)
}

// within says whether all of sub is in s in its order, with something between perhaps.
func within(sub, s string) bool {
	rest := []rune(sub)
	for _, r := range s {
		if len(rest) > 0 && rest[0] == r {
			rest = rest[1:]
		}
	}
	return len(rest) == 0
}

// letters drops all but letters and digits.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsNumber(r) {
			return r
		}
		return -1
	}, s)
}
