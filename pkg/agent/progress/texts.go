package progress

// The fixed texts that people read while a turn or a task runs; a translation replaces this file.
const (
	textNoOutput     = "(no output)"
	textCallFailed   = "%s failed: %s"
	textStillWorking = "still working"
	textTaskRuns     = "Task %#q (%s): *%s*"
)
