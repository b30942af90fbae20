package corpora

// The texts for the model.
const (
	textSearch = "Find passages in this chat's corpora, the folders of documents that the operator gave it, by words. Answer from the " +
		"passages, and cite the file and lines of each that you use, as in (leave.md, lines 12-18). Say so if they do not have the answer."
	textList = "List this chat's corpora: how many files are indexed, which are not and why, and whether indexing goes on."

	textNone     = "this chat has no corpora"
	textQuery    = "query must be 1 to 300 bytes"
	textMost     = "most must be 1 to 10"
	textUnknown  = "this chat has no corpus %s; it has %s"
	textBusy     = "too many searches of this chat wait already: try again later"
	textNotReady = "the corpora cannot be searched yet: their index is being opened; try again in a moment"

	textNothing = "No passage has any of these words. Try other ones."
	textCut     = "Further passages that had no room: %d. Ask for them with more exact words."
	textGoesOn  = "%s is being indexed: %d files so far, %d wait."
	textTrouble = "%s cannot be read at the moment; the operator sees the reason in the log."
)
