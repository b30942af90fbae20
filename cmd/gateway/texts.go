package main

// The fixed texts of the command line: the help of each verb, questions, errors. A
// translation replaces this file.
const (
	textApprovals        = "Decide on calls that wait for a person; list or revoke grants"
	textApprovalsList    = "List open and decided approvals"
	textApprovalsApprove = "Allow one call, once"
	textApprovalsDeny    = "Deny one call"
	textGrants           = "List grants: calls that are allowed in advance"
	textGrantsRevoke     = "Revoke a grant"
	textApprovalsLong    = `A call that overwrites, deletes or executes waits until a person has allowed it:
the person who asked or an owner, by a button below the question in the chat, or
the operator here. An approval expires after ten minutes. A grant allows the calls
of one tool for one person in one chat, for 24 hours.`
	textAuditVerify     = "Check that no row of the audit log was changed, deleted, inserted or moved"
	textAuditFrom       = "begin at the row of this number, where earlier segments were archived"
	textAuditShow       = "Show the newest rows of the audit log"
	textAuditSince      = "only rows since this time: a duration such as 2h, or a time such as 2026-01-31 or 2026-01-31T12:00:00Z"
	textAuditChat       = "only rows of this chat: its id, or CHANNEL:CHAT"
	textAuditTool       = "only rows of this tool"
	textAuditKind       = "only rows of this kind: "
	textAuditLast       = "how many rows at most; 0: all"
	textAuditJSON       = "print JSON, one row a line"
	textAudit           = "Show the audit log, or check that it is whole"
	textAuditVerifyLong = `Reads the whole audit log and checks each row and the chain. The first bad row is
named, with exit code 1. It works beside a running gateway and without one.
The hashes have no key: a person who can write the state folder can make a whole
new chain. Keep the last line of this command elsewhere to notice even that.`
	textAuditEmpty      = "the audit log is empty\n"
	textAuditWhole      = "rows %d to %d are whole, in %s"
	textAuditItself     = "; in %s the log tells of itself: %s audit show --kind audit"
	textAuditUnfinished = "; a row is being written, or was when the gateway ended"
	textAuditHash       = "%s\nrow %d has the hash %s\n"
	textAuditBadKind    = "--kind %s: write one of %s"
	textAuditBadLast    = "--last %d: write how many rows, or 0 for all"
	textAuditBadSince   = "--since %s: write a duration such as 2h, or a time such as 2026-01-31 or 2026-01-31T12:00:00Z"
	textRootLong        = `Parley answers people on their chat channels with a language model and tools.

Start with: PROGRAM chat
It needs no configuration: without one it uses a key from the environment, a
model server on this machine, or the model that is built in.

Exit codes: 0 done; 1 failed, or a message was not answered; 2 wrong usage or
configuration; 3 the state folder is in use by another gateway; 4 status: no gateway
is running; 5 doctor: a check failed; 130 interrupted; 143 ended at once by a second SIGTERM.`
	textRoot           = "A chat-bot gateway"
	textModels         = "List the models, or ask them what they can do"
	textModelsTest     = "Ask each model, or the one of this name, what it can do"
	textModelsTestLong = `Asks each model of the configuration one prompt with tools, by itself, and prints what
it can do, a row for each as it comes. It asks up to six small questions of each, which
cost as any others do, and four models at once.
Exit codes: 0 all models that have their keys can use tools; 1 one of them cannot, or
does not answer.`
	textModelsList     = "List the models and their uses"
	textModelsListLong = `Lists the models of the configuration in the order of /model, or those that are found
where it has none, with the keys of the configuration that name each of them.`
	textModelByChoice = "only by /model"
	textModelNoKey    = "; its key is missing"
	textConfigFlag    = "configuration file (default ~/.parley/parley.yaml)"
	textLogFlag       = "log level, instead of that of the configuration (chat logs only with this flag)"
	textHelp          = "Help about any verb"
	textNoHelp        = "there is no help on %q (%s --help shows what there is)"
	textVersion       = "Print the version"
	textConfigCheck   = "Check the configuration, secrets included"
	textConfigGood    = "the configuration is good\n"
	textConfigNote    = "note: %s\n"
	textConfigSchema  = "Print the JSON Schema of the configuration"
	textConfig        = "Check the configuration, or print its schema"
	textPlainFlag     = "a console of plain lines, as pipes and bare terminals have it"
	textInit          = "Make the first configuration, and ask its model a question"
	textInitLong      = `Makes ~/.parley/parley.yaml (or --config) and the workspace. It finds the keys of the
environment and the model servers on this machine, asks at most five questions, asks the
model one small question with a tool, which costs as any other does, and tells the steps
to Telegram and Slack. A key is written as the name of its variable, never as its value.
Without a terminal, with --yes, or where flags give the answers, nothing is asked: the
first model that answers is taken. A file that is there stays, unless --force is given.
Exit codes: 0 done; 1 no model answered, and nothing is written; 2 wrong usage.`
	textInitUse         = "a server that was found, such as openai, anthropic, gemini or ollama; or offline"
	textInitURL         = "base URL of another server that speaks the OpenAI protocol"
	textInitKeyEnv      = "the variable with the key for --url"
	textInitModel       = "the server's name for the model"
	textInitChannels    = "platforms to switch on: telegram, slack, both with a comma, or none"
	textInitOwner       = "a person with the rights of the console, telegram:ID or slack:TEAM/ID; may be repeated"
	textInitTelegramURL = "address of a Bot API server of your own"
	textInitNoTest      = "do not ask the model"
	textInitForce       = "replace a configuration that is there; it is kept beside the new one"
	textInitChat        = "open the console afterwards"
	textInitYes         = "ask nothing"
	textAskChat         = "Talk to it now? [Y/n] "
	textInputEnded      = "the input ended before the answer: write it as a flag, or --yes"
	textLongAnswer      = "this answer is too long"
	textAdmit           = "\nThe gateway runs now. Write to your bot (%s): it answers with a code.\n"
	textAskCode         = "the code, to become its owner (Enter: later): "
	textAdmitted        = "You are the owner: write to the bot again. The gateway runs here until Ctrl-C; " +
		"later: %s run\n"
	textAdmitLater = "later: %[1]s run, and in another terminal %[1]s pair approve --owner CODE\n"
	textForget     = "Delete a chat with all its conversations, or one that it left behind"
	textForgetLong = `Deletes a conversation for good. With the present one of a chat go those that the
chat left behind, all that waits in the chat or is kept for it, and its files. The
command asks first in a terminal; without a terminal it needs --yes. Within the hour
no file of the gateway holds a word of it; --wait returns when that is so.`
	textForgotten         = "forgotten: %s\n"
	textForgetUnderWay    = "its words leave the store and its snapshots in the background: --wait waits for that, and status tells\n"
	textForgetDone        = "no file of the gateway holds it any more\n"
	textForgetCopies      = "these copies of the store were made anew without it:\n"
	textForgetCopy        = "  %s\n"
	textForgetBackups     = "a backup that was copied elsewhere holds it: restored here, it comes without it; elsewhere, delete it\n"
	textStatusForgetting  = "forgetting\t%s, since %s: the rest is being removed from the store and its copies\n"
	textForgetWait        = "wait until no file holds it"
	textForgetYes         = "delete it without a question"
	textJSON              = "print JSON"
	textForgetGone        = "the conversation %s of %s (%s), its earlier ones and all that waits in its chat would be gone for good"
	textForgetGoneLeft    = "the earlier conversation %s of %s (%s) would be gone for good"
	textNotDeletedBecause = "nothing was deleted: "
	textTerminalOrYes     = ": run it in a terminal to be asked, or give --yes"
	textNotDeleted        = "nothing was deleted"
	textNoConfig          = "there is no configuration %s: %s init --config %s writes one"
	textSeeHelp           = "%w (%s --help shows what there is)"
	textSeeUsage          = "%w (usage: %s)"
	textJobs              = "List, show, run, pause, resume or remove schedules"
	textJobsList          = "List all schedules"
	textJobsShow          = "Show one schedule"
	textJobsRun           = "Run a schedule once, now, also a paused one"
	textJobsPause         = "Pause a schedule"
	textJobsResume        = "Resume a paused schedule"
	textJobsRemove        = "Remove a schedule"
	textJobsLong          = `A schedule says a text, or has the agent answer a prompt, once or repeatedly. A
chat makes it. The gateway runs schedules while it runs; at the next start it makes
up for missed times, six missed hours once. Run does not change when a schedule is
due next. Three failures in a row pause a schedule.`
	textJobBecause = "because: %s"
	textJobAsks    = "asks the agent"
	textJobSays    = "says"
	textNever      = "never"
	textJob        = "schedule\t%s\nname\t%s\nstate\t%s %s\nchat\t%s\nmade by\t%s\nwhen\t%s\ndue\t%s\nlast run\t%s\nfailures\t%d %s\n%s\t%s\n"
	textBadLog     = "--log %s: write one of trace, debug, info, warn, error, off"
	textSlack      = "Print the manifest of a Slack app"
	textSlackLong  = `Prints, as YAML, the manifest of a Slack app with the rights that the gateway
needs. At https://api.slack.com/apps choose Create New App, From a manifest, and
paste it there. The command writes no file.`
	textSlackName       = "name of the app and its bot"
	textToolNew         = "Make a tool of your own in the workspace"
	textToken           = "Make, list or revoke the tokens of programs"
	textTokenCreate     = "Make a token for a program, and show it once"
	textTokenCreateLong = `A program sends the token to the gateway's HTTP server as Authorization: Bearer
TOKEN, and acts in the name of the person: its chats are that person's, at most with
the level of the token. The token is shown once; the store keeps its hash alone.`
	textWeb         = "Open the page in a browser"
	textWebOpen     = "Show a link that logs your browser in"
	textWebOpenLong = `Asks the running gateway for a link to its page. The link logs one browser in, once,
within five minutes, with the rights of an owner. It is shown in a terminal only, so that
it ends in no log and no file.`
	textWebLink      = "Open this link in your browser within five minutes; it works once:\n\n  %s\n\n"
	textWebNoScreen  = "the link is a key to the gateway, so it is shown in a terminal only: run this without a pipe"
	textTokenPage    = "page"
	textTokenLevel   = "the most that its turns may use: none, chat, read, write or exec"
	textTokenModels  = "a model that it may choose; may be repeated (default: the model of its chats)"
	textTokenRights  = "a right beside the level: approve, call_tools or telemetry; may be repeated"
	textTokenExpires = "how long it is good, such as 90d or 12h, or never"
	textTokenNote    = "your own word on it, for the list"
	textTokenList    = "List the tokens, without their secrets"
	textTokenRevoke  = "End a token and its open streams, at once"
	textPairApprove  = "Give access to the person who was told this code"
	textPairOwner    = "give the rights of an owner in direct chats; for yourself"
	textPair         = "Give strangers access by their code, or list or revoke it"
	textPairList     = "List the people who wait for access, and those who have it"
	textPairRevoke   = "Revoke the access of a person, at once"
	textPairLong     = `A stranger who writes to a bot in a direct chat only gets a code, valid for one
hour. The operator approves it here. Paired people may use direct chats with this bot
as if they were on its allow list, or with --owner as if they were among owners in
the configuration: in these chats the bot reads and writes the files of the console
and remembers. Pairing covers direct chats only: in a group, a paired person is told
so once a day. To change the rights of a pair, revoke it and approve a new code.`
	textAsOwner  = " as owner"
	textChat     = "Talk to the agent here"
	textChatLong = `Opens a console at the gateway that runs on this state folder, or runs one itself, to which other
consoles may attach. Without an option it goes on with the usual conversation. In a
terminal, Ctrl-C stops the turn first and leaves second, and Ctrl-D leaves. Piped, each
line is one message; the command ends when all are answered, with code 1 when one was not.`
	textRun     = "Run all configured channels"
	textRunLong = `Runs all configured channels, and a console when it is started in a terminal: the log
then goes to parley.log in the state folder, or where standard error is sent.
SIGTERM stops it: it accepts no more messages, gives running turns 20 s, and the
next start continues unfinished work. A second signal ends it at once. SIGHUP is
ignored.`
	textLogAt      = "the log is in %s"
	textUnanswered = "a message was not answered"
	textStatus     = "Show the state of the gateway and what waits"
	textStatusLong = `Shows the state of the gateway and what waits; without a gateway, what the store holds.
Exit codes: 0 a gateway is running and its store works; 1 the store, the audit log or
AGENT.md has trouble, also without a gateway; 4 no gateway is running.`
	textSessionFlag  = "the name of the conversation, which may be a new one"
	textNewFlag      = "begin a new conversation"
	textFileFlag     = "send this file along; may be given several times"
	textSessionOrNew = "--session goes on with a conversation and --new begins one: give one of the two"
	textBadSession   = "--session %s: letters, digits, - and _ name a conversation, at most 64"
	textAsk          = "Ask once, and print the answer"
	textAskLong      = `Asks the gateway that runs, or one of its own, prints the answer and ends. Without TEXT, or with - for
it, the question is read from standard input. Each question has a conversation of its own, unless --session names one.
Exit codes: 0 answered; 1 no answer, or a call waits for approval; 2 no question, or no such file.`
	textNoInput      = "standard input cannot be read: %w"
	textLongQuestion = "the question is longer than %d KiB: send it as a file, with -f"
	textNoQuestion   = "write a question, or - to read it from standard input"
	textNoSuchFile   = "-f %s: %w"
	textAskedOf      = "approval %s waits for you: %s approvals approve %s\n"
	textNoChannel    = "no channel is enabled, nor consoles: enable one under channels in the configuration, such as console"
	textAttached     = "attached to the gateway that runs"
	textDoctor       = "Look for faults of the set-up, and tell their cures"
	textDoctorLong   = `Looks at the configuration, the rights on folders, the disk, the store, the clock, the
sandbox, the tools, the ports, and asks the configured servers: each model one small
question, which costs as any other does, and Telegram and Slack for their tokens and
webhooks. Each line has a mark (ok, warn, fail, or skip for a part that was not looked
at), the part and the finding; below a warning or a failure stands its cure. It changes
nothing, and works with and without a gateway that runs and a configuration.
Exit codes: 0 no check failed; 5 a check failed; 1 the report could not be made.`
	textDoctorOffline    = "ask no server"
	textFaulty           = "a check failed"
	textTrouble          = "the gateway has trouble"
	textStatusStore      = "no gateway is running; this is what its store holds"
	textStatusRuns       = "runs as process %d since %s"
	textStatusNoStore    = "no gateway is running, and there is no store yet"
	textStatusUnreadable = "no gateway is running, and its store cannot be read"
	textSlowTurn         = "slow turn\t%s has not asked the model since %s: it %s; /stop there ends it\n"
	textRestore          = "Replace the store by a snapshot; the present one is kept beside it"
	textRestoreLong      = `Replaces the store by a snapshot while no gateway runs. The present file is kept
under another name. The restored store is held: the gateway runs and sends what
waits in it only after the verb release, because it may have been done already.`
	textRestored      = "restored from %s; look at it with %[2]s sessions list, then run %[2]s store release\n"
	textIndex         = "Make the index of the corpora anew"
	textIndexRebuild  = "Empty the indexes of words, and read all files of the corpora again"
	textNoCorpora     = "The configuration names no corpora."
	textStore         = "Check, save, restore or release the store"
	textStoreCheck    = "Read the whole store and list its problems"
	textStoreSnapshot = "Save a copy of the store in the state folder"
	textStoreRelease  = "Let a restored store work again"
	textTasks         = "List, show or cancel background tasks"
	textTasksList     = "List running tasks, and those that ended in the last two days"
	textTasksShow     = "Show one task with its arguments and its result"
	textTasksCancel   = "Cancel a task; its chat is told"
	textTasksLong     = `A task is work that a tool continues after its call; its result comes into the chat
later. A task that was interrupted by the end of the gateway is not run again; its
chat is told at the next start.`
	textToolCall     = "Call a tool directly, in a chat and under its checks"
	textToolCallLong = `Calls a tool without a model: at the console, or with --chat in another chat, with
the files, the tools and the level of that chat. A call that a person would have to
allow in a chat is shown here, and runs after a yes; without a terminal it needs
--yes.`
	textArgumentsNotJSON = `the arguments are not JSON: write an object such as '{"path": "."}'`
	textChatFlag         = "the chat: CHANNEL:[ACCOUNT/]CHAT, or the id of a conversation (default: the console)"
	textYesFlag          = "run it without a question"
	textRunIt            = "%s\n\n%s\n\nRun it?"
	textNotCalled        = "%s was not called"
	textCallFailed       = "the call failed"
	textStoreFullPiped   = "%w; unanswered messages wait, and the next start answers them"
	textUsage            = "Show the use of models, by chat, person, model, purpose, day or turn"
	textDayAndDays       = "--day is one day, and --from and --to are a range: write one or the other"
	textFromFlag         = "the first day of a range (default with --to: all that are known)"
	textToFlag           = "the last day of a range (default with --from: the newest)"
	textUsageChat        = "only the use of this chat: CHANNEL:[ACCOUNT/]CHAT[#THREAD]"
	textUsagePerson      = "only the use for this person: CHANNEL:[ACCOUNT/]ID"
	textUsageModel       = "only the use of this model, by its name in the configuration"
	textUsagePurpose     = "only the use for this purpose: people, jobs or background"
	textUsageBy          = "the columns of the table: some of %s, with commas between them (default: chat,day,purpose)"
	textNoColumn         = "no %s"
	textDayFlag          = "a day such as 2026-01-31 (default: today, in the time zone of the chat)"
	textJSONLines        = "print JSON, one value a line"
	textSessionsExport   = "Print the entries of a conversation as lines of JSON (its chat and model: sessions show --json)"
	textSessions         = "List, show, export or forget conversations"
	textSessionsList     = "List all conversations"
	textSessionsShow     = "Show one conversation and its failures (default: that of the console)"
	textTools            = "List the tools, show or call one, or make one of your own"
	textToolsList        = "List all tools"
	textToolsStats       = "Tell how often each tool was offered to each model, picked, run, refused, denied and failed, over restarts"
	textToolsDays        = "the last days, today among them: 1 to 90"
	textNoSuchTool       = "(names without a tool)"
	textToolsShow        = "Show the page of a tool, or of each"
)
