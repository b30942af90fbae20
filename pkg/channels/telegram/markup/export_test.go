package markup

import "github.com/yuin/goldmark/ast"

// Parse is the tree that Render walks over.
func Parse(md string) (ast.Node, []byte) {
	source := []byte(clean(md))
	return parse(source), source
}

// Columns is the width of a text in letters of one width.
func Columns(s string) int { return columnsOf(s) }
