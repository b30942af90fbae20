package web

// The sentences that the page reads.
const (
	textNotFound = "there is no such file: load the page again"
	textBody     = "the request cannot be read"
)
