package approval

// The fixed texts of a question to a person; a translation replaces this file.
const (
	textAllow  = "Allow %s %s%s?"
	textRun    = "to run"
	textAction = "to %s %s"
	textReason = " Reason: %s."
)
