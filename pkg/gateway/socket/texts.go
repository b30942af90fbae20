package socket

// The refusals and errors.
const (
	textNotAdmin = "user %d may not use this gateway: be its own user, root, or in the group that " +
		"admin.group names"
	textFull        = "too many connections to the gateway are open: try again"
	textMoreRefused = " (and %d more since the row before)"
	textNoGroup     = "%w: there is no group %s here: name one of the machine, or give its number"
	textGroupKept   = "%w: the state folder cannot be opened to the group %s: %w"
)
