package markup

import (
	"unicode/utf8"

	"parley/pkg/channels/markdown"
)

// block is a piece of a text that parts are made of: a paragraph, an item of a
// list, a block of code, a table. Parts end between blocks if they can.
type block struct {
	markdown.Prose

	gap   int                 // line ends between the block before and this one
	quote *markdown.Container // the quotation that it belongs to, or nil
	keep  bool                // a heading: the next block belongs below it
	// pre shows the text in letters of one width, in a language if it has one.
	pre      bool
	language string
	// head stands above the text, and above its rest in each further part.
	head string
}

// next is how text looks up to a byte, by the first of spans, which are those of b
// that are not passed yet.
func (b *block) next(spans []markdown.Span) (l look, to int) {
	if len(spans) == 0 {
		return look{}, len(b.Text)
	}
	return spans[0].Look, max(0, min(spans[0].End-b.Offset, len(b.Text)))
}

// size is the consumption of Telegram's limits for one message.
type size struct{ units, bytes, entities int }

func (s size) plus(o size) size {
	return size{units: s.units + o.units, bytes: s.bytes + o.bytes, entities: s.entities + o.entities}
}

func (s size) minus(o size) size {
	return size{units: s.units - o.units, bytes: s.bytes - o.bytes, entities: s.entities - o.entities}
}

func (s size) within(o size) bool {
	return s.units <= o.units && s.bytes <= o.bytes && s.entities <= o.entities
}

// over reports whether s takes the nth part of bounds in any respect.
func (s size) over(n int, bounds size) bool {
	return s.units*n >= bounds.units || s.bytes*n >= bounds.bytes || s.entities*n >= bounds.entities
}

func around(t tag) size { return size{bytes: len(t.open) + len(t.end), entities: 1} }

// packer fills parts with blocks.
type packer struct {
	bounds size
	parts  []string
	pieces []block // of the part that is being filled
	sizes  []size  // of each, without the additions of place
	used   size
}

// pack makes parts of blocks.
func pack(blocks []block, bounds size) []string {
	p := packer{bounds: bounds}
	for _, b := range blocks {
		p.put(b)
	}
	p.flush(len(p.pieces), nil)
	return p.parts
}

// put adds b, in as many parts as it takes.
func (p *packer) put(b block) {
	if head := newMeter(&b, p.bounds); head.used.over(2, p.bounds) {
		b.head, b.Text = "", b.head+b.Text
	}
	for b.Text != "" {
		room := p.bounds.minus(p.used).minus(p.place(&b))
		n, used := b.fit(room)
		switch {
		case n == len(b.Text):
			if markdown.Visible(b.Text) {
				p.add(b, used)
			}
			return
		case p.used.over(3, p.bounds), n == 0 && len(p.pieces) > 0:
			p.flush(p.boundary(&b), nil)
		default:
			if n == 0 {
				_, first := utf8.DecodeRuneInString(b.Text)
				n = max(first, b.FitRunes(newMeter(&b, room)))
			}
			var piece block
			piece, b = b.cut(n)
			p.flush(len(p.pieces), &piece)
		}
	}
}

// place is the overhead of b behind the pieces that are there.
func (p *packer) place(b *block) size {
	var s size
	if len(p.pieces) > 0 {
		s = size{units: b.gap, bytes: b.gap}
	}
	if b.quote != nil && (len(p.pieces) == 0 || p.pieces[len(p.pieces)-1].quote != b.quote) {
		s = s.plus(around(named("blockquote")))
	}
	return s
}

func (p *packer) add(b block, s size) {
	p.used = p.used.plus(p.place(&b)).plus(s)
	p.pieces, p.sizes = append(p.pieces, b), append(p.sizes, s)
}

// boundary is where to end the part before b: behind the last piece that is no
// heading, or behind an earlier one in its second half that a blank line follows.
func (p *packer) boundary(b *block) int {
	last := len(p.pieces)
	for last > 0 && p.pieces[last-1].keep {
		last--
	}
	if last == 0 {
		return len(p.pieces)
	}
	best, gap := last, 0
	used := p.used
	for i := len(p.pieces); i > 0 && used.over(2, p.bounds); i-- {
		next := b
		if i < len(p.pieces) {
			next = &p.pieces[i]
		}
		if i <= last && !p.pieces[i-1].keep && next.gap > gap {
			best, gap = i, next.gap
		}
		used = used.minus(p.sizes[i-1])
	}
	return best
}

// flush ends the part behind the first n pieces and, if there is one, last; the
// other pieces begin the next part.
func (p *packer) flush(n int, last *block) {
	rest, sizes := p.pieces[n:], p.sizes[n:]
	pieces := p.pieces[:n:n]
	if last != nil && markdown.Visible(last.head+last.Text) {
		pieces = append(pieces, *last)
	}
	if len(pieces) > 0 {
		p.parts = append(p.parts, write(pieces))
	}
	p.pieces, p.sizes, p.used = nil, nil, size{}
	for i, b := range rest {
		p.add(b, sizes[i])
	}
}
