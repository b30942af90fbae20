package attach

// The words of the console.
const (
	textStatus     = "the gateway answers HTTP %d"
	textOldGateway = "the gateway that runs is of an older release, which knows no consoles: start it again"
	textNoFile     = "it is no file"
	textEvent      = "an event of the gateway cannot be read: %w"
	textGone       = "the gateway has ended, and did not come back: %w"
	textLost       = "the gateway does not answer; waiting for it, and sending again what it did not take"
	textBack       = "the gateway is back"
	textTakenOver  = "the console that ran the gateway has left; this one runs it now"
	textOther      = "another console: %s"
	textAnswer     = "in answer to: %s"
	textEarlier    = "more came before; all of it: %s sessions show console:%s"
	textGoesOn     = "the conversation %s goes on, last on %s: %s"
	textBegins     = "a new conversation: %s"
	textTime       = "2 January 15:04"
	textWaits      = "This call still waits for your decision: %#q.\n\n%s"
	textJob        = "by a schedule"
	textTask       = "by a task in the background"

	textAllowOnce = "Allow once"
	textAllowHere = "Allow here"
	textDeny      = "Deny"
)
