package markup

import (
	"github.com/yuin/goldmark/ast"

	"parley/pkg/channels/markdown"
)

// Parse is the tree that Render walks over.
func Parse(md string) (ast.Node, []byte) {
	source := []byte(markdown.Clean(md, removed))
	return markdown.ParseSpoilers(source), source
}

// Columns is the width of a text in letters of one width.
func Columns(s string) int { return markdown.Columns(s) }
