package console_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"parley/pkg/channels/console"
)

func TestSanitize(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, in, want string }{
		{"plain", "Grüße, 你好\tand\n**Markdown** 👨‍👩‍👧", "Grüße, 你好\tand\n**Markdown** 👨‍👩‍👧"},
		{"colour", "\x1b[31mred\x1b[0m", "␛[31mred␛[0m"},
		{"title", "\x1b]0;owned\x07", "␛]0;owned␇"},
		{"link", "\x1b]8;;http://x\x1b\\text", "␛]8;;http://x␛\\text"},
		{"overwrite", "honest\rforged", "honest␍forged"},
		{"line break of two bytes", "a\r\nb", "a\nb"},
		{"at the end", "a\r", "a␍"},
		{"backspace", "ab\bc", "ab␈c"},
		{"C1 as UTF-8", "\u009b31m\u0085\u009d", "<U+009B>31m<U+0085><U+009D>"},
		{"C1 as bytes", "\x9b31m", "\uFFFD31m"},
		{"DEL and NUL", "\x7f\x00", "␡␀"},
		{"bidi", "\u202egnp.exe\u2066\u200f\u061c", "<U+202E>gnp.exe<U+2066><U+200F><U+061C>"},
		{"line separators", "a\u2028b\u2029c", "a<U+2028>b<U+2029>c"},
		{"invalid", "a\xff\xed\xa0\x80b\xe2\x82", "a\uFFFD\uFFFD\uFFFD\uFFFDb\uFFFD"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := console.Sanitize(tc.in); got != tc.want {
				t.Errorf("Sanitize(%q) = %q, want %q", tc.in, got, tc.want)
			}
		})
	}
}

func FuzzSanitize(f *testing.F) {
	f.Add("\x1b[31m\u009b\r\n\xff\u202e\xe2\x82", uint8(2))
	f.Fuzz(func(t *testing.T, text string, cut uint8) {
		got := console.Sanitize(text)
		if bad := unsafe(got); bad >= 0 {
			t.Fatalf("Sanitize(%q) = %q lets %U through", text, got, bad)
		}
		if safe := unsafe(text) < 0 && utf8.ValidString(text); safe && got != text {
			t.Fatalf("Sanitize(%q) = %q changes what is safe", text, got)
		}
		at := min(int(cut), len(text))
		if pieces := console.SanitizePieces(text[:at], text[at:]); pieces != got {
			t.Fatalf("cut at %d of %q: %q, whole: %q", at, text, pieces, got)
		}
	})
}

// unsafe is the first code point of text that a terminal may act on, or -1.
func unsafe(text string) rune {
	for _, r := range text {
		if r != '\n' && r != '\t' && unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return r
		}
	}
	if i := strings.IndexAny(text, "\u2028\u2029\ufff9\ufffa\ufffb"); i >= 0 {
		r, _ := utf8.DecodeRuneInString(text[i:])
		return r
	}
	return -1
}
