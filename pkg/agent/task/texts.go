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
	textReportLate    = "(This is from %s; I could not tell you sooner.)\n\n"
	textNotRead       = "\n\nI have not read this report. %s"
	textResultNotRead = "A task has ended, and I have not read its result. %s"
	textResultKept    = "A task has ended, and I cannot read its result today. %s The result is kept in this conversation: ask me about it later."
)
