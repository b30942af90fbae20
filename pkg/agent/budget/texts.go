package budget

// The fixed texts that people read of a budget; a translation replaces this file.
const (
	textLimitReached = "Today's limit of this chat%s is used up: %s. It starts again in %s, at %s. " +
		"The operator can raise it (budgets in the configuration)."
	textForPeople      = " for messages"
	textForJobs        = " for schedules"
	textForBackground  = " for background tasks"
	textUsedToday      = "Used today, until %s:"
	textUsedPeople     = "messages"
	textUsedJobs       = "schedules"
	textUsedBackground = "background tasks"
	textUsedFor        = "\n- %s: %s"
	textUsedTotal      = "\n- total: %s"
)
