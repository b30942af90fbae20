package visible_test

import (
	"encoding/json"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"parley/pkg/visible"
)

func TestVisible(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ in, want string }{
		"plain": {
			"rm -rf ./Grüße && echo '你好' | tee a\\b\n  日本 עברית हिन्दी ไทย 👍🏽 → ✓",
			"rm -rf ./Grüße && echo '你好' | tee a\\b\n  日本 עברית हिन्दी ไทย 👍🏽 → ✓",
		},
		"overwritten by a return":     {"harmless\rrm -rf /", `harmless\u{d}rm -rf /`},
		"line break of two bytes":     {"a\r\nb", "a\\u{d}\nb"},
		"colours and a title":         {"\x1b[8mhidden\x1b[0m\x1b]0;t\x07", `\u{1b}[8mhidden\u{1b}[0m\u{1b}]0;t\u{7}`},
		"backspaces":                  {"rm\b\bls", `rm\u{8}\u{8}ls`},
		"NUL, DEL and C1":             {"a\x00b\x7fc\u009b31m\u0085", `a\u{0}b\u{7f}c\u{9b}31m\u{85}`},
		"tab":                         {"a\tb", `a\u{9}b`},
		"override":                    {"\u202egnp.exe\u202c", `\u{202e}gnp.exe\u{202c}`},
		"isolates and marks":          {"\u2066a\u2069\u200e\u200f\u061c", `\u{2066}a\u{2069}\u{200e}\u{200f}\u{61c}`},
		"zero width":                  {"a\u200bb\u200c\u200d\u2060\ufeffc", `a\u{200b}b\u{200c}\u{200d}\u{2060}\u{feff}c`},
		"soft hyphen and fillers":     {"a\u00adb\u115f\u3164\uffa0\u2800\u180e", `a\u{ad}b\u{115f}\u{3164}\u{ffa0}\u{2800}\u{180e}`},
		"tags and selectors":          {"x\U000e0041\U000e0100\ufe0f", `x\u{e0041}\u{e0100}\u{fe0f}`},
		"spaces that look like one":   {"a\u00a0b\u2003c\u3000d\u1680e\u202ff", `a\u{a0}b\u{2003}c\u{3000}d\u{1680}e\u{202f}f`},
		"line and paragraph ends":     {"a\u2028b\u2029c\vd\fe", `a\u{2028}b\u{2029}c\u{b}d\u{c}e`},
		"private and unassigned":      {"\ue000\U000f0000\u0378\ufdd0\U0010ffff", `\u{e000}\u{f0000}\u{378}\u{fdd0}\u{10ffff}`},
		"not UTF-8":                   {"a\xff\xc0\xaf\xed\xa0\x80\xe2\x82", `a\x{ff}\x{c0}\x{af}\x{ed}\x{a0}\x{80}\x{e2}\x{82}`},
		"drawn over":                  {"safe\u0336\u0338 e\u0301 \u20dd", `safe\u{336}\u{338} e\u{301} \u{20dd}`},
		"piled up":                    {"ก" + strings.Repeat("\u0e49", 6), "ก" + strings.Repeat("\u0e49", 4) + `\u{e49}\u{e49}`},
		"a mark on nothing":           {"1\u0e49", `1\u{e49}`},
		"an escape that is text":      {`\u{202e} \x{ff} \u{ \x{ \u \x \\u{5c}`, `\u{5c}u{202e} \u{5c}x{ff} \u{5c}u{ \u{5c}x{ \u \x \\u{5c}u{5c}`},
		"spaces that end lines":       {"a \n  \nb  ", "a\\u{20}\n \\u{20}\nb \\u{20}"},
		"line ends that end the text": {"\n\na\n\nb\n\n", `\u{a}\u{a}` + "a\n\nb" + `\u{a}\u{a}`},
		"eight blanks":                {"a" + strings.Repeat(" ", 8) + "b\n  c", "a        b\n  c"},
		"nine blanks":                 {"a" + strings.Repeat(" ", 9) + "b", `a\u{20}×9b`},
		"blanks before a digit":       {"a" + strings.Repeat(" ", 9) + "5 6", `a\u{20}×9\u{35} 6`},
		"blanks before a count":       {"a" + strings.Repeat(" ", 3500) + `\u{20}×9`, `a\u{20}×3500\u{5c}u{20}×9`},
		"an indent":                   {strings.Repeat(" ", 40) + "a\n" + strings.Repeat(" ", 41) + "b", strings.Repeat(" ", 40) + "a\n" + `\u{20}×41b`},
		"a far indent":                {strings.Repeat(" ", 3500) + "rm", `\u{20}×3500rm`},
		"a tab and blanks":            {"\t" + strings.Repeat(" ", 9) + "x", `\u{9}\u{20}×9x`},
		"blanks that end a line":      {"a" + strings.Repeat(" ", 9) + "\nb" + strings.Repeat(" ", 20), `a\u{20}×9` + "\n" + `b\u{20}×20`},
		"eight line ends":             {"a" + strings.Repeat("\n", 8) + "b", "a" + strings.Repeat("\n", 8) + "b"},
		"nine line ends":              {"a" + strings.Repeat("\n", 9) + "5", `a\u{a}×9` + "\n5"},
		"line ends and an indent":     {"a" + strings.Repeat("\n", 900) + strings.Repeat(" ", 9) + "b", `a\u{a}×900` + "\n         b"},
		"a count that is text":        {"\n×9\nb", `\u{a}\u{d7}9` + "\nb"},
		"nothing but line ends":       {"\n\n", `\u{a}\u{a}`},
		"nothing":                     {"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := visible.Text(tc.in); got != tc.want {
				t.Errorf("Text(%q)\n got %s\nwant %s", tc.in, got, tc.want)
			}
			checkVisible(t, tc.in)
		})
	}
}

