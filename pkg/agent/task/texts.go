package task

// The fixed texts that people read of a task. A verb such as %s takes a name or a time;
// a translation replaces this file.
const (
	textCancelled   = "Task %s was cancelled by %s."
	textTooLong     = "Task %s did not end within %s and was stopped."
	textInterrupted = "Task %s was interrupted when the gateway stopped, and was not run again."
	textOperator    = "the operator"
)
