package consoles

// The refusals.
const (
	textNoUser  = "the user at the other end of the socket is unknown"
	textNotNow  = "the gateway is stopping: try again"
	textTooMany = "too many consoles are attached, or too many of their requests are under way: try again"
)
