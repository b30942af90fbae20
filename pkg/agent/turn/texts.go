package turn

// The fixed texts that people read in a chat. A verb such as %s takes a name, a time or
// another text of this file; a translation replaces this file.

// WrittenLate begins a late answer to something that a person wrote.
const WrittenLate = "(You wrote this %s; I could not answer sooner.)\n\n"

// How far a turn is, and how it was ended.
const (
	textUsing = "using %s"
	// For those who read along.
	textNoTools   = "A call of a tool was required, and this turn has no such tool: the message is answered without it."
	textShortened = "The older part of the conversation was left out: it is too long for the model."
)

// Answers that did not come, or not as a whole.
const (
	textSetAside     = "Your last message was set aside: the gateway stopped three times while it worked on it. Please write it differently."
	textAllSetAside  = "%d messages were set aside: the gateway stopped three times while it worked on them. Please write them differently:"
	textNothingToAdd = "I have nothing to add."
	textCutOff       = "\n\n(The answer was cut off: it reached the model's length limit.)"
	textFilteredEnd  = "\n\n(The model's content filter ended the answer here.)"
	textStepsNote    = "\n\n(I stopped after %d steps, the limit for one answer.)"
	textSteps        = "I stopped after %d steps, the limit for one answer, without a result."
	textEmptyAnswer  = "The model gave an empty answer. Please try again, or write it differently."
	textRefused      = "This was not answered: its sender, or the token that brought it, is not let in any more."
	textNoAnswer     = "(this ended without an answer)"
	textInternal     = "An internal error ended my work on this. The log of the gateway says more."
	textTooLarge     = "This is more than the model can read at once. Please send it, or ask for it, in smaller parts."
	textSendNew      = " Send %s to start a new conversation."
	textTookTooLong  = "This took too long and was stopped. Please try again."
	textLimitInside  = "I stopped before I was done. %s Everything done so far is kept."
)

// TextStopped says that /stop has ended an answer.
const TextStopped = "Stopped."
