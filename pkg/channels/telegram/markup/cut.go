package markup

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
)

// fit is how many bytes of the text, whole graphemes, have room, and their size
// together with the head.
func (b *block) fit(room size) (n int, used size) {
	m := newMeter(b)
	if !m.used.within(room) {
		return 0, size{}
	}
	for g := graphemes.FromString(b.text[:b.window(room)]); g.Next(); {
		before := m.used
		m.take(g.Value())
		if !m.used.within(room) {
			return g.Start(), before
		}
	}
	return len(b.text), m.used
}

// fitRunes is like fit for a text whose first grapheme is too long for a part: it
// counts code points, one in any case.
func (b *block) fitRunes(room size) int {
	m := newMeter(b)
	for i, r := range b.text {
		m.take(b.text[i : i+utf8.RuneLen(r)])
		if !m.used.within(room) && i > 0 {
			return i
		}
	}
	return len(b.text)
}

// window is a number of bytes that is too many for room and shows the graphemes at its end whole.
func (b *block) window(room size) int {
	const longest, ahead = 3, 256 // bytes of a unit; bytes that a grapheme hardly has
	n := min(len(b.text), longest*(max(room.units, 0)+1)+ahead)
	for n < len(b.text) && !utf8.RuneStart(b.text[n]) {
		n--
	}
	return n
}

// meter adds up the size of a block's text.
type meter struct {
	block *block
	at    int // byte of the text
	spans []span
	open  []tag
	until int // open is right up to here
	used  size
}

func newMeter(b *block) *meter {
	m := &meter{block: b, spans: b.spans}
	if b.pre {
		m.used = around(pre(b.language))
		m.until = len(b.text)
	}
	m.count(b.head)
	return m
}

// take advances by s, the next piece of the text.
func (m *meter) take(s string) {
	for m.at+len(s) > m.until {
		n := max(0, m.until-m.at)
		m.count(s[:n])
		s, m.at = s[n:], m.at+n
		m.turn()
	}
	m.count(s)
	m.at += len(s)
}

// turn passes to the next span.
func (m *meter) turn() {
	l, to := m.block.next(m.spans)
	m.until = to
	if len(m.spans) > 0 {
		m.spans = m.spans[1:]
	}
	if to <= m.at {
		return
	}
	tags := l.tags()
	for _, t := range tags[common(m.open, tags):] {
		m.used = m.used.plus(around(t))
	}
	m.open = tags
}

func (m *meter) count(s string) {
	for _, r := range s {
		m.used.units += unitsOf(r)
		m.used.bytes += escapedLen(r)
	}
}

// cut takes a piece off the front, n bytes at most.
func (b *block) cut(n int) (piece, rest block) {
	piece, rest = *b, *b
	piece.keep = false
	if b.pre {
		if line := strings.LastIndexByte(b.text[:min(n+1, len(b.text))], '\n'); line > n/3 {
			n = line
		}
		piece.text = b.text[:n]
		rest.skip(len(b.text) - len(strings.TrimPrefix(b.text[n:], "\n")))
		return piece, rest
	}
	n = b.choose(n)
	piece.text = strings.TrimRightFunc(b.text[:n], unicode.IsSpace)
	rest.skip(len(b.text) - len(strings.TrimLeftFunc(b.text[n:], unicode.IsSpace)))
	return piece, rest
}

// skip drops n bytes of the text.
func (b *block) skip(n int) {
	b.text = b.text[n:]
	b.offset += n
	for len(b.spans) > 0 && b.spans[0].end <= b.offset {
		b.spans = b.spans[1:]
	}
}

// choose finds the best place up to n to cut a paragraph at: between lines or
// sentences, if that leaves no less than a third of n, else between words.
func (b *block) choose(n int) int {
	line, sentence, word := b.breaks(n)
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
func (b *block) breaks(n int) (line, sentence, word int) {
	ended, seen := false, false
	for i, r := range b.text[:min(n+1, len(b.text))] {
		space := unicode.IsSpace(r) && r != '\u00A0'
		switch {
		case !space && strings.ContainsRune("。！？", r) && i+utf8.RuneLen(r) <= n:
			sentence = i + utf8.RuneLen(r) // needs no space behind it
		case !space || !seen:
		case r == '\n':
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
