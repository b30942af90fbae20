package markup

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/pkg/channels/markdown"
)

// own puts Slack's own markup together.
type own struct {
	nesting

	out    strings.Builder
	indent string
	last   rune // the last written character
	closed bool // marks were closed there
}

// write adds s.
func (o *own) write(s string) {
	if s == "" {
		return
	}
	o.out.WriteString(s)
	o.last, _ = utf8.DecodeLastRuneInString(s)
}

// native writes blocks in Slack's own markup.
func native(blocks []block) string {
	var o own
	for i := range blocks {
		o.block(&blocks[i])
	}
	return o.out.String()
}

// block writes b.
func (o *own) block(b *block) {
	o.enter(b)
	if o.some {
		o.write("\n")
	}
	if o.some && !o.tight {
		if quoted(o.in[:o.same]) {
			o.write(">")
		}
		o.write("\n")
	}
	o.lead(b)
	switch b.Kind {
	case markdown.Paragraph:
		o.prose(b.Prose)
	case markdown.Heading:
		o.prose(b.Emboldened())
	case markdown.Fenced:
		o.pre(b.Text)
	case markdown.Table:
		o.table(b)
	case markdown.Rule:
		o.write("———")
	}
}

// lead writes the prefix of the first line of b. Code and tables stand on lines of
// their own.
func (o *own) lead(b *block) {
	depth, quote := 0, ""
	var markers strings.Builder
	for i, c := range o.in {
		if c.List == nil {
			quote = "> "
			continue
		}
		if i >= o.same {
			markers.WriteString(o.bullet(c, depth))
		}
		depth++
	}
	const deepest = 8
	o.indent = quote + strings.Repeat("    ", min(depth, deepest))
	first := o.indent
	if markers.Len() > 0 {
		first = quote + strings.Repeat("    ", min(depth-1, deepest)) + markers.String()
	}
	switch {
	case b.Kind == markdown.Paragraph && b.Text == "":
		o.write(strings.TrimRight(first, " "))
	case b.Kind != markdown.Fenced && b.Kind != markdown.Table:
		o.write(first)
	case markers.Len() > 0:
		o.write(strings.TrimRight(first, " ") + "\n")
	}
}

// quoted says whether one of these is a quotation.
func quoted(in []*markdown.Container) bool {
	for _, c := range in {
		if c.List == nil {
			return true
		}
	}
	return false
}

// bullet is the beginning of an item.
func (o *own) bullet(c *markdown.Container, depth int) string {
	box := []string{markdown.OpenBox: "☐ ", markdown.TickedBox: "☑ "}[c.Box]
	switch {
	case c.List.Ordered:
		return strconv.Itoa(number(c)) + ". " + box
	case box != "":
		return box
	default:
		return []string{"• ", "◦ ", "▪ "}[min(depth, 2)]
	}
}

// pre writes a block of code, in which three backticks do not stand together.
func (o *own) pre(text string) {
	o.write("```\n" + strings.ReplaceAll(escapeEntities(text), "``", "`"+apart+"`"+apart) + "\n```")
}

// table writes a table in letters of one width, and its links below it.
func (o *own) table(b *block) {
	lines := []string{markdown.Line(b.Head, b.widths), markdown.Underline(b.Head, b.widths)}
	for _, row := range b.Rows {
		lines = append(lines, markdown.Line(row, b.widths))
	}
	var links []string
	for _, row := range append([][]markdown.Cell{b.Head}, b.Rows...) {
		for _, c := range row {
			for _, s := range stretches(markdown.Prose{Text: c.Text, Spans: c.Spans}) {
				if s.look.Href != "" && markdown.Visible(s.text) {
					links = append(links, "\n↗ "+link(s))
				}
			}
		}
	}
	o.pre(strings.Join(lines, "\n"))
	for _, l := range links {
		o.write(l)
	}
}

// link is a stretch as a link.
func link(s stretch) string {
	label := strings.NewReplacer("\n", " ", string(markdown.HardBreak), " ", "|", "¦").Replace(s.text)
	if label == s.look.Href {
		return "<" + escapeEntities(s.look.Href) + ">"
	}
	return "<" + escapeEntities(s.look.Href) + "|" + escapeEntities(label) + ">"
}

