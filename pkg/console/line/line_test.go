package line_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/clipperhouse/uax29/v2/graphemes"
	"github.com/google/go-cmp/cmp"

	"parley/pkg/console/line"
)

// show shows a text as it is.
func show(text string) (string, int) { return text, ansi.StringWidth(text) }

// rows are the rows of a line, with a bar at the cursor.
func rows(l *line.Line, width int) []string {
	layout := l.Rows(width, show)
	var all []string
	for i, row := range layout.Rows {
		var b strings.Builder
		for j, c := range row {
			if i == layout.Row && j == layout.Cell {
				b.WriteString("|")
			}
			b.WriteString(c.Text)
		}
		if i == layout.Row && layout.Cell == len(row) {
			b.WriteString("|")
		}
		all = append(all, b.String())
	}
	return all
}

func TestKeys(t *testing.T) {
	t.Parallel()
	left, right := func(l *line.Line) { l.Go(line.Left) }, func(l *line.Line) { l.Go(line.Right) }
	back := func(l *line.Line) { l.Erase(line.Left) }
	wordLeft := func(l *line.Line) { l.Go(line.WordLeft) }
	type step = func(*line.Line)
	for name, tc := range map[string]struct {
		text  string
		steps []step
		want  string
	}{
		"a character of many code points": {"a👨‍👩‍👧b", []step{left, back}, "a|b"},
		"a letter and its mark":           {"e\u0301x", []step{left, back}, "|x"},
		"a mark that is typed alone":      {"e", []step{func(l *line.Line) { l.Insert("\u0301") }, left, right, back}, "|"},
		"a flag":                          {"🇩🇪🇫🇷", []step{back}, "🇩🇪|"},
		"words":                           {"one two-three", []step{wordLeft, wordLeft}, "one |two-three"},
		"a word goes":                     {"one two  ", []step{func(l *line.Line) { l.Cut(line.WordLeft) }}, "one |"},
		"and comes back": {"one two", []step{
			func(l *line.Line) { l.Cut(line.WordLeft) }, func(l *line.Line) { l.Go(line.First) }, (*line.Line).Yank,
		}, "two|one "},
		"undo": {"one", []step{
			func(l *line.Line) { l.Insert(" ") }, func(l *line.Line) { l.Insert("t") }, func(l *line.Line) { l.Insert("w") }, (*line.Line).Undo,
		}, "one |"},
		"a file is one": {"see ", []step{
			func(l *line.Line) { l.Put(line.Item{Text: "@a.txt", Label: "@a.txt", File: "/x/a.txt"}) }, left, right,
		}, "see @a.txt|"},
		"and goes at once": {"see ", []step{
			func(l *line.Line) { l.Put(line.Item{Text: "@a.txt", Label: "@a.txt", File: "/x/a.txt"}) }, back,
		}, "see |"},
		"completed": {"see @not", []step{func(l *line.Line) { l.Complete(4, "@notes/") }}, "see @notes/|"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var l line.Line
			l.Insert(tc.text)
			for _, do := range tc.steps {
				do(&l)
			}
			if diff := cmp.Diff([]string{tc.want}, rows(&l, 80)); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestRows(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		text  string
		width int
		want  []string
	}{
		"none":          {"", 10, []string{"|"}},
		"words":         {"one two three", 10, []string{"one two ", "three|"}},
		"a long word":   {"abcdefghijkl", 10, []string{"abcdefghij", "kl|"}},
		"wide":          {"你好你好你好", 9, []string{"你好你好", "你好|"}},
		"a full row":    {"abcde", 5, []string{"abcde", "|"}},
		"line ends":     {"a\n\nb\n", 10, []string{"a", "", "b", "|"}},
		"a long indent": {"            x", 5, []string{"     ", "     ", "  x|"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var l line.Line
			l.Insert(tc.text)
			if diff := cmp.Diff(tc.want, rows(&l, tc.width)); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// TestUpAndDown stay in their column as far as the rows have it.
func TestUpAndDown(t *testing.T) {
	t.Parallel()
	var l line.Line
	l.Insert("abcd\ny\nefgh")
	up := func() bool { layout := l.Rows(20, show); return l.Up(&layout) }
	down := func() bool { layout := l.Rows(20, show); return l.Down(&layout) }
	l.Go(line.Left)
	for _, want := range []bool{true, true, false} {
		if up() != want {
			t.Error("there are two rows above")
		}
	}
	if diff := cmp.Diff([]string{"a|bcd", "y", "efgh"}, rows(&l, 20)); diff != "" {
		t.Error(diff)
	}
	for _, want := range []bool{true, true, false} {
		if down() != want {
			t.Error("there are two rows below")
		}
	}
}

// TestALineHasABound: what would be too long is not put in, and the line stays as it was.
func TestALineHasABound(t *testing.T) {
	t.Parallel()
	var l line.Line
	if !l.Put(line.Item{Text: strings.Repeat("x", line.MaxText), Label: "large"}) || l.Insert("y") || l.Put(line.Item{Text: "y", Label: "z"}) {
		t.Error("a line takes more than a message")
	}
	if len(l.Text()) != line.MaxText {
		t.Errorf("%d bytes", len(l.Text()))
	}
}

// FuzzLine presses keys: the cursor is between characters, no row is too wide, and the text is that of
// its characters.
func FuzzLine(f *testing.F) {
	f.Add("e\u0301 👨‍👩‍👧 你好\n\t", []byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13}, uint8(7))
	f.Fuzz(func(t *testing.T, text string, keys []byte, width uint8) {
		text = strings.ToValidUTF8(text, "\uFFFD")
		wide := 2 + int(width%80)
		motions := []line.Motion{
			line.Left, line.Right, line.WordLeft, line.WordRight, line.Home, line.End, line.First, line.Last, line.Rest,
		}
		var l line.Line
		for i, k := range keys[:min(len(keys), 200)] {
			way := motions[int(k/8)%len(motions)]
			layout := l.Rows(wide, show)
			switch k % 8 {
			case 0:
				l.Insert(text)
			case 1:
				l.Go(way)
			case 2:
				l.Erase(way)
			case 3:
				l.Cut(way)
			case 4:
				l.Yank()
			case 5:
				l.Undo()
			case 6:
				l.Up(&layout)
			case 7:
				l.Put(line.Item{Text: text, Label: "label"})
			}
			check(t, &l, wide, i)
		}
	})
}

func check(t *testing.T, l *line.Line, width, step int) {
	t.Helper()
	layout := l.Rows(width, show)
	if layout.Row >= len(layout.Rows) || layout.Cell > len(layout.Rows[layout.Row]) {
		t.Fatalf("step %d: the cursor is at %d, %d of %d rows", step, layout.Row, layout.Cell, len(layout.Rows))
	}
	for _, row := range layout.Rows {
		columns := 0
		for _, c := range row {
			columns += c.Columns
		}
		if columns > width {
			t.Fatalf("step %d: a row has %d columns at %d", step, columns, width)
		}
	}
	if !utf8.ValidString(l.Text()) {
		t.Fatalf("step %d: %q", step, l.Text())
	}
	for _, item := range l.Items() {
		g := graphemes.FromString(item.Text)
		if item.Label == "" && g.Next() && g.Value() != item.Text {
			t.Fatalf("step %d: %q is more than one character", step, item.Text)
		}
	}
}
