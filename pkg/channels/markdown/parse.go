package markdown

import (
	"bytes"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

const (
	maxNesting = 16 // lists and quotations in one another
	// So many characters of one paragraph are tried as markup at most. Each trial
	// may search the whole paragraph, so that a long one has fewer: as many as
	// search maxSearch bytes, but minMarkers in any case.
	maxMarkers, minMarkers = 1000, 16
	maxSearch              = 4 << 20
	// So many cells any table may have; more must be in the text.
	minCells        = 1024
	maxDefinitions  = 1000 // lines of a paragraph that may begin with definitions of links
	maxEscapedPipes = 1000 // \| in a text that has code with such in its tables
)

// Parse makes goldmark's tree of a text in GFM.
func Parse(source []byte) ast.Node { return parse(plain(), source) }

// ParseSpoilers is [Parse] for a platform with spoilers: ||this|| is an [ast.Emphasis] of a
// third level.
func ParseSpoilers(source []byte) ast.Node { return parse(spoiling(), source) }

func parse(gfm parser.Parser, source []byte) ast.Node {
	return gfm.Parse(text.NewReader(source), parser.WithContext(&reading{
		Context: parser.NewContext(), pipes: bytes.Count(source, []byte(`\|`)) <= maxEscapedPipes,
	}))
}

// The parsers are made once: the state of one text is in its [reading].
//
//nolint:gochecknoglobals // they are constant, and making one costs more than reading a text
var (
	plain    = sync.OnceValue(func() parser.Parser { return gfm() })
	spoiling = sync.OnceValue(func() parser.Parser {
		return gfm(util.Prioritized(counted{spoilers()}, 500))
	})
)

// gfm makes a parser that reads more within lines than GFM does.
func gfm(more ...util.PrioritizedValue) parser.Parser {
	return parser.NewParser(
		parser.WithBlockParsers(
			util.Prioritized(parser.NewSetextHeadingParser(), 100),
			util.Prioritized(parser.NewThematicBreakParser(), 200),
			util.Prioritized(shallow{parser.NewListParser()}, 300),
			util.Prioritized(parser.NewListItemParser(), 400),
			util.Prioritized(parser.NewCodeBlockParser(), 500),
			util.Prioritized(parser.NewATXHeadingParser(), 600),
			util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
			util.Prioritized(shallow{parser.NewBlockquoteParser()}, 800),
			util.Prioritized(parser.NewHTMLBlockParser(), 900),
			util.Prioritized(parser.NewParagraphParser(), 1000),
		),
		parser.WithInlineParsers(append(more,
			util.Prioritized(counted{extension.NewTaskCheckBoxParser()}, 0),
			util.Prioritized(counted{parser.NewCodeSpanParser()}, 100),
			util.Prioritized(counted{parser.NewLinkParser()}, 200),
			util.Prioritized(counted{parser.NewAutoLinkParser()}, 300),
			util.Prioritized(counted{parser.NewRawHTMLParser()}, 400),
			util.Prioritized(counted{parser.NewEmphasisParser()}, 500),
			util.Prioritized(counted{strikes()}, 500),
			util.Prioritized(extension.NewLinkifyParser(), 999),
		)...),
		parser.WithParagraphTransformers(
			util.Prioritized(definitions{parser.LinkReferenceParagraphTransformer}, 100),
			util.Prioritized(tables{extension.NewTableParagraphTransformer()}, 200),
		),
		parser.WithASTTransformers(util.Prioritized(pipes{extension.NewTableASTTransformer()}, 0)),
	)
}

// reading is the state of the reading of one text. It makes no links of footnotes.
type reading struct {
	parser.Context

	markers budget
	pipes   bool // \| in the code of tables is read
}

// of is the reading that goldmark hands on.
func of(pc parser.Context) *reading {
	r, ok := pc.(*reading)
	if !ok {
		panic("markdown: goldmark changed the context of a text")
	}
	return r
}

// pipes reads \| in the code of tables, where there are not too many.
type pipes struct{ parser.ASTTransformer }

// Transform takes the backslashes out.
func (p pipes) Transform(node *ast.Document, reader text.Reader, pc parser.Context) {
	if of(pc).pipes {
		p.ASTTransformer.Transform(node, reader, pc)
	}
}

// AddReference notes a definition.
func (r *reading) AddReference(ref parser.Reference) {
	if !bytes.HasPrefix(ref.Label(), []byte("^")) {
		r.Context.AddReference(ref)
	}
}

// shallow opens no list or quotation in more than maxNesting others.
type shallow struct{ parser.BlockParser }

// Open begins a block with the line at hand.
func (s shallow) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	depth := 0
	for n := parent; n != nil; n = n.Parent() {
		if k := n.Kind(); k == ast.KindList || k == ast.KindBlockquote {
			depth++
		}
	}
	if depth >= maxNesting {
		return nil, parser.NoChildren
	}
	return s.BlockParser.Open(parent, reader, pc)
}

