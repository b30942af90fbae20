package senses

// The sentences for people, with the reason at their end.
const (
	textDeaf        = "I could not listen to your voice message: %s."
	textBlind       = "I could not look at your picture: %s."
	textNoVoice     = "I did not get your voice message: %s."
	textNoPicture   = "I did not get your picture: %s."
	textNoWords     = "there are no words in it"
	textNothingSeen = "(the model that sees said nothing of it)"
)

// The notes for the model, each behind the outcome of a file.
const (
	noteHeard   = "written down:"
	noteCut     = "written down, without its end:"
	noteSeen    = "described by a model that sees:"
	noteTold    = "%s (the person has been told)"
	noteUnseen  = "not shown: %s"
	noteUnheard = "not written down: %s"
	noteTooMany = "not written down: the message has more recordings than are listened to"
)
