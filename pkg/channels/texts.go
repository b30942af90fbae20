package channels

// The fixed texts that people read on every platform; a translation replaces this file.
const (
	textSentLate       = "(This is from %s; I could not send it sooner.)\n\n"
	textFileInstead    = "%s\n\nThe file %s (%s) %s."
	textFileHere       = "cannot be sent here"
	textFileRefused    = "could not be sent: the platform refused it"
	textFileEmpty      = "empty"
	textFileNameless   = "file"
	textFilesLeftOut   = "\n[%d files were left out]"
	textCutHere        = "\n[cut here: the message was %d bytes long]"
	textNobodyPresses  = "no person can press a button here: ask for it in a terminal, or in a chat with buttons"
	textQuestionLong   = "the text does not fit into one message"
	textQuestionChange = "the text would not arrive as it is written"
	textButtons        = "the buttons are not valid"
)
