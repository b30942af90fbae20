package markup

import (
	"strings"
	"unicode"
)

// style is how a stretch of text looks; a set.
type style uint8

const (
	bold style = 1 << iota
	italic
	strike
	code
)

// look is a style and where the text leads, "" for nowhere.
type look struct {
	style style
	href  string
}

// both is the common part of two looks.
func (l look) both(o look) look {
	l.style &= o.style
	if l.href != o.href {
		l.href = ""
	}
	return l
}

// span says how text looks up to a byte.
type span struct {
	end  int
	look look
}

// kind is the kind of a block.
type kind uint8

const (
	paragraph kind = iota
	heading
	fenced
	table
	rule
)

// container holds blocks: a quotation, or an item of a list.
type container struct {
	list   *list // nil for a quotation
	number int   // of an item of an ordered list
	first  bool  // of the items
	box    string
}

// list is shared by the items of a list.
type list struct {
	ordered, tight bool
}

// block is a piece of a text that parts are made of.
type block struct {
	kind     kind
	in       []*container // its containers, the outermost first
	begins   int          // it is the first in all of them from here on
	level    int          // of a heading
	language string
	text     string // of a paragraph, a heading or code
	// spans say how text looks, in order; their ends count from offset bytes before
	// text. Text behind the last one is plain.
	spans  []span
	offset int
	head   []cell   // of a table
	rows   [][]cell // below it
	widths []int    // of its columns, nil if they are not aligned
}

// stretch is text that looks the same.
type stretch struct {
	text string
	look look
}

// stretches are the text of a block in order. White space at the end of a look
// belongs to the surrounding one: * does not open or close next to a space.
func stretches(text string, spans []span, offset int) []stretch {
	var all []stretch
	from := 0
	for _, s := range spans {
		to := min(s.end-offset, len(text))
		if to > from {
			all = append(all, stretch{text[from:to], s.look})
			from = to
		}
	}
	if from < len(text) {
		all = append(all, stretch{text: text[from:]})
	}
	var out []stretch
	for i, s := range all {
		before, after := look{}, look{}
		if i > 0 {
			before = all[i-1].look
		}
		if i+1 < len(all) {
			after = all[i+1].look
		}
		if s.look.style&code != 0 {
			out = append(out, s)
			continue
		}
		inner := strings.TrimLeftFunc(s.text, unicode.IsSpace)
		lead := s.text[:len(s.text)-len(inner)]
		inner = strings.TrimRightFunc(inner, unicode.IsSpace)
		tail := s.text[len(lead)+len(inner):]
		if inner == "" {
			out = append(out, stretch{s.text, before.both(s.look).both(after).prose()})
			continue
		}
		for _, piece := range []stretch{{lead, before.both(s.look).prose()}, {inner, s.look}, {tail, s.look.both(after).prose()}} {
			if piece.text != "" {
				out = append(out, piece)
			}
		}
	}
	return out
}

// prose is the look without code.
func (l look) prose() look {
	l.style &^= code
	return l
}

// runs puts the text of a block together.
type runs struct {
	text  strings.Builder
	spans []span
}

// add goes on with text.
func (r *runs) add(text string, l look) {
	if text = clean(text); text == "" {
		return
	}
	r.put(text, l)
}

// put goes on with text as it is.
func (r *runs) put(text string, l look) {
	r.text.WriteString(text)
	if n := len(r.spans); n > 0 && r.spans[n-1].look == l {
		r.spans[n-1].end = r.text.Len()
		return
	}
	r.spans = append(r.spans, span{end: r.text.Len(), look: l})
}
