package web

import "time"

// A page's tree is bounded while it is built, whatever its bytes are, which also
// bounds the work of the libraries. The weight of a tree is each byte of it as often
// as it has ancestors: that often it is read or copied. An element weighs nodeWeight
// bytes, and a left out one counts as anewWeight elements.
const (
	maxNodes   = 40_000
	maxDepth   = 60
	maxText    = 1 << 20
	maxWeight  = 16 << 20
	nodeWeight = 32
	anewWeight = 10
)

// In Markdown every row of a table is as wide as the widest. The cells that
// colspan and rowspan add are counted over all tables of a page.
const (
	maxColumns = 200
	maxCells   = 20_000
	maxSpan    = 5_000
)

// The longest attribute that is kept (addresses aside), and the longest tag that is read.
const (
	maxAttribute = 256
	maxToken     = 128 << 10
)

// The longest title and extract of a search result.
const (
	maxTitle   = 300
	maxSnippet = 600
)

// The most text that is kept of a page, and the most time to make it.
const (
	maxMarkdown = 2 << 20
	maxConvert  = 5 * time.Second
)
