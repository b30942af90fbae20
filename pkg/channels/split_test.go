package channels_test

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"parley/pkg/channels"
)

func utf16Len(s string) int {
	n := 0
	for _, r := range s {
		n += utf16.RuneLen(r)
	}
	return n
}

func byteLen(s string) int { return len(s) }

func TestSplitTextCutsWhereAReaderWould(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, text string
		limit      int
		length     func(string) int
		want       []string
	}{
		{"nothing", "", 10, nil, nil},
		{"blank", " \n\t ", 10, nil, nil},
		{"fits as it is", " a b \n", 10, nil, []string{" a b \n"}},
		{"no limit", strings.Repeat("x ", 50), 0, nil, []string{strings.Repeat("x ", 50)}},
		{"paragraph before line", "one two\n\nthree\nfour five", 18, nil, []string{"one two", "three\nfour five"}},
		{"line before sentence", "one. two\nthree. four", 17, nil, []string{"one. two", "three. four"}},
		{"sentence before word", "One two. Three four five", 18, nil, []string{"One two.", "Three four five"}},
		{"quoted sentence", `He said "no." Then he left`, 18, nil, []string{`He said "no."`, "Then he left"}},
		{"sentence without spaces", "你好吗。我很好谢谢", 6, nil, []string{"你好吗。", "我很好谢谢"}},
		{"word", "alpha beta gamma", 11, nil, []string{"alpha beta", "gamma"}},
		{"a break too early is not worth it", "a\n\nbcdefgh ijklmnop qrst", 20, nil, []string{"a\n\nbcdefgh ijklmnop", "qrst"}},
		{"no-break space holds", "aaa bb\u00a0cc", 8, nil, []string{"aaa", "bb\u00a0cc"}},
		{"one long word", "abcdefghij", 4, nil, []string{"abcd", "efgh", "ij"}},
		{"indentation of the next line stays", "- one\n  - two\n  - three", 14, nil, []string{"- one\n  - two", "  - three"}},
		{"surrogate pairs count two", "😀😀😀", 4, utf16Len, []string{"😀😀", "😀"}},
		{"a family stays together", "ab👨‍👩‍👧cd", 6, nil, []string{"ab", "👨‍👩‍👧c", "d"}},
		{"flags stay together", "🇫🇷🇩🇪🇯🇵", 3, nil, []string{"🇫🇷", "🇩🇪", "🇯🇵"}},
		{"accents stay with their letters", "ae\u0301io", 2, nil, []string{"a", "e\u0301", "io"}},
		{"a code point above the limit comes alone", "😀a", 1, utf16Len, []string{"😀", "a"}},
		{
			"fence with language", "```go\nline one\nline two\nline three\n```\nend", 30, nil,
			[]string{"```go\nline one\nline two\n```", "```go\nline three\n```\nend"},
		},
		{
			"indented code line stays", "```\nfor x {\n        call()\n}\n```", 24, nil,
			[]string{"```\nfor x {\n```", "```\n        call()\n}\n```"},
		},
		{
			"a late fence goes as a whole", "some words here, yes\n```\ncode\nmore\n```", 30, nil,
			[]string{"some words here, yes", "```\ncode\nmore\n```"},
		},
		{
			"a fence longer than three", "````\n```\ninner\n```\nouter line\n````", 28, nil,
			[]string{"````\n```\ninner\n```\n````", "````\nouter line\n````"},
		},
		{"tildes", "~~~\naaaa bbbb\ncccc dddd\n~~~", 20, nil, []string{"~~~\naaaa bbbb\n~~~", "~~~\ncccc dddd\n~~~"}},
		{"fence lines too large for the limit are text", "```\nabc def\n```", 8, nil, []string{"```", "abc def", "```"}},
		{"inline backticks are no fence", "use ```x``` here and ```y``` there", 20, nil, []string{"use ```x``` here and", "```y``` there"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got := channels.SplitText(tc.text, tc.limit, tc.length)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("parts (-want +got):\n%s", diff)
			}
			if msg := violation(tc.text, tc.limit, tc.length, got); msg != "" {
				t.Error(msg)
			}
		})
	}
}

