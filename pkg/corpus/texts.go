package corpus

// The notes of a state.
const (
	textOver  = "%d files are beyond the bounds of a corpus, %d files and %s, and are not indexed"
	textLinks = "%d links are not followed"
	textOdd   = "%d names are no plain files: pipes, names with control characters, or too deep below the folder"
	textBlind = "%d folders in it cannot be read"
	textFull  = "the folder has more than %d names: the rest is not looked at"
)

// The words of a summary.
const (
	textCounts    = "%d files indexed, %d not read, %d waiting"
	textFirstLook = "; the first look goes on"
)

// The reasons for which a file is not indexed.
const (
	textLarge    = "it is larger than %s"
	textNotText  = "it is no text in UTF-8"
	textNoReader = "this build reads no %s files"
	textNoRight  = "the gateway may not read it"
	textHeadings = "it has too many headings"
	textBounds   = "it is beyond the bounds of the index"
	textMoment   = "it cannot be read at the moment; the log has the reason"
	textLinked   = "it has several names (hard links)"
	textFailed   = "it cannot be read: %v"
)
