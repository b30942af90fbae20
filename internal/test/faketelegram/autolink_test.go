package faketelegram_test

import (
	"slices"
	"testing"
	"unicode/utf16"
)

// TestAutoLinks sends texts and looks at which links Telegram makes by itself.
func TestAutoLinks(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		html string
		want []string
	}{
		"with a path":            {"😀 tg://user?id=1.", []string{"tg://user?id=1"}},
		"in any case":            {"a TON://b_c/d) e", []string{"TON://b_c/d)"}},
		"within a word":          {"xtonsite://a", []string{"tonsite://a"}},
		"under formatting":       {"<b>t</b>g://<i>a</i>", []string{"tg://a"}},
		"several":                {"tg://a ftp://b.c", []string{"tg://a", "ftp://b.c"}},
		"without a host":         {"tg:// a", nil},
		"to the web":             {"https://a.org", nil},
		"code":                   {"<code>tg://a</code> <pre>b tg://c</pre>", nil},
		"code over a part of it": {"(<code>tg://a?b</code>)", nil},
		"linked already":         {`<a href="https://a.org">tg://a</a>`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			if r := w.send("sendMessage", w.chat, "text", tc.html, "parse_mode", "HTML"); r.Code != 0 {
				t.Fatalf("%+v", r)
			}
			m := w.chat.Messages()[0]
			units := utf16.Encode([]rune(m.Text))
			var got []string
			for _, e := range m.Entities {
				if e.Type == "url" {
					got = append(got, string(utf16.Decode(units[e.Offset:e.Offset+e.Length])))
				}
			}
			if !slices.Equal(got, tc.want) {
				t.Errorf("links %q, want %q", got, tc.want)
			}
		})
	}
}