// TestVisibleJSON: the value stays, and what turns or hides others is an escape.
func TestVisibleJSON(t *testing.T) {
	t.Parallel()
	raw := "{\n \"a\": \"x\u202ey\u200b\u007f\U000e0041é\ufffd\"}"
	got := visible.JSON(raw)
	if want := "{\n \"a\": \"x\\u202ey\\u200b\\u007f\\udb40\\udc41é\ufffd\"}"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	var before, after any
	if json.Unmarshal([]byte(raw), &before) != nil || json.Unmarshal([]byte(got), &after) != nil || !reflect.DeepEqual(before, after) {
		t.Errorf("%q means %v, before %v", got, after, before)
	}
}

// TestVisibleEveryCodePoint goes through all that there is where code points are
// assigned, and through some of the rest.
func TestVisibleEveryCodePoint(t *testing.T) {
	t.Parallel()
	const many = 1000
	var text strings.Builder
	for r, n := rune(0), 0; r <= unicode.MaxRune; r++ {
		assigned := r < 0x20000 || r>>12 == 0xe0
		if !utf8.ValidRune(r) || !assigned && r%257 != 0 {
			continue
		}
		text.WriteString("a" + string(r) + "b")
		if n++; n%many == 0 {
			checkVisible(t, text.String())
			text.Reset()
		}
	}
	checkVisible(t, text.String())
	for b := range 256 {
		checkVisible(t, "a"+string([]byte{byte(b)})+"b")
	}
}

func FuzzVisible(f *testing.F) {
	f.Add("a\u202e\\u{41}\xff \n```\n\n")
	f.Fuzz(checkVisible)
}

func checkVisible(t *testing.T, s string) {
	t.Helper()
	got := visible.Text(s)
	if back := invisible(got); back != s {
		t.Fatalf("%q became %q, which says %q", s, got, back)
	}
	var before rune
	for i, r := range got {
		_, size := utf8.DecodeRuneInString(got[i:])
		bad := r == utf8.RuneError && size == 1 || r != '\n' && !unicode.IsPrint(r) ||
			unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Bidi_Control,
				unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point) ||
			unicode.IsSpace(r) && r != ' ' && r != '\n' || r == '\n' && before == ' '
		if bad {
			t.Fatalf("%q became %q, with %U in it", s, got, r)
		}
		before = r
	}
	if got != strings.TrimSpace(got) && !strings.HasPrefix(s, " ") {
		t.Fatalf("%q became %q, which is trimmed", s, got)
	}
}

var escape = regexp.MustCompile(`\\u\{[0-9a-f]+\}|\\x\{[0-9a-f]{2}\}`)

// counted is a run of blanks or line ends.
var counted = regexp.MustCompile(`\\u\{20\}×[0-9]+|\\u\{a\}×[0-9]+\n`)

// invisible takes the escapes out again.
func invisible(s string) string {
	s = counted.ReplaceAllStringFunc(s, func(c string) string {
		mark, number, _ := strings.Cut(strings.TrimSuffix(c, "\n"), "×")
		n, err := strconv.Atoi(number)
		if err != nil {
			return c
		}
		return strings.Repeat(mark, n)
	})
	return escape.ReplaceAllStringFunc(s, func(e string) string {
		n, err := strconv.ParseUint(e[3:len(e)-1], 16, 32)
		switch {
		case err != nil:
			return e
		case e[1] == 'x':
			return string([]byte{byte(n)})
		default:
			return string(rune(n))
		}
	})
}

func TestVerbatimCannotBeEnded(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"a":                 "```\na\n```",
		"a\n```\n# b":       "````\na\n```\n# b\n````",
		"`` ````` `\n~~~\n": "``````\n`` ````` `\n~~~\\u{a}\n``````",
	} {
		if got := visible.Verbatim(in); got != want {
			t.Errorf("Verbatim(%q) = %q, want %q", in, got, want)
		}
	}
}
