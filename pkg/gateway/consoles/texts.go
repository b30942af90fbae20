package consoles

// The refusals.
const (
	textNoUser   = "the user at the other end of the socket is unknown"
	textNotNow   = "the gateway is stopping: try again"
	textProtocol = "this console speaks version %s of the consoles' protocol, and the gateway version %s: they are of different " +
		"releases; start the gateway again, or use its own program"
	textNone    = "none"
	textTooMany = "too many consoles are attached, or too many of their requests are under way: try again"
)