// escapeEntities writes the three characters that Slack wants written so.
func escapeEntities(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(s)
}

// prose writes text within lines.
func (o *own) prose(p markdown.Prose) {
	all := stretches(p)
	pairs := pairing(p.Text, all)
	open := ""
	to := func(next string) {
		keep := 0
		for keep < len(open) && keep < len(next) && open[keep] == next[keep] {
			keep++
		}
		for i := len(open) - 1; i >= keep; i-- {
			o.write(open[i : i+1])
			o.closed = true
		}
		if next = next[keep:]; next != "" && (o.closed || isWord(o.last)) {
			o.write(apart) // marks are read between words only
			o.closed = false
		}
		o.write(next)
		open = open[:keep] + next
	}
	first := true
	for _, s := range all {
		marked := strings.NewReplacer("\n", "\n\x00", string(markdown.HardBreak), "\n\x00").Replace("\x00" + s.text)
		for i, line := range strings.FieldsFunc(marked, func(r rune) bool { return r == '\n' }) {
			line = strings.TrimPrefix(line, "\x00")
			if i > 0 {
				to("")
				o.write("\n" + o.indent)
				o.closed, first = false, true
			}
			if line == "" {
				continue
			}
			mark, within := slackMarks(s.look), !strings.ContainsAny(s.text, "\n"+string(markdown.HardBreak))
			if markdown.Visible(line) || within && strings.HasPrefix(open, mark) {
				to(mark)
			} else {
				to("")
			}
			o.stretch(line, s.look, pairs, first)
			first = false
		}
	}
	to("")
	o.closed = false
}

// slackMarks are the marks around text that looks like l.
func slackMarks(l look) string {
	var m strings.Builder
	for i, mark := range []string{"*", "_", "~"} {
		if l.Style&(markdown.Bold<<i) != 0 {
			m.WriteString(mark)
		}
	}
	return m.String()
}

// stretch writes a piece of a line.
func (o *own) stretch(text string, l look, pairs string, first bool) {
	var s string
	switch {
	case l.Href != "" && markdown.Visible(text):
		s = link(stretch{text, l})
	case l.Style&markdown.Code != 0 && !strings.Contains(text, "`") && markdown.Visible(text):
		s = "`" + escapeEntities(text) + "`"
	default:
		s = literal(text, pairs, first)
	}
	if r, _ := utf8.DecodeRuneInString(text); o.closed && (isWord(r) || s[0] == '`') {
		o.write(apart)
	}
	o.closed = false
	o.write(s)
}

// pairing are the marks of which a text has enough for Slack to read them.
func pairing(text string, all []stretch) string {
	counts := map[rune]int{}
	for _, s := range all {
		for _, mark := range slackMarks(s.look) {
			counts[mark] += 2
		}
		if s.look.Style&markdown.Code != 0 && !strings.Contains(s.text, "`") {
			counts['`'] += 2
		}
	}
	for i, r := range text {
		if strings.ContainsRune("*_~`", r) && isMark(text, i, r) {
			counts[r]++
		}
	}
	return strings.Map(func(r rune) rune {
		if counts[r] > 1 {
			return r
		}
		return -1
	}, "*_~`")
}

// isMark says whether Slack might read the mark r at byte i of text as one: next to
// spaces alone, or within a word, it does not.
func isMark(text string, i int, r rune) bool {
	before, after := neighbours(text, i, 1)
	spaced := unicode.IsSpace(before) && unicode.IsSpace(after)
	return !spaced && (r == '`' || !isWord(before) || !isWord(after))
}

// literal is text that is nothing but text. Slack's markup has no escape: a mark is
// followed by a zero-width space if it might be read as one.
func literal(text, pairs string, first bool) string {
	var b strings.Builder
	for i, r := range text {
		before, _ := neighbours(text, i, utf8.RuneLen(r))
		switch {
		case r == '>' && first && strings.TrimSpace(text[:i]) == "":
			b.WriteString(apart + "&gt;")
		case r == '&' || r == '<' || r == '>':
			b.WriteString(escapeEntities(string(r)))
		case r == '@' && calls(text[i+1:], before):
			b.WriteString("@" + apart)
		case strings.ContainsRune(pairs, r) && isMark(text, i, r):
			b.WriteRune(r)
			b.WriteString(apart)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
