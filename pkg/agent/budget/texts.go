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
	textUsedKinds      = "\nOf these tokens, %d came from the cache of a model's server, and %d were reasoning."
	textUsedModels     = "\nBy model:"
	textUsedModel      = "\n- %s: %s"
	textUsedYours      = "\n- for you, of this: %s"
	textLastTurn       = "\nThe last turn: %s."
	textAnswer         = "%d answer"
	textAnswers        = "%d answers"
	textRead           = ", %d tokens read"
	textCached         = " (%d cached)"
	textWritten        = ", %d written"
	textReasoning      = " (%d reasoning)"
)
