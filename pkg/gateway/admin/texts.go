package admin

// The fixed texts that people read of the operator's operations, in chats and on the
// command line; a translation replaces this file.

// What a person is told in a chat once the operator has let them in.
const (
	textPaired      = "You now have access. Please write again: earlier messages were not read."
	textPairedOwner = "You now have access, with the rights of an owner. Please write again: earlier messages were not read."
)

// Where a tool would run that the operator calls, at the end of its question.
const textInChat = " in %s"

// Hints behind an error: the error, and the name of the program.
const (
	textHintHeld = "%[1]w: see what is missing with %[2]s store check, then run %[2]s store release"
	textHintNone = "%[1]w: %[2]s chat and %[2]s run make one"
)
