package console

import "testing"

func TestFold(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text  string
		width int
		want  string
	}{
		{"", 10, ""},
		{"one two three", 7, "one two\nthree"},
		{"one two three", 13, "one two three"},
		{"one two three", 12, "one two\nthree"},
		{"one two\nthree four", 9, "one two\nthree\nfour"},
		{"see /a/very/long/path there", 8, "see\n/a/very/long/path\nthere"},
		{"東京 東京 東京", 9, "東京 東京\n東京"},
		{"a  b", 80, "a  b"},
		{"a\n\nb", 1, "a\n\nb"},
	} {
		if got := fold(c.text, c.width); got != c.want {
			t.Errorf("%q at %d: %q, want %q", c.text, c.width, got, c.want)
		}
	}
}
