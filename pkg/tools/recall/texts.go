package recall

// The texts for the model.
const (
	textDescription = "Search this whole conversation, also what you no longer see, newest first."

	textWords   = "words must be 1 to 300 bytes, with 10 words at most; or name one entry"
	textBoth    = "give words or entry, not both"
	textOutside = "this can be done only in a conversation: no session belongs to this call"
	textBusy    = "too many searches of this chat wait already: try again later"
	textNoEntry = "there is no entry %d: the newest is %d"
	textUndone  = "entry %d was taken out of the conversation by a person"
	textDamaged = "entry %d is damaged and cannot be read"

	textNone     = "No entry has all of these words. Try fewer, or other ones."
	textSkipped  = "Damaged entries that could not be searched: %d."
	textFurther  = "The search ended at its limit, before entry %d: call again with before."
	textCutEntry = "The entry is longer than this: only its beginning is shown."
)

// The origins of entries.
const (
	fromMessage = "message"
	fromSummary = "summary"
	fromModel   = "you"
	fromTool    = "result of "
)