// budget is how many more markers are tried in a paragraph.
type budget struct {
	paragraph ast.Node
	left      int
}

func (b *budget) enter(paragraph ast.Node) {
	length := 0
	for _, line := range paragraph.Lines().Sliced(0, paragraph.Lines().Len()) {
		length += line.Len()
	}
	b.paragraph = paragraph
	b.left = max(minMarkers, min(maxMarkers, maxSearch/max(1, length)))
}

// counted reads markup while the budget lasts.
type counted struct{ parser.InlineParser }

// Parse reads the markup at hand, or reports that there is none.
func (c counted) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	b := &of(pc).markers
	if b.paragraph != parent {
		b.enter(parent)
	}
	if b.left <= 0 {
		return nil
	}
	b.left--
	return c.InlineParser.Parse(parent, block, pc)
}

// CloseBlock ends the paragraph for a parser that wants to know.
func (c counted) CloseBlock(parent ast.Node, block text.Reader, pc parser.Context) {
	if p, ok := c.InlineParser.(parser.CloseBlocker); ok {
		p.CloseBlock(parent, block, pc)
	}
}

// definitions takes the definitions of links off paragraphs that are not too long.
type definitions struct{ parser.ParagraphTransformer }

// Transform takes the definitions off the front of the paragraph.
func (d definitions) Transform(node *ast.Paragraph, reader text.Reader, pc parser.Context) {
	if node.Lines().Len() <= maxDefinitions {
		d.ParagraphTransformer.Transform(node, reader, pc)
	}
}

// tables makes tables of paragraphs, except those with mostly made-up cells: a row has
// as many cells as the header, whatever its line says.
type tables struct{ parser.ParagraphTransformer }

// Transform makes a table of the paragraph if it is one.
func (t tables) Transform(node *ast.Paragraph, reader text.Reader, pc parser.Context) {
	columns, length := 0, 0
	lines := node.Lines()
	for _, line := range lines.Sliced(0, lines.Len()) {
		s := line.Value(reader.Source())
		length += len(s)
		if len(bytes.Trim(s, "|-: \t\n")) == 0 {
			columns = max(columns, bytes.Count(s, []byte("|"))+1)
		}
	}
	if columns*lines.Len() <= minCells+length {
		t.ParagraphTransformer.Transform(node, reader, pc)
	}
}

// pairs reads text between two equal rows of a mark: ||spoilers||, and ~struck~ or
// ~~struck~~ text.
type pairs struct {
	mark byte
	// min and max are how many marks a row has.
	min, max int
	// apart means that a letter or digit of ASCII on its outer side makes a row a
	// plain sign: a||b||c is a formula.
	apart bool
	node  func() ast.Node
}

// spoilerLevel is the level of an [ast.Emphasis] that is a spoiler.
const spoilerLevel = 3

func spoilers() pairs {
	return pairs{mark: '|', min: 2, max: 2, apart: true, node: func() ast.Node { return ast.NewEmphasis(spoilerLevel) }}
}

func strikes() pairs {
	return pairs{mark: '~', min: 1, max: 2, node: func() ast.Node { return extast.NewStrikethrough() }}
}

// Trigger is the beginning of a row.
func (p pairs) Trigger() []byte { return []byte{p.mark} }

// Parse reads a row.
func (p pairs) Parse(_ ast.Node, block text.Reader, pc parser.Context) ast.Node {
	before := block.PrecendingCharacter()
	line, segment := block.PeekLine()
	d := parser.ScanDelimiter(line, before, p.min, p)
	if d == nil || d.OriginalLength > p.max || before == rune(p.mark) {
		return nil
	}
	n := d.OriginalLength
	after, _ := utf8.DecodeRune(line[n:])
	d.CanOpen = d.CanOpen && (!p.apart || !isWord(before))
	d.CanClose = d.CanClose && (!p.apart || !isWord(after))
	d.Segment = segment.WithStop(segment.Start + n)
	block.Advance(n)
	pc.PushDelimiter(d)
	return d
}

// isWord says whether r is a letter or digit of ASCII.
func isWord(r rune) bool {
	return r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

// IsDelimiter says whether b is the mark.
func (p pairs) IsDelimiter(b byte) bool { return b == p.mark }

// CanOpenCloser says whether two rows are a pair.
func (p pairs) CanOpenCloser(opener, closer *parser.Delimiter) bool {
	return opener.Char == closer.Char && opener.OriginalLength == closer.OriginalLength
}

// OnMatch is the node between a pair.
func (p pairs) OnMatch(int) ast.Node { return p.node() }
