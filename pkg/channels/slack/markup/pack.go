package markup

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
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
	for n > 0 && p.pieces[n-1].kind == heading {
		n--
	}
	return n
}

// flush ends the part behind the first n pieces; the others begin the next one.
func (p *packer) flush(n int) {
	if part := faithful(p.pieces[:n]); visible(part) {
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
	rows := b.rows
	b.spans, b.head, b.rows = nil, unlooked(b.head), nil
	for _, row := range rows {
		b.rows = append(b.rows, unlooked(row))
	}
}

// lift takes the block out of its container.
func (b *block) lift() { b.in, b.begins = nil, 0 }

// unlooked is a row without looks.
func unlooked(row []cell) []cell {
	row = slices.Clone(row)
	for i := range row {
		row[i].spans = nil
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
		put(blocks[i].text)
		for _, c := range blocks[i].head {
			put(c.Text)
		}
		for _, row := range blocks[i].rows {
			for _, c := range row {
				put(c.Text)
			}
		}
	}
	return all.String()
}

// empty says that a block is used up.
func (b *block) empty() bool { return b.text == "" && len(b.rows) == 0 }

// cut takes a piece off the front that costs no more than room, or says that it
// cannot. In an empty part it always can: a piece has at least one code point.
func (b *block) cut(room int) (piece, rest block, ok bool) {
	piece, rest = *b, *b
	rest.begins = len(b.in)
	if b.kind == table {
		used, n := b.baseCost()+b.headCost(), 0
		for n < len(b.rows) && used+b.rowCost(b.rows[n]) <= room {
			used += b.rowCost(b.rows[n])
			n++
		}
		piece.rows, rest.rows = b.rows[:n], b.rows[n:]
		return piece, rest, n > 0
	}
	n := b.fit(room)
	if n == 0 && room < maxPart {
		return piece, rest, false
	}
	if n == 0 {
		n = b.fitRunes(room)
	}
	if n == 0 {
		return piece, rest, false
	}
	if b.kind == fenced {
		if line := strings.LastIndexByte(b.text[:min(n+1, len(b.text))], '\n'); line > n/3 {
			n = line
		}
		piece.text = b.text[:n]
		rest.skip(len(b.text) - len(strings.TrimPrefix(b.text[n:], "\n")))
		return piece, rest, true
	}
	n = b.choose(n)
	piece.text = strings.TrimRightFunc(b.text[:n], unicode.IsSpace)
	rest.skip(len(b.text) - len(strings.TrimLeftFunc(b.text[n:], unicode.IsSpace)))
	return piece, rest, true
}

// skip drops n bytes of the text.
func (b *block) skip(n int) {
	b.text = b.text[n:]
	b.offset += n
	for len(b.spans) > 0 && b.spans[0].end <= b.offset {
		b.spans = b.spans[1:]
	}
}

// fit is how many bytes of the text, whole graphemes, have room.
func (b *block) fit(room int) int {
	const longest, ahead = utf8.UTFMax, 256 // bytes of a code point; bytes that a grapheme hardly has
	end := min(len(b.text), longest*(max(room, 0)+1)+ahead)
	for end < len(b.text) && !utf8.RuneStart(b.text[end]) {
		end--
	}
	m := newMeter(b)
	for g := graphemes.FromString(b.text[:end]); g.Next(); {
		m.take(g.Value())
		if m.used > room {
			return g.Start()
		}
	}
	return len(b.text)
}

// fitRunes is like fit for a text whose first grapheme is too long for a part.
func (b *block) fitRunes(room int) int {
	m := newMeter(b)
	for i, r := range b.text {
		m.take(string(r))
		if m.used > room {
			return i
		}
	}
	return len(b.text)
}

// choose finds the best place up to n to cut prose at: between lines or sentences,
// if that leaves no less than a third of n, else between words.
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
		case r == '\n' || r == hardBreak:
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
