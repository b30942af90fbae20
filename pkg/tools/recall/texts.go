package recall

// The texts for the model.
const (
	textDescription = "Search the past of this chat: what you no longer see, and conversations before /new. Best match first."

	textQuery   = "query must be 1 to 300 bytes; or name one entry"
	textBoth    = "give query or entry, not both"
	textOutside = "this can be done only in a conversation: no session belongs to this call"
	textBusy    = "too many searches of this chat wait already: try again later"
	textNoEntry = "this chat has no entry %.80q: give one of an earlier answer, such as %q"
	textDamaged = "entry %s is damaged and cannot be read"

	textNone     = "No entry has any of these words. Try other words, also in another language."
	textSkipped  = "Damaged entries that could not be searched: %d."
	textBehind   = "Not all of the past is searched yet: call again to go on."
	textCutEntry = "The entry is longer than this: only its beginning is shown."
)

// The origins of entries.
const (
	fromMessage = "message"
	fromSummary = "summary"
	fromModel   = "you"
	fromTool    = "result of "
)

// textEarlier marks entries of a conversation that the chat left behind.
const textEarlier = "earlier"
