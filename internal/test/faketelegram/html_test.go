package faketelegram_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"parley/internal/test/corpora"
	"parley/internal/test/faketelegram"
)

func TestParseHTML(t *testing.T) {
	t.Parallel()
	type entity = faketelegram.Entity
	tests := map[string]struct {
		in, text string
		want     []entity
	}{
		"plain":                  {"a & b", "a & b", nil},
		"references":             {"&lt;&gt;&amp;&quot;&#33;&#x21;&nbsp;&apos;&#0;", "<>&\"!!&nbsp;&apos;&#0;", nil},
		"references without end": {"&ltb&amp", "&ltb&", nil},
		"tags in capitals":       {"<B>x</b>", "x", []entity{{Type: "bold", Length: 1}}},
		"all styles": {"<strong>a</strong><em>b</em><u>c</u><del>d</del><tg-spoiler>e</tg-spoiler>", "abcde", []entity{
			{Type: "bold", Length: 1},
			{Type: "italic", Offset: 1, Length: 1},
			{Type: "underline", Offset: 2, Length: 1},
			{Type: "strikethrough", Offset: 3, Length: 1},
			{Type: "spoiler", Offset: 4, Length: 1},
		}},
		"offsets are UTF-16 units": {"😀<b>😀</b>", "😀😀", []entity{{Type: "bold", Offset: 2, Length: 2}}},
		"nested":                   {"<b>a<i>b</i></b>", "ab", []entity{{Type: "bold", Length: 2}, {Type: "italic", Offset: 1, Length: 1}}},
		"code with language":       {`<pre><code class="language-go">x</code></pre>`, "x", []entity{{Type: "pre", Length: 1, Language: "go"}}},
		"code without pre":         {`<code class="language-go">x</code>`, "x", []entity{{Type: "code", Length: 1}}},
		"link":                     {`<a href="https://example.org?a=1&amp;b=2">x</a>`, "x", []entity{{Type: "text_link", Length: 1, URL: "https://example.org/?a=1&b=2"}}},
		"a link to nowhere":        {`<a href="javascript:alert(1)">x</a><a href="http://localhost/">y</a>`, "xy", nil},
		"mention":                  {`<a href="tg://user?id=42">x</a>`, "x", []entity{{Type: "text_mention", Length: 1, User: &faketelegram.User{ID: 42}}}},
		"emoji":                    {`<tg-emoji emoji-id="5368324170671202286">x</tg-emoji>`, "x", []entity{{Type: "custom_emoji", Length: 1, CustomEmojiID: "5368324170671202286"}}},
		"quote that opens":         {"<blockquote expandable>x</blockquote>", "x", []entity{{Type: "expandable_blockquote", Length: 1}}},
		"around nothing":           {"<b></b>x", "x", nil},
		"bare greater-than":        {"a > b", "a > b", nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, entities, err := faketelegram.ParseHTML(tc.in)
			if err != nil {
				t.Fatal(err)
			}
			if text != tc.text {
				t.Errorf("text %q, want %q", text, tc.text)
			}
			if diff := cmp.Diff(tc.want, entities); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestParseHTMLRefuses(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"a < b":                       `Unsupported start tag "" at byte offset 2`,
		"<":                           "Unclosed start tag at byte offset 0",
		"<p>x</p>":                    `Unsupported start tag "p" at byte offset 0`,
		"<br/>":                       `Unsupported start tag "br/" at byte offset 0`,
		"<b":                          "Unclosed start tag at byte offset 0",
		"x</b>":                       "Unexpected end tag at byte offset 1",
		"<b>x":                        `Can't find end tag corresponding to start tag "b"`,
		"<b><i>x</b></i>":             `Unmatched end tag at byte offset 7, expected "</i>", found "</b>"`,
		"<b>x</b":                     "Unclosed end tag at byte offset 4",
		"<a href=https://x.org>x</a>": "Unexpected end of name token at byte offset 8",
		"<a href=\"x>x</a>":           "Unclosed start tag at byte offset 0",
		"<a =x>x</a>":                 `Empty attribute name in the tag "a" at byte offset 0`,
		"<a href=":                    `Unclosed start tag "a" at byte offset 0`,
		"<a href":                     `Unclosed start tag "a" at byte offset 0`,
		"<span class=\"x\">x</span>":  `Tag "span" must have class "tg-spoiler" at byte offset 0`,
		"<tg-emoji>x</tg-emoji>":      "Invalid custom emoji identifier specified",
		"<tg-time format=\"x\">x</>":  "Invalid date format used",
		"&#xD800;": "Text contains invalid Unicode characters after decoding HTML entities, check for unmatched " +
			"surrogate code units",
	}
	for in, want := range tests {
		t.Run(in, func(t *testing.T) {
			t.Parallel()
			text, entities, err := faketelegram.ParseHTML(in)
			if err == nil {
				t.Fatalf("accepted as %q %v", text, entities)
			}
			if err.Error() != want {
				t.Errorf("error %q, want %q", err, want)
			}
		})
	}
}

func FuzzParseHTML(f *testing.F) {
	for _, seed := range []string{"<b>x</b>", "<a href='x'>", "&#x1F600;<", "</", "<tg-time unix=1 format=r>x</>", "\x00<b \x00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		text, entities, err := faketelegram.ParseHTML(s)
		if err != nil {
			return
		}
		units := len(utf16.Encode([]rune(text)))
		for _, e := range entities {
			if e.Length <= 0 || e.Offset < 0 || e.Offset+e.Length > units {
				t.Errorf("%+v does not fit %q", e, text)
			}
		}
	})
}

// TestParseHTMLCorpus compares the parser with Telegram's own.
func TestParseHTMLCorpus(t *testing.T) {
	t.Parallel()
	cases := decode[[]struct {
		Function string         `json:"fn"`
		Input    string         `json:"input"`
		OK       bool           `json:"ok"`
		Text     string         `json:"text"`
		Error    string         `json:"error"`
		Entities []corpusEntity `json:"entities"`
		Raw      string         `json:"entities_raw"`
	}](t, corpora.Read(t, "telegram", "tdlib-entity-parse-cases.json"))
	link := regexp.MustCompile(`"(http[^"]*)"`)
	n := 0
	for _, c := range cases {
		if c.Function != "check_parse_html" {
			continue
		}
		n++
		text, entities, err := faketelegram.ParseHTML(c.Input)
		if !c.OK {
			if err == nil || err.Error() != c.Error {
				t.Errorf("%q: error %v, want %q", c.Input, err, c.Error)
			}
			continue
		}
		if err != nil || text != c.Text {
			t.Errorf("%q: text %q and error %v, want %q", c.Input, text, err, c.Text)
			continue
		}
		var got []corpusEntity
		for _, e := range entities {
			got = append(got, corpusEntity{e.Type, e.Offset, e.Length})
			if m := link.FindStringSubmatch(c.Raw); e.URL != "" && (len(m) != 2 || m[1] != e.URL) {
				t.Errorf("%q: link %q in %s", c.Input, e.URL, c.Raw)
			}
			if e.Language != "" && !strings.Contains(c.Raw, e.Language) {
				t.Errorf("%q: language %q in %s", c.Input, e.Language, c.Raw)
			}
		}
		if diff := cmp.Diff(c.Entities, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%q: -want +got\n%s", c.Input, diff)
		}
	}
	if n == 0 {
		t.Error("the material has no cases for HTML")
	}
}

// corpusEntity is an entity as the material writes it, in the Bot API's words.
type corpusEntity struct {
	Type           string
	Offset, Length int
}

func (e *corpusEntity) UnmarshalJSON(b []byte) error {
	words := map[string]string{
		"Bold": "bold", "Italic": "italic", "Underline": "underline", "Strikethrough": "strikethrough",
		"Spoiler": "spoiler", "BlockQuote": "blockquote", "ExpandableBlockQuote": "expandable_blockquote",
		"Code": "code", "Pre": "pre", "PreCode": "pre", "TextUrl": "text_link", "FormattedDate": "date_time",
	}
	var kind string
	err := json.Unmarshal(b, &[]any{&kind, &e.Offset, &e.Length})
	e.Type = words[kind]
	return err
}
