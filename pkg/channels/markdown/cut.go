package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
)

// Meter adds up the size of a text on a platform.
type Meter interface {
	// Take adds s, the next piece of the text.
	Take(s string)
	// Fits reports whether the text up to here has room.
	Fits() bool
}

// Fit is how many bytes of the text, whole graphemes, have room by m; most is a number of
// code points that is certainly too many.
func (p *Prose) Fit(most int, m Meter) int {
	const ahead = 256 // bytes that a grapheme hardly has
	window := min(len(p.Text), utf8.UTFMax*(max(most, 0)+1)+ahead)
	for window < len(p.Text) && !utf8.RuneStart(p.Text[window]) {
		window--
	}
	for g := graphemes.FromString(p.Text[:window]); g.Next(); {
		m.Take(g.Value())
		if !m.Fits() {
			return g.Start()
		}
	}
	return len(p.Text)
}

// FitRunes is like Fit for a text with a first grapheme that is too long for a part: it
// counts code points.
func (p *Prose) FitRunes(m Meter) int {
	for i, r := range p.Text {
		m.Take(p.Text[i : i+utf8.RuneLen(r)])
		if !m.Fits() {
			return i
		}
	}
	return len(p.Text)
}

// CutCode parts the text, which is code, in its first n bytes: between lines, if that leaves no
// less than a third of n.
func (p *Prose) CutCode(n int) (piece, rest Prose) {
	piece, rest = *p, *p
	if line := strings.LastIndexByte(p.Text[:min(n+1, len(p.Text))], '\n'); line > n/3 {
		n = line
	}
	piece.Text = p.Text[:n]
	rest.skip(len(p.Text) - len(strings.TrimPrefix(p.Text[n:], "\n")))
	return piece, rest
}

// Cut parts the text in its first n bytes, where it reads best.
func (p *Prose) Cut(n int) (piece, rest Prose) {
	piece, rest = *p, *p
	n = p.choose(n)
	piece.Text = strings.TrimRightFunc(p.Text[:n], unicode.IsSpace)
	rest.skip(len(p.Text) - len(strings.TrimLeftFunc(p.Text[n:], unicode.IsSpace)))
	return piece, rest
}

// skip drops n bytes of the text.
func (p *Prose) skip(n int) {
	p.Text = p.Text[n:]
	p.Offset += n
	for len(p.Spans) > 0 && p.Spans[0].End <= p.Offset {
		p.Spans = p.Spans[1:]
	}
}

// choose finds the best place up to n to cut prose at: between lines or sentences,
// if that leaves no less than a third of n, else between words.
func (p *Prose) choose(n int) int {
	line, sentence, word := p.breaks(n)
	switch {
	case line > n/3:
		return line
	case max(line, sentence) > n/3:
		return max(line, sentence)
	case max(line, sentence, word) > 0:
		return max(line, sentence, word)
	}
	return n
}

// breaks are the last ends of a line, a sentence and a word up to n, with a visible
// character before them, or 0.
func (p *Prose) breaks(n int) (line, sentence, word int) {
	ended, seen := false, false
	for i, r := range p.Text[:min(n+1, len(p.Text))] {
		space := unicode.IsSpace(r) && r != '\u00A0'
		switch {
		case !space && strings.ContainsRune("。！？", r) && i+utf8.RuneLen(r) <= n:
			sentence = i + utf8.RuneLen(r) // needs no space behind it
		case !space || !seen:
		case r == '\n' || r == HardBreak:
			line = i
		case ended:
			sentence = i
		default:
			word = i
		}
		seen = seen || !space
		ended = strings.ContainsRune(".!?…", r) || ended && strings.ContainsRune(`"')]”’»`, r)
	}
	return line, sentence, word
}
