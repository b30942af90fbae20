package pdf

import (
	"bytes"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// The rules by which glyphs become words, as shares of the size of the text.
const (
	wordGap    = 0.1 // a wider gap is a space
	backwards  = 0.5 // glyphs that go back farther begin a new word
	sameLine   = 0.5 // a baseline that is farther away is another line
	paragraph  = 1.8 // a greater distance of lines is an empty line
	duplicate  = 0.1 // the same text this close is drawn twice, to look bold
	maxGlyphs  = 1_000_000
	recentRuns = 512
)

// run is a piece of text at a place: x goes along the line, y from line to line.
type run struct {
	turn      int // quarter turns of the line
	x0, x1, y float64
	at        float64 // where the last glyph begins
	size      float64
	text      strings.Builder
	spaced    bool // there is a space before it
	glyphs    int
	first     string // glyph
}

// canvas collects the glyphs of a page.
type canvas struct {
	box    [4]float64
	runs   []*run
	spaced bool
	glyphs int
	// pending is a text that stands in place of the next glyphs.
	pending string
}

// replace has a text take the place of the next glyph's.
func (c *canvas) replace(s string) { c.pending = s }

// take gives that text, once.
func (c *canvas) take() string {
	s := c.pending
	c.pending = ""
	return s
}

// put draws a glyph: its matrix, its width along the line before that, and the size of its text.
func (c *canvas) put(s string, m matrix, width, size float64) {
	given, x, y := s, m[4], m[5]
	if size == 0 || math.IsNaN(x+y+width+size) || c.glyphs >= maxGlyphs {
		return
	}
	endX, endY := x+width*m[0], y+width*m[1]
	if max(x, endX) < c.box[0] || min(x, endX) > c.box[2] || max(y, endY) < c.box[1] || min(y, endY) > c.box[3] {
		return // it lies outside of the page
	}
	turn := quarter(m)
	x0, along := turned(turn, x, y)
	x1, _ := turned(turn, endX, endY)
	if x1 < x0 {
		x0, x1 = x1, x0
	}
	if s = strings.ReplaceAll(strings.TrimFunc(s, blank), "\x00", ""); s == "" {
		c.skip(given != "", turn, x0, x1, along, size)
		return
	}
	c.glyphs++
	if c.accented(s, x0, x1, along, size) {
		return
	}
	if !c.extends(turn, x0, along, size) {
		r := &run{turn: turn, x0: x0, at: x0, x1: x1, y: along, size: size, spaced: c.spaced, glyphs: 1, first: s}
		r.text.WriteString(s)
		c.runs = append(c.runs, r)
		c.spaced = false
		return
	}
	last := c.runs[len(c.runs)-1]
	if last.glyphs == 1 && last.first == s && math.Abs(x0-last.x0) < duplicate*size {
		return
	}
	last.text.WriteString(s)
	last.at, last.x1 = x0, x1
	last.glyphs++
}

// skip takes a glyph without visible text: a space, or one whose text came with the glyph before.
func (c *canvas) skip(space bool, turn int, x0, x1, y, size float64) { //nolint:revive // flag-parameter: a property of the glyph
	if space {
		c.spaced = true
	} else if c.extends(turn, x0, y, size) {
		last := c.runs[len(c.runs)-1]
		last.x1 = max(last.x1, x1)
	}
}

// marks are the accents that stand alone, each before the mark that it is on a letter.
const marks = "`\u0300´\u0301ˆ\u0302˜\u0303¯\u0304˘\u0306˙\u0307¨\u0308˚\u030a˝\u030bˇ\u030c¸\u0327˛\u0328"

// markOf gives the mark of an accent that stands alone; "" for another character.
func markOf(s string) string {
	at := strings.Index(marks, s)
	if at < 0 || utf8.RuneCountInString(s) != 1 {
		return ""
	}
	mark, _ := utf8.DecodeRuneInString(marks[at+len(s):])
	if !unicode.Is(unicode.Mn, mark) {
		return ""
	}
	return string(mark)
}

// accented joins an accent and a letter that are drawn over each other, in any order.
func (c *canvas) accented(s string, x0, x1, y, size float64) bool {
	if len(c.runs) == 0 || c.spaced {
		return false
	}
	last := c.runs[len(c.runs)-1]
	overlap := min(x1, last.x1) - max(x0, last.at)
	if overlap < min(x1-x0, last.x1-last.at)/2 || math.Abs(y-last.y) > sameLine*size {
		return false
	}
	all := last.text.String()
	_, n := utf8.DecodeLastRuneInString(all)
	before, lastOne := all[:len(all)-n], all[len(all)-n:]
	mark, letter := markOf(lastOne), s
	if mark == "" {
		mark, letter = markOf(s), lastOne
	}
	if r, _ := utf8.DecodeRuneInString(letter); mark == "" || !unicode.IsLetter(r) {
		return false
	}
	letter = strings.NewReplacer("ı", "i", "ȷ", "j").Replace(letter)
	r, n := utf8.DecodeRuneInString(letter)
	last.text.Reset()
	last.text.WriteString(before + norm.NFC.String(string(r)+mark) + letter[n:])
	if letter == s || n > 0 && lastOne != letter && markOf(lastOne) != "" {
		last.y = y // that of the letter
	}
	last.x1 = max(last.x1, x1)
	last.at = min(last.at, x0)
	return true
}

func blank(r rune) bool { return unicode.IsSpace(r) || r == 0 }

// extends says whether a glyph goes on where the last one ended.
func (c *canvas) extends(turn int, x, y, size float64) bool {
	if len(c.runs) == 0 || c.spaced {
		return false
	}
	last := c.runs[len(c.runs)-1]
	gap := x - last.x1
	const same = 0.05
	return last.turn == turn && math.Abs(last.size-size) < same*size && math.Abs(y-last.y) < same*size &&
		gap > -0.2*size && gap < wordGap*size
}

// quarter gives the quarter turns of text.
func quarter(m matrix) int {
	if math.Abs(m[0]) >= math.Abs(m[1]) {
		if m[0] >= 0 {
			return 0
		}
		return 2
	}
	if m[1] > 0 {
		return 1
	}
	return 3
}

// turned gives a place along its line and across lines.
func turned(turn int, x, y float64) (along, across float64) {
	switch turn {
	case 1:
		return y, -x
	case 2:
		return -x, -y
	case 3:
		return -y, x
	}
	return x, y
}

// lines gives the text of the page.
func (c *canvas) lines() string {
	var page []byte
	var before *run
	for i, r := range c.runs {
		if c.drawnBefore(i) {
			continue
		}
		s := r.text.String()
		switch {
		case before == nil:
		case !before.sameLine(r):
			page = breakLine(page, before, r, s)
		case r.spaced || r.x0-before.x1 > wordGap*min(r.size, before.size):
			page = append(page, ' ')
		}
		page = append(page, s...)
		before = r
	}
	return string(page)
}

// drawnBefore says whether the same text was drawn at the same place.
func (c *canvas) drawnBefore(i int) bool {
	r := c.runs[i]
	for j := max(0, i-recentRuns); j < i; j++ {
		o := c.runs[j]
		if math.Abs(o.x0-r.x0) < duplicate*r.size && math.Abs(o.y-r.y) < duplicate*r.size && o.turn == r.turn &&
			o.text.Len() == r.text.Len() && o.text.String() == r.text.String() {
			return true
		}
	}
	return false
}

// sameLine says whether a run goes on in the line of the one before.
func (r *run) sameLine(next *run) bool {
	size := max(r.size, next.size)
	return r.turn == next.turn && math.Abs(next.y-r.y) < sameLine*size && next.x0-r.x1 > -backwards*size
}

// breakLine ends a line: a hyphen at its end joins the two parts of a word.
func breakLine(page []byte, before, next *run, s string) []byte {
	if joined, ok := bytes.CutSuffix(page, []byte("-")); ok && before.turn == next.turn && endsInLetter(joined) && startsSmall(s) {
		return joined
	}
	page = append(page, '\n')
	if down := before.y - next.y; before.turn != next.turn || down > paragraph*max(before.size, next.size) || down < 0 {
		page = append(page, '\n')
	}
	return page
}

// endsInLetter says whether the last character is a letter.
func endsInLetter(b []byte) bool {
	r, _ := utf8.DecodeLastRune(b)
	return unicode.IsLetter(r)
}

// startsSmall says whether the first character is a small letter.
func startsSmall(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsLower(r)
}
