package web

import "time"

// A page's tree is bounded while it is built, whatever its bytes are; with these
// bounds the libraries that work on it cost what markdown_test.go measures.
const (
	maxNodes = 40_000
	maxDepth = 80
	maxText  = 1 << 20
	// maxWeight bounds the text of the tree, each byte as often as it has
	// ancestors: that often readability may read it, several times over.
	maxWeight = 16 << 20
	// maxSpan bounds the cells that colspan and rowspan add to all tables of a page.
	maxSpan = 5_000
	// maxColumns and maxCells bound one table, whose short rows are filled up.
	maxColumns = 200
	maxCells   = 20_000
	// maxAttribute is the longest attribute that is kept, addresses aside.
	maxAttribute = 256
	// maxToken is the longest tag; what is longer is left out.
	maxToken = 128 << 10
	// maxTitle and maxSnippet bound what is shown of a search result.
	maxTitle   = 300
	maxSnippet = 600
	// maxConvert bounds the conversion of a page.
	maxConvert = 5 * time.Second
)
