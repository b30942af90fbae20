package web

// The sentences that the page reads.
const (
	textNotFound  = "there is no such file: load the page again"
	textManyTexts = "texts are %d at most in one request"
)
