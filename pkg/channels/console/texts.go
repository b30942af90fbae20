package console

// The fixed texts that people read on the console; a translation replaces this file.
const (
	textLineTooLong  = "this line is longer than 1 MiB and was not read"
	textNotStored    = "this message was not stored, please send it again: %s"
	textBlockDropped = "the unfinished block was dropped"
)
