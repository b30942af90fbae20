package history

// textForeign is the reason for a history in memory alone.
const textForeign = "%s belongs to another user"
