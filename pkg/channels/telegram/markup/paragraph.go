package markup

import (
	"strings"

	"parley/pkg/channels/markdown"
)

// paragraph puts the text of a block together.
type paragraph struct {
	markdown.Builder

	indent string // the beginning of further lines
}

// add goes on with text that came from the Markdown.
func (p *paragraph) add(text markdown.Prose) {
	from := 0
	for _, s := range text.Spans {
		to := min(s.End-text.Offset, len(text.Text))
		p.put(p.indented(text.Text[from:to]), s.Look)
		from = to
	}
	p.put(p.indented(text.Text[from:]), look{})
}

// indented is a text with the indent of each further line.
func (p *paragraph) indented(s string) string {
	s = strings.ReplaceAll(s, string(markdown.HardBreak), "\n")
	return strings.ReplaceAll(s, "\n", "\n"+p.indent)
}

// put goes on with text.
func (p *paragraph) put(text string, l look) { p.Put(text, allowed(l)) }

// links adds the links of a cell, each in a line.
func (p *paragraph) links(c markdown.Cell) {
	var w paragraph
	w.add(markdown.Prose{Text: c.Text, Spans: c.Spans})
	from := 0
	for _, s := range w.Spans {
		if s.Look.Href != "" {
			p.put("↗ "+w.Text.String()[from:s.End]+"\n", s.Look)
		}
		from = s.End
	}
}

// block is the paragraph without space at its end, and without links of
// Telegram's own making that do not lead to the web.
func (p *paragraph) block() block {
	text, spans := strings.TrimRight(p.Text.String(), " \n"), p.Spans
	if all := live(text); len(all) > 0 {
		spans = disarm(spans, all)
	}
	return block{Prose: markdown.Prose{Text: text, Spans: spans}}
}
