package strictyaml

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"parley/pkg/panics"
)

// maxKeys bounds one block of keys, in which the parser's work grows with the square.
const maxKeys = 4000

// maxPrefixes is how many anchors, tags and question marks may stand before one value.
const maxPrefixes = 4

// Parse parses text into its single document; nil for an empty one. It refuses, with a
// [*Problem], a text of more levels than depth and everything else that would cost more
// than its size: the parser follows nesting by recursion.
func Parse(text string, depth int) (root ast.Node, problem *Problem) {
	if panics.Catch(func() { root, problem = parse(text, depth) }) != nil { // the library's parser may panic on any text
		return nil, &Problem{Message: "this is not YAML"}
	}
	return root, problem
}

func parse(text string, depth int) (root ast.Node, problem *Problem) {
	if !utf8.ValidString(text) {
		return nil, &Problem{Message: "is not text in UTF-8: save it as UTF-8"}
	}
	tokens := lexer.Tokenize(text)
	if problem := measure(tokens, depth); problem != nil {
		return nil, problem
	}
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		if e, ok := errors.AsType[yaml.Error](err); ok && e.GetToken() != nil {
			message, _, _ := strings.Cut(e.GetMessage(), "\n")
			return nil, problemAt(e.GetToken(), "this is not YAML: %s", message)
		}
		return nil, &Problem{Message: "this is not YAML"}
	}
	for _, doc := range file.Docs {
		if doc.Body == nil || doc.Body.Type() == ast.CommentType {
			continue
		}
		if root != nil {
			return nil, problemAt(doc.Body.GetToken(), "a second document starts here: write all into one")
		}
		root = doc.Body
	}
	return root, nil
}

func problemAt(t *token.Token, format string, args ...any) *Problem {
	p := &Problem{Message: fmt.Sprintf(format, args...)}
	if t != nil && t.Position != nil {
		p.Line, p.Column = t.Position.Line, t.Position.Column
	}
	return p
}

// measure refuses tokens that the parser should not see.
func measure(tokens token.Tokens, depth int) *Problem {
	var g gauge
	before := &token.Token{}
	for _, t := range tokens {
		g.nesting(before, t)
		g.prefixed(before, t)
		switch {
		case g.flow+len(g.blocks) > depth:
			return problemAt(t, "it is nested more than %d levels deep", depth)
		case g.prefixes > maxPrefixes:
			return problemAt(t, "more than %d anchors, tags and question marks stand here in a row", maxPrefixes)
		case len(g.blocks) > 0 && g.blocks[len(g.blocks)-1].keys > maxKeys:
			return problemAt(t, "one block has more than %d keys", maxKeys)
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

// block is an open list or mapping, by the column of its entries.
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
