package markup

import (
	"net/url"
	"regexp"
	"strings"
	"unicode"

	"parley/pkg/channels/markdown"
)

const (
	maxTarget = 1000 // code points, escaped, of a target that is linked
	// The numbers of items that Markdown knows.
	maxNumber = 999_999_999
	// A zero-width space keeps two characters from being read together. Those in the text
	// are removed first, so that the remaining ones are ours.
	apart = "\u200B"
)

// dialect is the set of forms that Slack can show.
func dialect() markdown.Dialect {
	return markdown.Dialect{Removed: removed, Link: linked, BlankCode: true}
}

// removed names the characters that are left out beside those of [markdown.Clean]: zero-width
// spaces, isolates and overrides of direction.
func removed(r rune) bool { return '\u2066' <= r && r <= '\u2069' || r == '\u200B' }

// entity is a text that Markdown reads as a character.
var entity = regexp.MustCompile(`&#?[0-9A-Za-z]+;`)

// linked is the target if it can be linked, else "". It is free of the characters that
// end a target or a link in Markdown or in Slack's markup.
func linked(target string) string {
	u, err := url.Parse(target)
	if err != nil {
		return ""
	}
	switch u.Scheme {
	case "http", "https":
		if u.Host == "" {
			return ""
		}
	case "mailto":
		if u.Opaque == "" {
			return ""
		}
	default:
		return ""
	}
	target = u.Scheme + target[len(u.Scheme):] // in small letters
	target = strings.NewReplacer("<", "%3C", ">", "%3E", "|", "%7C", "(", "%28", ")", "%29", `\`, "%5C",
		`"`, "%22", "'", "%27", "`", "%60", "*", "%2A", " ", "%20").Replace(target)
	target = entity.ReplaceAllStringFunc(target, func(s string) string { return strings.TrimSuffix(s, ";") + "%3B" })
	if costOf(target) > maxTarget || strings.ContainsFunc(target, func(c rune) bool { return c <= ' ' || c >= 0x7F }) {
		return ""
	}
	return target
}

// read makes blocks of Markdown. A text that shows something has a block.
func read(md string) []block {
	tree := markdown.Read(md, dialect())
	blocks := make([]block, 0, len(tree))
	for i := range tree {
		if tree[i].Kind == markdown.Table {
			blocks = append(blocks, tabled(&tree[i])...)
			continue
		}
		blocks = append(blocks, block{Block: tree[i]})
	}
	return blocks
}

// tabled is a table, or paragraphs of its rows if it is too large to be cut between them.
func tabled(t *markdown.Block) []block {
	b := block{Block: *t, widths: markdown.Widths(append([][]markdown.Cell{t.Head}, t.Rows...))}
	outset := b
	outset.Begins = 0
	most := 0
	for _, row := range b.Rows {
		most = max(most, b.rowCost(row))
	}
	if 2*(outset.baseCost()+b.headCost()+most) <= maxPart {
		return []block{b}
	}
	return rowsAlone(t)
}

// rowsAlone are the rows of a table as paragraphs.
func rowsAlone(t *markdown.Block) []block {
	begins := t.Begins
	var blocks []block
	for _, row := range append([][]markdown.Cell{t.Head}, t.Rows...) {
		var text markdown.Builder
		for i, c := range row {
			if i > 0 {
				text.Put(markdown.CellGap, look{})
			}
			for _, s := range stretches(markdown.Prose{Text: c.Text, Spans: c.Spans}) {
				text.Put(s.text, s.look)
			}
		}
		if p := text.Prose(); markdown.Visible(p.Text) || len(blocks) == 0 && begins < len(t.In) {
			blocks = append(blocks, block{Block: markdown.Block{Prose: p, In: t.In, Begins: begins}})
			begins = len(t.In)
		}
	}
	return blocks
}

// isWord says whether r is a letter or a digit.
func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
