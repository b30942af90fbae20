package subagent

// The fixed texts that people read of a background agent. A verb such as %s takes a name
// or a number; a translation replaces this file.

// The ends and the progress of an agent's task.
const (
	textTaskFailed    = "Task %s failed. %s"
	textTaskRefused   = "Task %s was ended: its creator no longer has access."
	textTaskLost      = "The gateway stopped three times while it ran."
	textTaskSteps     = "It stopped after %d steps, the limit for one task."
	textTaskNoReport  = "It wrote no report."
	textTaskStepsNote = "\n\n(It stopped after %d steps, the limit for one task.)"
	textTaskCutOff    = "\n\n(The report was cut off: it reached the model's length limit.)"
	textTaskFiltered  = "\n\n(The model's content filter ended the report here.)"
	textTaskWorks     = "running"
	textTaskStep      = "step %d: using %s"
)

// The questions for an agent's calls.
const (
	textApprovalNoAnswer  = "Approval %s expired without a decision. The call was not run."
	textTaskNeedsApproval = "The approval of %#q expired, and the task could not continue without it."
)
