package screen

import (
	"bytes"
	"io"
	"strconv"
	"strings"
)

// Row is one row of a frame: its text, with the sequences of its colours, and its columns.
type Row struct {
	Text    string
	Columns int
}

// Frame is what stands at the end of the terminal.
type Frame struct {
	Rows []Row
	// Row is that of the cursor, which stands behind Before, the beginning of that row.
	Row    int
	Before Row
}

// The sequences of a terminal.
const (
	// Terminals that know it show what comes between the two at once; others ignore it.
	beginUpdate = "\x1b[?2026h"
	endUpdate   = "\x1b[?2026l"
	hideCursor  = "\x1b[?25l"
	showCursor  = "\x1b[?25h"
	cutRows     = "\x1b[?7l"
	wrapRows    = "\x1b[?7h"
	clearRight  = "\x1b[K"
	clearBelow  = "\x1b[J"
	clearAll    = "\x1b[H\x1b[2J"
	nextRow     = "\r\n"
)

// Screen is a terminal with a frame. It is for one goroutine.
type Screen struct {
	out           io.Writer
	reflows       bool
	width, height int
	buf           bytes.Buffer
	// shown is the frame on the terminal; above is how many rows the cursor is below its first
	// one. lost says that what stands there is to be written anew.
	shown Frame
	above int
	lost  bool
	// before is written ahead of the next frame.
	before string
}

// New is a screen on a terminal whose cursor stands at the beginning of a row.
func New(out io.Writer, width, height int, reflows bool) *Screen {
	return &Screen{out: out, width: width, height: height, reflows: reflows}
}

// Reflows says whether a terminal wraps its rows anew when it becomes narrower.
func Reflows(lookupEnv func(string) (string, bool)) bool {
	kind, _ := lookupEnv("TERM")
	_, xterm := lookupEnv("XTERM_VERSION")
	return kind != "linux" && !xterm
}

// Size is the width and the height that the screen counts with.
func (s *Screen) Size() (width, height int) { return s.width, s.height }

// Resize notes a new size of the terminal.
func (s *Screen) Resize(width, height int) {
	if width == s.width && height == s.height {
		return
	}
	if s.reflows && width < s.width {
		s.above = s.wrapped(width)
	}
	s.width, s.height, s.lost = width, height, true
}

// wrapped is how many rows the cursor is below the beginning of the frame, in a narrower terminal.
func (s *Screen) wrapped(width int) int {
	if width < 1 {
		return s.above
	}
	n := 0
	for i := range s.shown.Rows[:min(s.above, len(s.shown.Rows))] {
		n += 1 + max(0, s.shown.Rows[i].Columns-1)/width
	}
	return n + s.shown.Before.Columns/width
}

// Clear empties the terminal before the next frame.
func (s *Screen) Clear() {
	s.before = clearAll
	s.above, s.shown, s.lost = 0, Frame{}, true
}

// Ahead has a text written before the next frame, such as a mode of the terminal.
func (s *Screen) Ahead(text string) { s.before += text }

// Draw writes lines above the frame, which stay there, and then the frame.
func (s *Screen) Draw(lines []string, f Frame) error {
	s.fit(&f)
	from := 0
	if len(lines) == 0 && !s.lost && s.before == "" {
		from = same(&s.shown, &f)
		if from == len(f.Rows) && from == len(s.shown.Rows) && f.Row == s.shown.Row && f.Before == s.shown.Before {
			return nil
		}
		from = min(from, len(f.Rows)-1) // one row is written at least
	}
	b := &s.buf
	b.Reset()
	b.WriteString(beginUpdate + hideCursor + cutRows + s.before)
	s.before = ""
	s.toTop(from)
	if s.lost {
		b.WriteString(clearBelow)
	}
	for _, line := range lines {
		b.WriteString(line + clearRight + nextRow)
	}
	s.rows(&f, from)
	b.WriteString(wrapRows + showCursor + endUpdate)
	s.shown, s.above, s.lost = f, f.Row, false
	_, err := s.out.Write(b.Bytes())
	return err
}

// Write writes lines where there is no frame.
func (s *Screen) Write(lines []string) error {
	if len(lines) == 0 {
		return nil
	}
	_, err := io.WriteString(s.out, strings.Join(lines, nextRow)+nextRow)
	return err
}

// rows writes the rows of a frame from one on, and puts the cursor at its place.
func (s *Screen) rows(f *Frame, from int) {
	b := &s.buf
	for i, row := range f.Rows[from:] {
		if i > 0 {
			b.WriteString(nextRow)
		}
		b.WriteString(row.Text + clearRight)
	}
	b.WriteString(clearBelow)
	s.move(f.Row - (len(f.Rows) - 1))
	b.WriteString("\r" + f.Before.Text)
}

// same is how many rows two frames begin with alike.
func same(a, b *Frame) int {
	n := 0
	for n < len(a.Rows) && n < len(b.Rows) && a.Rows[n] == b.Rows[n] {
		n++
	}
	return n
}

// fit leaves out the first rows of a frame that is higher than the terminal.
func (s *Screen) fit(f *Frame) {
	if len(f.Rows) == 0 {
		f.Rows = []Row{{}}
	}
	most := max(1, s.height-1)
	if extra := len(f.Rows) - most; extra > 0 {
		cut := min(extra, f.Row)
		f.Rows, f.Row = f.Rows[cut:], f.Row-cut
		f.Rows = f.Rows[:min(len(f.Rows), most)]
	}
}

// toTop goes from the cursor to the beginning of a row of the frame.
func (s *Screen) toTop(row int) {
	s.move(row - s.above)
	s.buf.WriteString("\r")
}

// move goes up or down by some rows.
func (s *Screen) move(rows int) {
	switch {
	case rows < 0:
		s.buf.WriteString("\x1b[" + strconv.Itoa(-rows) + "A")
	case rows > 0:
		s.buf.WriteString("\x1b[" + strconv.Itoa(rows) + "B")
	}
}

// Leave takes the frame away, so that the cursor stands behind the last line.
func (s *Screen) Leave() error {
	b := &s.buf
	b.Reset()
	s.toTop(0)
	b.WriteString(s.before + clearBelow + wrapRows + showCursor)
	s.shown, s.above, s.before = Frame{}, 0, ""
	_, err := s.out.Write(b.Bytes())
	return err
}

// Forget says that others have written to the terminal, and left the cursor at the beginning of a
// row.
func (s *Screen) Forget() {
	s.shown, s.above, s.lost = Frame{}, 0, true
}
