package markup

import "parley/pkg/channels/markdown"

// meter adds up the size of a block's text, for [markdown.Prose.Fit].
type meter struct {
	block *block
	room  size
	at    int // byte of the text
	spans []markdown.Span
	open  []tag
	until int // open is right up to here
	used  size
}

func newMeter(b *block, room size) *meter {
	m := &meter{block: b, room: room, spans: b.Spans}
	if b.pre {
		m.used = around(pre(b.language))
		m.until = len(b.Text)
	}
	m.count(b.head)
	return m
}

// Fits reports whether the text up to here has room.
func (m *meter) Fits() bool { return m.used.within(m.room) }

// Take advances by s, the next piece of the text.
func (m *meter) Take(s string) {
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
	tags := tagsOf(l)
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

// fit is how many bytes of the text have room, and their size together with the head.
func (b *block) fit(room size) (n int, used size) {
	m := newMeter(b, room)
	if !m.Fits() {
		return 0, size{}
	}
	n = b.Fit(room.units, m)
	return n, m.used
}

// cut takes a piece off the front, n bytes at most.
func (b *block) cut(n int) (piece, rest block) {
	piece, rest = *b, *b
	piece.keep = false
	if b.pre {
		piece.Prose, rest.Prose = b.CutCode(n)
	} else {
		piece.Prose, rest.Prose = b.Cut(n)
	}
	return piece, rest
}
