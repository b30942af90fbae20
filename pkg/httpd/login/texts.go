package login

// The sentences that people read on the page before they are logged in.
const (
	textName     = "write your name with 1 to 32 letters a to z, digits and hyphens; it begins with a letter"
	textReserved = "this name is the operator's own: choose another one"
	textFull     = "many people wait to be let in: try again in a few minutes"
	textLink     = "this link is used or over: ask for a new one with parley web open"
	textInternal = "the gateway has failed at this request: its log says more"
)
