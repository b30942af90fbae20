package markdown

import (
	"slices"
	"strings"
)

// Style is how a stretch of text looks; a set.
type Style uint8

// The styles.
const (
	Spoiler Style = 1 << iota
	Bold
	Italic
	Strike
	Code
)

// Look is a style and where the text leads, "" for nowhere.
type Look struct {
	Style Style
	Href  string
}

// Span says how text looks up to a byte.
type Span struct {
	End  int
	Look Look
}

// Prose is text with its looks.
type Prose struct {
	Text string
	// Spans say how the text looks, in order; their ends count from Offset bytes before
	// Text. Text behind the last one is plain.
	Spans  []Span
	Offset int
}

// Kind is the kind of a block.
type Kind uint8

// The kinds of blocks. A paragraph without text is an empty item of a list.
const (
	Paragraph Kind = iota
	Heading
	Fenced
	Table
	Rule
)

// Block is a piece of a text that parts are made of.
type Block struct {
	Prose // of a paragraph, a heading or code

	Kind     Kind
	In       []*Container // its containers, the outermost first
	Begins   int          // it is the first block in all of them from here on
	Level    int          // of a heading
	Language string       // of code, or ""
	Head     []Cell       // of a table
	Rows     [][]Cell     // below it
}

// Container holds blocks: a quotation, or an item of a list.
type Container struct {
	List   *List // nil for a quotation
	Number int   // of an item of an ordered list
	First  bool  // of the items
	Box    Box
}

// List is shared by the items of a list.
type List struct {
	// Ordered lists have numbers, with Delimiter behind them: a dot or a parenthesis.
	Ordered   bool
	Delimiter byte
	Tight     bool // no blank line stands between its items
}

// Box is the box of a task in a list.
type Box uint8

// The boxes; an item other than a task has none.
const (
	NoBox Box = iota
	OpenBox
	TickedBox
)

// Cell is a cell of a table in letters of one width.
type Cell struct {
	Text  string
	Spans []Span
	Width int // the columns of Text
	Align Alignment
}

// Builder puts the text of a block together.
type Builder struct {
	Text  strings.Builder
	Spans []Span
}

// Put goes on with text.
func (b *Builder) Put(text string, l Look) {
	if text == "" {
		return
	}
	b.Text.WriteString(text)
	if n := len(b.Spans); n > 0 && b.Spans[n-1].Look == l {
		b.Spans[n-1].End = b.Text.Len()
		return
	}
	b.Spans = append(b.Spans, Span{End: b.Text.Len(), Look: l})
}

// Prose is the text that was put together.
func (b *Builder) Prose() Prose { return Prose{Text: b.Text.String(), Spans: b.Spans} }

// Emboldened is the text in bold letters.
func (p *Prose) Emboldened() Prose {
	spans := slices.Clone(p.Spans)
	for i := range spans {
		spans[i].Look.Style |= Bold
	}
	spans = append(spans, Span{End: p.Offset + len(p.Text), Look: Look{Style: Bold}})
	return Prose{Text: p.Text, Spans: spans, Offset: p.Offset}
}
