package markup

import (
	"slices"
	"strings"
	"unicode"

	"parley/pkg/channels/markdown"
)

// packer fills parts with blocks.
type packer struct {
	parts  []string
	pieces []block // of the part that is being filled
	used   int
}

// pack makes parts of blocks.
func pack(blocks []block) []string {
	var p packer
	for i := range blocks {
		p.put(blocks[i])
	}
	p.flush(len(p.pieces))
	return p.parts
}

// put adds b, in as many parts as it takes.
func (p *packer) put(b block) {
	for {
		cost := b.whole(maxPart)
		n := p.boundary()
		switch {
		case p.used+cost <= maxPart:
			p.pieces, p.used = append(p.pieces, b), p.used+cost
			return
		case n > 0 && (cost <= maxPart || 3*p.used > maxPart):
			p.flush(n)
		default:
			piece, rest, ok := b.cut(maxPart - p.used)
			if !ok && len(p.pieces) > 0 {
				p.flush(len(p.pieces))
				continue
			}
			p.pieces = append(p.pieces, piece)
			p.flush(len(p.pieces))
			if !ok || rest.empty() {
				return
			}
			b = rest
		}
	}
}

// boundary is the end of the part before the next block: a heading stays with the
// block below it. It is 0 if there are only headings.
func (p *packer) boundary() int {
	n := len(p.pieces)
	for n > 0 && p.pieces[n-1].Kind == markdown.Heading {
		n--
	}
	return n
}

// flush ends the part behind the first n pieces; the others begin the next one.
func (p *packer) flush(n int) {
	if part := faithful(p.pieces[:n]); markdown.Visible(part) {
		p.parts = append(p.parts, part)
	}
	p.pieces, p.used = slices.Clone(p.pieces[n:]), 0
	for i := range p.pieces {
		p.used += p.pieces[i].whole(maxPart)
	}
}

// faithful is the Markdown of blocks. Where it would not be read as they are, their
// looks are left out, then the lists and quotations around them: Markdown cannot say
// everything that it can be read as.
func faithful(blocks []block) string {
	want := words(blocks)
	md := standard(blocks)
	for _, plainer := range []func(*block){(*block).unlook, (*block).lift} {
		if words(read(md)) == want {
			return md
		}
		blocks = slices.Clone(blocks)
		for i := range blocks {
			plainer(&blocks[i])
		}
		md = standard(blocks)
	}
	return md
}

// unlook takes the looks off.
func (b *block) unlook() {
	rows := b.Rows
	b.Spans, b.Head, b.Rows = nil, unlooked(b.Head), nil
	for _, row := range rows {
		b.Rows = append(b.Rows, unlooked(row))
	}
}

// lift takes the block out of its container.
func (b *block) lift() { b.In, b.Begins = nil, 0 }

// unlooked is a row without looks.
func unlooked(row []markdown.Cell) []markdown.Cell {
	row = slices.Clone(row)
	for i := range row {
		row[i].Spans = nil
	}
	return row
}

// words are the texts of blocks without white space.
func words(blocks []block) string {
	var all strings.Builder
	put := func(s string) {
		for _, r := range s {
			if !unicode.IsSpace(r) {
				all.WriteRune(r)
			}
		}
	}
	for i := range blocks {
		put(blocks[i].Text)
		for _, c := range blocks[i].Head {
			put(c.Text)
		}
		for _, row := range blocks[i].Rows {
			for _, c := range row {
				put(c.Text)
			}
		}
	}
	return all.String()
}

// empty says that a block is used up.
func (b *block) empty() bool { return b.Text == "" && len(b.Rows) == 0 }

// cut takes a piece off the front that costs no more than room, or says that it
// cannot. In an empty part it always can: a piece has at least one code point.
func (b *block) cut(room int) (piece, rest block, ok bool) {
	piece, rest = *b, *b
	rest.Begins = len(b.In)
	if b.Kind == markdown.Table {
		used, n := b.baseCost()+b.headCost(), 0
		for n < len(b.Rows) && used+b.rowCost(b.Rows[n]) <= room {
			used += b.rowCost(b.Rows[n])
			n++
		}
		piece.Rows, rest.Rows = b.Rows[:n], b.Rows[n:]
		return piece, rest, n > 0
	}
	n := b.Fit(room, newMeter(b, room))
	if n == 0 && room == maxPart {
		n = b.FitRunes(newMeter(b, room))
	}
	if n == 0 {
		return piece, rest, false
	}
	if b.Kind == markdown.Fenced {
		piece.Prose, rest.Prose = b.CutCode(n)
	} else {
		piece.Prose, rest.Prose = b.Cut(n)
	}
	return piece, rest, true
}
