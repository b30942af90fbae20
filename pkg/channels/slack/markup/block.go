package markup

import (
	"strings"
	"unicode"

	"parley/pkg/channels/markdown"
)

// look is how a stretch of text looks.
type look = markdown.Look

// block is a piece of a text that parts are made of.
type block struct {
	markdown.Block

	widths []int // of a table's columns, nil if they are not aligned
}

// both is the common part of two looks, without code.
func both(a, b look) look {
	a.Style &= b.Style &^ markdown.Code
	if a.Href != b.Href {
		a.Href = ""
	}
	return a
}

// stretch is text that looks the same.
type stretch struct {
	text string
	look look
}

// stretches are a text in order. White space at the end of a look belongs to the surrounding
// one: * does not open or close next to a space.
func stretches(p markdown.Prose) []stretch {
	var all []stretch
	from := 0
	for _, s := range p.Spans {
		to := min(s.End-p.Offset, len(p.Text))
		if to > from {
			all = append(all, stretch{p.Text[from:to], s.Look})
			from = to
		}
	}
	if from < len(p.Text) {
		all = append(all, stretch{text: p.Text[from:]})
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
		if s.look.Style&markdown.Code != 0 {
			out = append(out, s)
			continue
		}
		inner := strings.TrimLeftFunc(s.text, unicode.IsSpace)
		lead := s.text[:len(s.text)-len(inner)]
		inner = strings.TrimRightFunc(inner, unicode.IsSpace)
		tail := s.text[len(lead)+len(inner):]
		if inner == "" {
			out = append(out, stretch{s.text, both(both(before, s.look), after)})
			continue
		}
		for _, piece := range []stretch{{lead, both(before, s.look)}, {inner, s.look}, {tail, both(s.look, after)}} {
			if piece.text != "" {
				out = append(out, piece)
			}
		}
	}
	return out
}
