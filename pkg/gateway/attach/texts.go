package attach

// The words of the console.
const (
	textStatus = "the gateway answers HTTP %d"
	textEvent  = "an event of the gateway cannot be read: %w"
	textGone   = "the gateway has ended, and did not come back: %w"
	textLost   = "the gateway does not answer; waiting for it"
	textOther  = "another console: %s"
	textAnswer = "in answer to: %s"
	textGoesOn = "the conversation of %[2]s goes on: %[1]s"
	textWaits  = "This call still waits for your decision: %#q.\n\n%s"
	textJob    = "by a schedule"
	textTask   = "by a task in the background"

	textAllowOnce = "Allow once"
	textAllowHere = "Allow here"
	textDeny      = "Deny"
)
