package web

import "time"

// A page's tree is bounded while it is built, whatever its bytes are; with these
// bounds the libraries that work on it cost what markdown_test.go measures.
const (
	maxNodes = 40_000
	maxDepth = 60
	maxText  = 1 << 20
	// maxMarkdown bounds what is kept of the text that comes of a page.
	maxMarkdown = 2 << 20
	// maxWeight bounds the tree, each byte of it as often as it has ancestors: that
	// often it is read or copied. An element weighs nodeWeight bytes, and one that is
	// left out as much as anewWeight elements.
	maxWeight  = 16 << 20
	nodeWeight = 32
	anewWeight = 10
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
