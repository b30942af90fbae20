package task

// The fixed texts that people read of a task. A verb such as %s takes a name or a time;
// a translation replaces this file.
const (
	textCancelled   = "Task %s was cancelled by %s."
	textTooLong     = "Task %s did not end within %s and was stopped."
	textInterrupted = "Task %s was interrupted when the gateway stopped, and was not run again."
	textOperator    = "the operator"
	textOver        = "Task %s has ended (%s)."
)

// The reports of tasks.
const (
	textReport        = "Report of task %s:\n\n%s"
	textTakenOut      = "The question that task %s belongs to was taken out of the conversation. The model does not read this:\n\n%s"
	textReportLost    = "The gateway stopped three times while it read the result of task %s."
	textReportLate    = "(This is from %s; I could not tell you sooner.)\n\n"
	textNotRead       = "\n\nI have not read this report. %s"
	textResultNotRead = "A task has ended, and I have not read its result. %s"
	textResultKept    = "A task has ended, and I cannot read its result today. %s " +
		"The result is kept in this conversation: ask me about it later."
)

// TextWaits tells a person that a background agent has no place.
const TextWaits = "waiting for a place: other background agents are running"

// The answers to /tasks and /cancel.
const (
	textWhichTask    = "Which task? Write %s and its name.\n\n%s"
	textNoSuchTask   = "There is no such task in this chat. %s lists the tasks."
	textNotYourTask  = "Only %s, a person with the level of the task, or an owner can cancel it."
	textTaskEnded    = "Task %s has already ended: %s."
	textNoTasks      = "This chat has no background tasks."
	textRunningTasks = "Running tasks:\n"
	textRunningTask  = "- %s %s, since %s, until %s at the latest"
	textNoneRuns     = "- none\n"
	textHowToCancel  = "%s NAME cancels a task.\n"
	textEndedTasks   = "\nEnded tasks:\n"
	textEndedTask    = "- %s %s: %s, %s\n"
)
