package markup

import "strings"

// paragraph puts the text of a block together.
type paragraph struct {
	text   strings.Builder
	indent string // the beginning of further lines
	spans  []span
}

// add goes on with text as it came from the Markdown.
func (p *paragraph) add(text string, l look) {
	p.put(strings.ReplaceAll(clean(text), "\n", "\n"+p.indent), l)
}

// put goes on with text.
func (p *paragraph) put(text string, l look) {
	if text == "" {
		return
	}
	p.text.WriteString(text)
	l = l.allowed()
	if n := len(p.spans); n > 0 && p.spans[n-1].look == l {
		p.spans[n-1].end = p.text.Len()
		return
	}
	p.spans = append(p.spans, span{end: p.text.Len(), look: l})
}

// block is the paragraph without space at its end, and without links of
// Telegram's own making that do not lead to the web.
func (p *paragraph) block() block {
	text, spans := strings.TrimRight(p.text.String(), " \n"), p.spans
	if all := live(text); len(all) > 0 {
		spans = disarm(spans, all)
	}
	return block{text: text, spans: spans}
}
