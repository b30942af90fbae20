package data

import (
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// maxKeys bounds one block of keys, in which the parser's work grows with the square.
const maxKeys = 4000

// maxPrefixes is how many anchors, tags and question marks may stand before one value.
const maxPrefixes = 4

// ParseYAML parses text into its single document; nil for an empty one. It refuses,
// with a [*SyntaxError], text that would cost more than its size: the parser follows
// nesting by recursion.
func ParseYAML(text string) (root ast.Node, err error) {
	defer func() {
		if recover() != nil { // the parser is not ours, and the text may be anything
			root, err = nil, wrong(0, 0, "this is not YAML")
		}
	}()
	if len(text) > maxBytes || !utf8.ValidString(text) {
		return nil, wrong(0, 0, "it is not text in UTF-8 of at most %d bytes", maxBytes)
	}
	tokens := lexer.Tokenize(text)
	if err := measure(tokens); err != nil {
		return nil, err
	}
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		if e, ok := errors.AsType[yaml.Error](err); ok && e.GetToken() != nil {
			message, _, _ := strings.Cut(e.GetMessage(), "\n")
			return nil, at(e.GetToken(), "this is not YAML: %s", message)
		}
		return nil, wrong(0, 0, "this is not YAML")
	}
	for _, doc := range file.Docs {
		if doc.Body == nil || doc.Body.Type() == ast.CommentType {
			continue
		}
		if root != nil {
			return nil, at(doc.Body.GetToken(), "a second document starts here: only one can be read")
		}
		root = doc.Body
	}
	return root, nil
}

// at places a mistake at a token.
func at(t *token.Token, format string, args ...any) *SyntaxError {
	if t == nil || t.Position == nil {
		return wrong(0, 0, format, args...)
	}
	return wrong(t.Position.Line, t.Position.Column, format, args...)
}

// measure refuses tokens that the parser should not see.
func measure(tokens token.Tokens) error {
	var g gauge
	before := &token.Token{}
	for _, t := range tokens {
		g.nesting(before, t)
		g.prefixed(before, t)
		switch {
		case g.flow+len(g.blocks) > maxDepth:
			return at(t, "it is nested more than %d levels deep", maxDepth)
		case g.prefixes > maxPrefixes:
			return at(t, "more than %d anchors, tags and question marks stand here in a row", maxPrefixes)
		case len(g.blocks) > 0 && g.blocks[len(g.blocks)-1].keys > maxKeys:
			return at(t, "one block has more than %d keys", maxKeys)
		}
		before = t
	}
	return nil
}

// gauge counts levels by the columns of blocks and by brackets, and the keys of
// each block.
type gauge struct {
	blocks         []block
	flow, prefixes int
}

func (g *gauge) nesting(before, t *token.Token) {
	switch t.Type {
	case token.SequenceStartType, token.MappingStartType:
		g.flow++
	case token.SequenceEndType, token.MappingEndType:
		g.flow = max(0, g.flow-1)
	case token.SequenceEntryType:
		if g.flow == 0 {
			g.indented(t.Position.Column)
		}
	case token.MappingValueType:
		if g.flow > 0 {
			return
		}
		if before.Position != nil && before.Position.Line == t.Position.Line {
			t = before
		}
		g.indented(t.Position.Column).keys++
	default:
	}
}

func (g *gauge) prefixed(before, t *token.Token) {
	switch {
	case t.Type == token.AnchorType, t.Type == token.TagType, t.Type == token.MappingKeyType:
		g.prefixes++
	case before.Type != token.AnchorType: // else it is the anchor's name
		g.prefixes = 0
	}
}

// block is a list or mapping that is open, by the column of its entries.
type block struct{ column, keys int }

// indented is the block whose entries stand in a column.
func (g *gauge) indented(column int) *block {
	for len(g.blocks) > 0 && g.blocks[len(g.blocks)-1].column > column {
		g.blocks = g.blocks[:len(g.blocks)-1]
	}
	if len(g.blocks) == 0 || g.blocks[len(g.blocks)-1].column < column {
		g.blocks = append(g.blocks, block{column: column})
	}
	return &g.blocks[len(g.blocks)-1]
}
