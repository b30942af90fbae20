package agent

// The fixed texts that people read in a chat. A verb such as %s takes a name, a time or
// another text of this file; a translation replaces this file.

// The commands, for /help and the menus of the platforms.
const (
	textDoesHelp     = "list the commands"
	textDoesNew      = "start a new conversation"
	textDoesStop     = "stop the answer in progress"
	textDoesStatus   = "show the model, the conversation and open approvals"
	textDoesModel    = "show which model answers"
	textDoesUsage    = "show the length of the conversation and today's use"
	textDoesCompact  = "replace the conversation by a summary"
	textDoesSchedule = "list the schedules; remove, pause or resume ID"
	textDoesTasks    = "list the background tasks"
	textDoesCancel   = "NAME: cancel a background task"
	textDoesTools    = "list the tools of this chat"
	textDoesTool     = "NAME JSON: call a tool directly"
)

// The answers to /start, /help, /new, /stop, /model and /tools.
const (
	textHello           = "Hello, I am Parley, a chat bot. The model %s answers your messages.\n\n%s"
	textHelp            = "Write to me in your own words. Commands:\n"
	textNewConversation = "New conversation started. The old one is kept, but the model no longer sees it."
	textNothingToStop   = "No answer is in progress."
	textModel           = "Model: %s. The operator sets it in the configuration (agent.model)."
	textNoTools         = "This chat has no tools."
)

// The answer to /status.
const (
	textStatusModel        = "Model: %s\n"
	textStatusConversation = "Conversation: %s, %s, since %s\n"
	textStatusLevel        = "Level: %s\n"
	textStatusApproval     = "Open approval: `%s`, approval %s, until %s\n"
	textStatusWaiting      = "Waiting: %d in, %d out; tasks: %d"
	textStatusUnwritable   = "; the store cannot be written: %s"
	textOneEntry           = "1 entry"
	textEntries            = "%d entries"
)

// The answers to /usage and /compact.
const (
	textUsage = "This conversation has %s. The next request to the model includes %d of them: about %d of at most %d tokens. " +
		"%s replaces them by a summary, %s starts a new conversation.\n\n%s"
	textNothingToCompact = "This conversation is empty: there is nothing to summarise."
	textNoSummary        = "The model gave an empty answer."
	textCompacted        = "Done. This summary replaces the conversation:\n\n%s"
	textNotCompacted     = "The conversation could not be summarised and stays as it is. %s"
)

// Background tasks: the answers to /tasks and /cancel.
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

// Background tasks: the notices of their ends.
const (
	textTaskFailed    = "Task %s failed. %s"
	textTaskRefused   = "Task %s was ended: its creator no longer has access."
	textTaskLost      = "The gateway stopped three times while it ran."
	textTaskSteps     = "It stopped after %d steps, the limit for one task."
	textTaskNoReport  = "It wrote no report."
	textTaskStepsNote = "\n\n(It stopped after %d steps, the limit for one task.)"
	textTaskCutOff    = "\n\n(The report was cut off: it reached the model's length limit.)"
	textTaskWaits     = "waiting for a place: other background agents are running"
	textTaskWorks     = "running"
	textTaskStep      = "step %d: using %s"
)

// Approvals.
const (
	textAllowOnce         = "Allow once"
	textAllowHere         = "Allow here"
	textDeny              = "Deny"
	textQuestion          = "%s\n\n%s\n\nApproval %s, until %s. Only %s or an owner can decide."
	textOpenQuestion      = "This call still waits for your decision: %#q.\n\n%s\n\nApproval %s, until %s."
	textForTask           = " for task %s"
	textAllowed           = "Allowed %s by %s: %#q."
	textOnce              = "once"
	textHere              = "here, for 24 hours"
	textDenied            = "Denied by %s: %#q was not run."
	textUnknownApproval   = "There is no such approval in this chat."
	textCallChanged       = "The call was not run: it would no longer do what the question showed. Ask for it again."
	textCallUnreadable    = "The stored call cannot be read. It was not run."
	textApprovalDecided   = "Approval %s is already decided: %s."
	textNotYourApproval   = "Only %s or an owner can decide on approval %s."
	textOnlyOnce          = "Calls of %s can only be allowed one at a time."
	textApprovalExpired   = "Approval %s expired at %s. The call was not run; ask for it again."
	textApprovalNoAnswer  = "Approval %s expired without a decision. The call was not run."
	textApprovalTaskEnded = "The task that asked for this approval has ended. The call was not run."
	textRequesterRefused  = "The call was not run: %s may no longer use %s here."
	textTaskNeedsApproval = "The approval of %#q expired, and the task could not continue without it."
	textLostBeforeCall    = "The gateway stopped three times while it worked on approval %s. %#q was not run."
	textLostInCall        = "The gateway stopped three times while it worked on approval %s. It is unknown whether %#q took effect."
	textOperator          = "the operator"
)
