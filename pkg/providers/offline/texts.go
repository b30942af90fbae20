package offline

// The fixed texts with which the model answers; a translation replaces this file. The
// grammar, which reads people's words, is another matter.

// About itself.
const (
	textName         = "Parley's offline model"
	textNameVersion  = textName + " (%s)"
	textIntroduction = "I am %s: a small built-in program, not an AI, that works without a key or a network. " + textConnect
	textConnect      = "To connect a real model, set OPENAI_API_KEY or name one under models: in parley.yaml."
	textConnectHow   = "To connect a real model, set OPENAI_API_KEY in the environment and start again, or name one under " +
		"models: in parley.yaml. "
	textHelp = `

I understand:
- arithmetic: what is 17*23?, 15% of 80, square root of 2
- the time: what time is it in Tokyo?
- files of the workspace: list the files, show MEMORY.md, find files named *.md, which files mention milk, how big is MEMORY.md, send MEMORY.md
- reminders: remind me in 2 minutes to drink water, every monday at 9 show MEMORY.md, what is scheduled, cancel reminder ID
- background tasks: in the background: 3*4+5
- any tool: /tool NAME JSON, such as /tool calculator {"expression":"2^200"}`
	textHello   = "Hello! %s Say help to see my commands."
	textWelcome = "You're welcome."
	textGoodbye = "Goodbye!"
	textFine    = "I am a program and work as I should, thank you."
)

// Messages that it does not understand.
const (
	textMisunderstood = "I did not understand that"
	textUnknownAgain  = textMisunderstood + ". Say help to see my commands."
	textUnknown       = textMisunderstood +
		": I am Parley's offline model and know only arithmetic, the time, the files of the workspace, reminders and /tool NAME JSON. " +
		"Say help for examples. For everything else connect a real model: set OPENAI_API_KEY or name one under models: in parley.yaml."
	textUnknownPart = "I did not understand “%s”."
	textPicture     = "I cannot look at pictures; a real model can."
	textEmpty       = "That message was empty."
)

// Background tasks, approvals and tools.
const (
	textTaskEnded     = "Task %s ended (%s):\n%s"
	textTaskDone      = "Task %s is done:\n%s"
	textWithoutCall   = "I continued without the call: %s"
	textNoResult      = "The call of %s has no result."
	textNoMoreCalls   = "I would need the tool %s for that, and I may not call another tool in this answer."
	textOnlyTool      = "I would need the tool %s for that, and I may call only %s now."
	textNoTools       = "The tool %s is not available in this chat; no tools are."
	textOtherTools    = "The tool %s is not available in this chat. These are: %s."
	textCallFailed    = "%s failed (%s): %s"
	textInBackground  = "I work on that in the background, as task %s, and tell you when it is done."
	textNothingSaid   = "Nothing was said yet."
	textWhichZone     = "In which time zone are you? Tell me, such as: I am in Europe/Vienna."
	textMore          = "There are more."
	textIsScheduled   = "%s is %s: %s."
	textCancelled     = "%s is cancelled."
	textNoneScheduled = "Nothing is scheduled."
	textScheduled     = "Scheduled:"
)
