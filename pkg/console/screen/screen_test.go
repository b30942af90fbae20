package screen_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/console/screen"
)

// writes keeps what a screen writes, one entry for each write.
type writes []string

func (w *writes) Write(p []byte) (int, error) {
	*w = append(*w, string(p))
	return len(p), nil
}

// frame is a frame of rows with the cursor at the end of the last one.
func frame(rows ...string) screen.Frame {
	f := screen.Frame{Row: len(rows) - 1}
	for _, r := range rows {
		f.Rows = append(f.Rows, screen.Row{Text: r, Columns: len(r)})
	}
	f.Before = f.Rows[f.Row]
	return f
}

// TestEachDrawingIsOneWrite of what has changed, and none where it is the same.
func TestEachDrawingIsOneWrite(t *testing.T) {
	t.Parallel()
	const begin, end = "\x1b[?2026h\x1b[?25l\x1b[?7l", "\x1b[?7h\x1b[?25h\x1b[?2026l"
	var w writes
	s := screen.New(&w, 20, 10, true)
	draw := func(lines []string, f screen.Frame) {
		t.Helper()
		if err := s.Draw(lines, f); err != nil {
			t.Fatal(err)
		}
	}
	draw(nil, frame("a", "> x"))
	draw(nil, frame("a", "> x"))
	draw(nil, frame("a", "> xy"))
	draw([]string{"said"}, frame("> xy"))
	want := writes{
		begin + "\ra\x1b[K\r\n> x\x1b[K\x1b[J\r> x" + end,
		begin + "\r> xy\x1b[K\x1b[J\r> xy" + end,
		begin + "\x1b[1A\rsaid\x1b[K\r\n> xy\x1b[K\x1b[J\r> xy" + end,
	}
	if diff := cmp.Diff(want, w); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// TestANarrowerTerminalHasWrappedItsRows: the frame is drawn anew from its first one.
func TestANarrowerTerminalHasWrappedItsRows(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		reflows bool
		up      string
	}{
		"that wraps": {true, "\x1b[4A"}, // three rows of the first one, and one of the second
		"that cuts":  {false, "\x1b[1A"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var w writes
			s := screen.New(&w, 80, 10, tt.reflows)
			if err := s.Draw(nil, frame(strings.Repeat("a", 30), strings.Repeat("b", 12))); err != nil {
				t.Fatal(err)
			}
			s.Resize(10, 10)
			if err := s.Draw(nil, frame("c")); err != nil {
				t.Fatal(err)
			}
			if got := w[len(w)-1]; !strings.Contains(got, tt.up+"\r") {
				t.Errorf("%q", got)
			}
		})
	}
}

// TestAFrameIsNeverHigherThanTheTerminal: its first rows give way.
func TestAFrameIsNeverHigherThanTheTerminal(t *testing.T) {
	t.Parallel()
	var w writes
	s := screen.New(&w, 20, 3, true)
	if err := s.Draw(nil, frame("a", "b", "c", "d")); err != nil {
		t.Fatal(err)
	}
	if got := w[0]; strings.Contains(got, "b") || !strings.Contains(got, "c\x1b[K\r\nd") {
		t.Errorf("%q", got)
	}
}
