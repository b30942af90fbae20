package admin

// The fixed texts that people read of the operator's operations, in chats and on the
// command line; a translation replaces this file.

// Messages to a person in a chat, after the operator has given them access.
const (
	textPaired      = "You now have access. Please write again: earlier messages were not read."
	textPairedOwner = "You now have access, with the rights of an owner. Please write again: earlier messages were not read."
)

// Where a tool would run that the operator calls, at the end of its question.
const textInChat = " in %s"

// Hints behind an error: the error, and the name of the program.
const (
	textHintHeld    = "%[1]w: see what is missing with %[2]s store check, then run %[2]s store release"
	textHintRelease = "%[1]s: see what is missing with %[2]s store check, then run %[2]s store release"
	textHintNone    = "%[1]w: %[2]s chat and %[2]s run make one"
)

// Errors of operations, with the command that helps, and their reports.
const (
	textNoGrant         = "there is no grant %s: %s approvals grants lists them"
	textNoApproval      = "there is no approval %s: %s approvals list shows them"
	textApprovalExpired = "approval %s has expired: the bot asks again when it makes the call again"
	textAuditGone       = "the audit log is gone: the store in %s was used, and no row of it is in %s; put the folder back, " +
		"or keep in mind that nothing before the next row is on record"
	textForgetBegun        = "it is not forgotten yet: %w; the gateway tries again, and status tells"
	textForgetLater        = "it is forgotten, and a part of it is still on the disk: %w; the gateway tries again, and status tells"
	textNotRunning         = "no gateway is running"
	textBrokeOff           = "the running gateway broke off its answer: it is stopping, or another user runs it"
	textUnreachable        = "the running gateway cannot be reached: %w"
	textByOperator         = "by the operator"
	textNoSchedule         = "there is no schedule %s: %s jobs list shows the schedules"
	textScheduleConfigured = "the schedule %s comes from the configuration: remove agent.heartbeat there, or pause it here"
	textUnknownOperation   = "this gateway does not know %q: is it another version?"
	textCodeExpired        = "the code %s has expired: the person gets a new one by writing to the bot again"
	textNoSuchCode         = "no person waits with the code %s: %s pair list shows the people who wait"
	textNotPaired          = "%s is not paired: %s pair list shows the paired people; a person on an allow list is removed there"
	textTokenPersonOf      = "%q is no person who comes by HTTP: write web: and a name, such as web:ada"
	textTokenPersonName    = "the name of the person is too long, or has characters that cannot be seen: write at most %d bytes"
	textTokenRight         = "%q is no right of a token: write %s"
	textDays               = "--days is 1 to %d"
	textTokenModel         = "%q is no model of the configuration: write one of %s"
	textTokenNote          = "the note is too long: write at most %d characters"
	textTokenExpires       = "%q is no time span: write one such as 90d or 12h, at most ten years, or never"
	textNoSuchToken        = "there is no token %s: %s token list shows the tokens"
	textNoWeb              = "no gateway with a page is running: set http.listen in the configuration and start %s run"
	textBrowser            = "a browser"
	textBusy               = "too many operations are under way"
	textBadRequest         = "the request cannot be read"
	textOtherProtocol      = "the running gateway speaks admin protocol %d, this command %d: use the same version of both"
	textNoConversation     = "there is no conversation %s: %s sessions list shows the conversations"
	textSeveralAccounts    = "several accounts have a chat %s: write %s or %s"
	textNoSpool            = "the rest of the answer cannot be kept until it is read: %w: make room there, " +
		"or name another folder with TMPDIR"
	textNoSnapshot   = "the snapshot cannot be read: %w: snapshots are in %s"
	textNotHeld      = "the store is not held: there is nothing to release"
	textReleased     = "the store is released: the gateway runs and sends what waits"
	textStoreCounts  = "%s: %s, %s, %s; %d waiting, %d sending, %d set aside"
	textMoreProblem  = "more problem"
	textMoreProblems = "more problems"
	textHeld         = "the store is held: when you have seen the missing part, run %s store release"
	textBadDay       = "the day %s: write a day such as 2026-01-31"
	textDaysReversed = "the days from %s to %s are none: write the earlier day first"
	textBadColumn    = "%q is no column, or stands there twice: write some of %s, with commas between them"
	textBadPurpose   = "%q is no purpose: write one of %s"
	textNoTask       = "there is no task %s: %s tasks list shows the tasks"
	textNoTool       = "there is no tool %s: %s tool list shows the tools"
)

// The page of a tool.
const (
	textPageChanges      = "May it change things?"
	textPageAsks         = "Is a person asked before?"
	textPageLevel        = "Level that the chat needs"
	textPageRepeat       = "The same call again in a turn"
	textPageBeside       = "Beside other calls of an answer"
	textPageCrash        = "After a crash in the middle"
	textPageTime         = "Time limit"
	textPageLongest      = "Longest result"
	textPageCut          = "%d bytes; a longer one is cut in the middle"
	textPageReads        = "No, it only reads."
	textPageExecutes     = "Yes: it runs commands or code."
	textPageDestroys     = "Yes: it may overwrite or delete."
	textPageEveryCall    = "Yes, for every call. Only `approval: never` for this tool by name waives it, except for calls that always ask."
	textPageUnless       = "Yes, unless the operator has set `approval: never` for this tool by name."
	textPageDepends      = "It depends on the call: yes where it would overwrite, delete or execute something, or reach a new destination."
	textPageNotByDefault = "Not by default; yes with `approval: side_effects`, and in a turn that has read untrusted content."
	textPageKeeps        = "Not by default; yes with `approval: side_effects`, and while the conversation shows untrusted content."
	textPageUntrusted    = "Untrusted content: afterwards, calls that write, execute or reach a new destination ask."
	textPageInside       = "No content from outside."
	textPageRunsAgain    = "Runs again."
	textPageRunsAnew     = "Runs again: the answer may be another."
	textPageMemory       = "Is answered from memory, with a note, until a call may have changed something."
	textPageAlone        = "Runs alone."
	textPageRunsBeside   = "Runs beside them."
	textPageRerun        = "It is run again."
	textPageNotRerun     = "It is not run again: the model is told that it is unknown whether it took effect."
)
