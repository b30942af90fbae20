package memory

// promptHead tells the model the origin of the facts.
const promptHead = "# Facts that you were told to remember (`remember` changes them)"

// textOutside marks a fact that was stored after content from outside had entered the turn, or the conversation
// that it reads and no person was asked.
const textOutside = "from content from outside"

// The texts for the model.
const (
	whoseChat   = "this chat"
	whosePerson = "this person, in all direct chats with them"

	textLong       = "fact must be one line of 1 to %d bytes"
	textFull       = "the memory is full: it holds %d facts or %d bytes; remove one that is out of date, or ask the person which"
	textOtherScope = "there is no fact %q to replace among those; store the new one, and forget the other by a call of its own"
	textAgent      = "a background agent remembers nothing by itself: put it into your report"
)

// textNotYours is for people and the model.
const textNotYours = "Fact %s is another person's: only they, or somebody who may change files here, remove it."

// The answers to /memory.
const (
	textHere       = "Facts of this chat, %d of %d (%d of %d bytes):"
	textEverywhere = "Facts about you, in all your direct chats, %d of %d (%d of %d bytes):"
	textRemove     = "%s remove ID removes one."
	textNone       = "Nothing is remembered here. Ask me to remember something, such as: remember that I am vegetarian."
	textHow        = "%[1]s lists what is remembered here, %[1]s remove ID removes a fact."
	textNoFact     = "There is no fact %s here. %s lists them."
	textRemoved    = "Removed: %s, %s"
)
