package command

// The fixed texts that people read in a chat. A verb such as %s takes a name, a time or
// another text of this file; a translation replaces this file.

// The commands, for /help and the menus of the platforms.
const (
	textDoesHelp     = "list the commands"
	textDoesNew      = "begin a new conversation"
	textDoesResume   = "list earlier conversations, or go on with one"
	textDoesHistory  = "show the last exchanges"
	textDoesRetry    = "ask the last question again"
	textDoesUndo     = "take the last exchange out of the conversation"
	textDoesCopy     = "copy the last answer to the clipboard"
	textDoesStop     = "stop the answer in progress"
	textDoesStatus   = "show the model, the conversation, open questions and permissions"
	textDoesModel    = "show which model answers here, or choose another one"
	textDoesUsage    = "show the length of the conversation and today's use"
	textDoesCompact  = "replace the conversation by a summary"
	textDoesSchedule = "list the schedules, or change one"
	textDoesTasks    = "list the background tasks"
	textDoesCancel   = "end a background task"
	textDoesRevoke   = "list what is allowed here in advance, or revoke it"
	textDoesForget   = "delete this chat for good, with all copies"
	textDoesMemory   = "list what is remembered here, or remove a fact"
	textDoesLink     = "show this chat on your page in the browser"
	textDoesUnlink   = "take this chat off the page"
	textDoesTools    = "list the tools of this chat, or describe one"
	textDoesTool     = "call a tool directly, without the model"
)

// The answers to commands that there are not.
const (
	textDidYouMean = "There is no command %s. Did you mean %s? %s lists the commands."
	textAlone      = "%s stands alone: nothing was done, because words follow it. Write %s, or send the words as a message."
	textUnknown    = "There is no command %s. %s lists the commands. To begin a message with a slash, write two: //%s"
	textOr         = " or "
)

// The answers to /start, /help, /new, /stop, /model and /tools.
const (
	textHello           = "Hello, I am Parley, a chat bot. The model %s answers your messages.\n\n%s"
	textHelp            = "Write to me in your own words. Commands:\n"
	textNewConversation = "New conversation started. The old one is kept, but the model no longer sees it."
	textNothingToStop   = "No answer is in progress."
	textModel           = "Model: %s. The operator sets it in the configuration (agent.model)."
	textNoTools         = "This chat has no tools."
	textTools           = "The tools of this chat; %s NAME describes one."
	textToolsRead       = "\n\nTo look up and work out: %s"
	textToolsAct        = "\n\nTo change, send or start something: %s"
	textToolsCounts     = "\n\nCalls in all chats since the gateway started:"
	textToolsCount      = "\n- `%s`: %s"
	textToolsUnknown    = "\n- of names without a tool: %s"
	textToolAbout       = "`%s`: %s"
	textToolCounts      = "\nIn all chats since the gateway started: %s"
	textNoTool          = "There is no tool %s in this chat. %s lists the tools."
	textModelNow        = "Model: %s"
	textModelGone       = "\nThis chat had chosen %s, which is no longer configured."
	textModelChoices    = "\n\nModels:\n%s\n\n%s NAME lets another one answer in this chat, %s lets the configured one answer again."
	textModelMark       = "chosen here"
	textModelDefault    = "default"
	textModelUnknown    = "There is no model %s. Write one of these names:\n%s"
	textModelChosen     = "From the next message on, the model %s answers in this chat."
	textModelLevel      = "Model: %s. Choosing another one needs the level write, and yours is %s here."
)

// The answers to /history, /retry, /undo, /resume and /copy.
const (
	textNoHistory       = "This conversation is empty."
	textHistoryHelp     = "Write %s alone, or with how many exchanges you want to see, up to %d."
	textHistoryMore     = "The last %d exchanges:"
	textHistoryYou      = "You: %s"
	textHistorySchedule = "Schedule: %s"
	textHistoryAnswer   = "Answer: %s"
	textHistoryNoAnswer = "(no answer)"
	textHistoryTools    = "Tools: %s"
	textNothingToRetry  = "There is no question to ask again in this conversation."
	textNothingToUndo   = "There is no exchange to take out: this conversation is empty, or begins with a summary. %s begins a new one."
	textUndoneQuestion  = "Taken out of the conversation: “%s” and all that followed. The model does not see it any more. " +
		"The store keeps it, and what it did stays done."
	textUndoneSchedule = "Taken out of the conversation: the last run of a schedule (%s) and all that followed. The model does not see it " +
		"any more. The store keeps it, and what it did stays done."
	textUndoLevel = "In a group, the person who asked, an owner, or somebody with the level write takes an exchange out. " +
		"Your level here is %s."
	textNothingLeft    = "There is no earlier conversation in this chat: %s leaves one behind."
	textLeft           = "Earlier conversations of this chat:"
	textConversation   = "“%s” (until %s)"
	textUntitled       = "without words of a person"
	textHowToResume    = "\n\n%s NUMBER goes on with one of them. The present one is kept."
	textNoConversation = "There is no earlier conversation %s in this chat. %s lists them."
	textResumeLevel    = "In a group, an owner or somebody with the level write changes the conversation. Your level here is %s."
	textResumed        = "Going on with %s. The conversation until now is kept: %s lists it."
	textResumedLast    = "\n\nIts end:\n"
	textCopyElsewhere  = "Only the console in a terminal copies by itself. Here, select the message and copy it."
)

// The answer to /status.
const (
	textStatusModel        = "Model: %s\n"
	textStatusConversation = "Conversation: %s, %s, since %s\n"
	textStatusLevel        = "Level: %s\n"
	textStatusApproval     = "Open approval: `%s`, approval %s, until %s\n"
	textStatusRevoke       = "%s ID ends such a permission.\n"
	textStatusWaiting      = "The gateway, in all chats: messages to answer: %d, to send: %d; background tasks: %d"
	textStatusUnwritable   = "\nThe store cannot be written: %s"
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