func TestSplitTextOfHugeInput(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"one word of 100,000 characters": strings.Repeat("x", 100_000),
		"4,096 emoji":                    strings.Repeat("😀", 4096),
		"1 MiB of words":                 strings.Repeat("word ", 1<<20/5),
		"1 MiB of spaces in a word":      "a" + strings.Repeat(" ", 1<<20) + "b",
		"1 MiB of line breaks in code":   "```\na" + strings.Repeat("\n", 1<<20) + "b\n```",
		"one grapheme of 1 MiB":          "a" + strings.Repeat("\u0301", 1<<19),
		"fences only":                    strings.Repeat("```\n", 50_000),
		"backticks only":                 strings.Repeat("`", 100_000),
		"invalid bytes":                  strings.Repeat("\x80", 100_000),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			parts := channels.SplitText(text, 4096, utf16Len)
			if msg := violation(text, 4096, utf16Len, parts); msg != "" {
				t.Error(msg)
			}
		})
	}
}

func TestSplitTextKeepsItsWord(t *testing.T) {
	t.Parallel()
	pieces := []string{
		"a", "word", "Sentence end. ", " ", "\n", "\n\n", "  ", "\t", "```\n", "```go\n", "\n```\n", "~~~\n", "````x\n", "    ", "`", "```",
		"😀", "👨‍👩‍👧", "🇫🇷", "e\u0301", "。", "\u00a0", "\u200d", "\x80", "\xed\xa0\x80", "\r\n", "*", "abcdefghijklmnopqrstuvwxyz",
	}
	rapid.Check(t, func(rt *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 60).Draw(rt, "pieces"), "")
		limit := rapid.IntRange(1, 60).Draw(rt, "limit")
		length := rapid.SampledFrom([]func(string) int{nil, utf16Len, byteLen}).Draw(rt, "length")
		if msg := violation(text, limit, length, channels.SplitText(text, limit, length)); msg != "" {
			rt.Fatal(msg)
		}
	})
}

func FuzzSplitText(f *testing.F) {
	f.Add("```go\nfunc main() {}\n```\n\ntext", 12)
	f.Add("👨‍👩‍👧 e\u0301 \r\n~~~\n\n~~~ x", 3)
	f.Fuzz(func(t *testing.T, text string, limit int) {
		if limit < 1 || limit > 1<<16 || len(text) > 1<<14 {
			t.Skip()
		}
		if msg := violation(text, limit, utf16Len, channels.SplitText(text, limit, utf16Len)); msg != "" {
			t.Fatal(msg)
		}
	})
}

// violation says which promise of SplitText the parts break, "" for none.
func violation(text string, limit int, length func(string) int, parts []string) string {
	if length == nil {
		length = utf8.RuneCountInString
	}
	for _, p := range parts {
		if strings.TrimSpace(p) == "" {
			return "a part is blank"
		}
		if limit > 0 && length(p) > limit && len(parts) > 1 && utf8.RuneCountInString(p) > 1 {
			return "a part is too long: " + p
		}
		if utf8.ValidString(text) && !utf8.ValidString(p) {
			return "a code point is cut: " + p
		}
	}
	if !follows(text, parts, map[[2]int]bool{}) {
		return "something of the text is lost or added"
	}
	return ""
}

// follows says whether the parts, with or without a first and a last fence line,
// follow one another in text with white space between them.
func follows(text string, parts []string, seen map[[2]int]bool) bool {
	text = strings.TrimLeftFunc(text, unicode.IsSpace)
	if len(parts) == 0 {
		return text == ""
	}
	key := [2]int{len(text), len(parts)}
	if seen[key] {
		return false
	}
	seen[key] = true
	for _, body := range bodies(parts[0]) {
		if rest, ok := strings.CutPrefix(text, body); ok && follows(rest, parts[1:], seen) {
			return true
		}
	}
	return false
}

func bodies(part string) []string {
	all := []string{part}
	if first, rest, ok := strings.Cut(part, "\n"); ok && isFenceLine(first) {
		all = append(all, rest)
	}
	for _, p := range slices.Clip(all) {
		if i := strings.LastIndexByte(p, '\n'); i >= 0 && isFenceLine(p[i:]) {
			all = append(all, p[:i])
		}
	}
	for i := range all {
		all[i] = strings.TrimSpace(all[i])
	}
	return all
}

func isFenceLine(s string) bool {
	s = strings.TrimSpace(s)
	return strings.HasPrefix(s, "```") || strings.HasPrefix(s, "~~~")
}
