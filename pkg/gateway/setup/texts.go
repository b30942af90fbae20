package setup

// The fixed texts of the set-up; a translation replaces this file. PROGRAM stands for the
// program's name.

// What is said, and the errors.
const (
	textStays         = "%s is there already and stays as it is; %s init --force replaces it\n"
	textThere         = "%s is there already: change it by hand, or replace it with --force"
	textKept          = "the former file is kept as %s\n"
	textWrote         = "wrote %s\n"
	textNext          = "the workspace is %s\nnext: %s chat\n"
	textUseAndURL     = "--use names a server that was found, and --url another one: write one of them"
	textKeyWithoutURL = "--key-env is for the server of --url: write both"
	textNoPlatform    = "--channels: there is no %s: write some of %s, or none"
	textUnread        = "%s is left aside: it holds no https address, and no http address of this machine; " +
		"the key goes to %s\n"
	textNothingFound = "no key of a model server is set, and no model server answers on this machine: the built-in " +
		"offline model answers, which is no AI\n"
	textNotWritten   = "nothing is written; --no-test writes without asking the model"
	textNoneAnswered = "no model answered, so nothing is written; --no-test writes without asking a model"
	textNotFound     = "--use: %s was not found: write one of %s, or name its address with --url"
	textWhichServer  = "--model %s: say with --use which server has it, one of %s"
	textNoSuchModel  = "%s has no model %s: write one of %s"
	textNoAddress    = "write an address such as http://127.0.0.1:8000/v1, without a name and a password"
	textNoServer     = "no list of models: %v\n"
	textGaveUp       = "three answers did not fit: nothing is written"
	textOffline      = "the built-in offline model answers, which is no AI\n"
	textTrying       = "asking %s at %s one question with a tool ...\n"
	textNoAnswer     = "%s gave no answer: %s; %s"
	textSilent       = "it said nothing"
	textNoCall       = "%s answered after %v and called no tool; it may with tool_mode: json_schema under models.%s\n"
	textCalled       = "%s answered and called the tool, after %v\n"
	textWindow       = "%s reads up to %d tokens, as its server says\n"
	textNoWindow     = "the server does not say how many tokens %s reads: write it as context of the model, or the " +
		"server cuts long conversations off unsaid\n"
	textCureKey   = "put a valid key into %s"
	textCureNoKey = "the server wants a key: export one, and name its variable with --key-env"
	textCureQuota = "pay or raise the limit of its account"
	textCureModel = "name a model that the server has with --model"
	textCureLate  = "a local model may still be loading: try again"
	textCureOther = "see that the server is there and is reached, and try again"
)

// The questions.
const (
	textNoKeys = "No key is set, and no model server answers on this machine. With a key of yours:\n" +
		"export OPENAI_API_KEY=... (or ANTHROPIC_, GEMINI_, OPENROUTER_API_KEY), and %s init again.\n"
	textAskModel      = "Which model shall answer?"
	textAskNumber     = "number [%d]: "
	textNoNumber      = "write a number from 1 to %d\n"
	textAskAddress    = "address of the server, such as http://127.0.0.1:8000/v1: "
	textAskWhich      = "Which of its models?"
	textAskChannels   = "Where shall people reach it?"
	textKeyChoice     = "%s, %s (%s is set)"
	textMovedChoice   = "%s, %s (%s and %s are set)"
	textLocalChoice   = "%s, %s%s, at %s"
	textMore          = " and %d more"
	textOtherServer   = "another server that speaks the OpenAI protocol"
	textOfflineChoice = "the built-in offline model, a small program and no AI"
	textOnlyConsole   = "in this terminal alone"
	textTelegram      = "on Telegram too"
	textSlack         = "on Slack too"
	textBoth          = "on Telegram and Slack too"
)

// The steps of the platforms: the heading, the steps to the tokens, and the step of the
// first message.
const (
	stepExport = "export %s=..."
	stepEnable = "in %s, write enabled: true under channels.%s"
	stepRun    = "PROGRAM run"
	stepOwner  = "in another terminal: PROGRAM pair approve --owner CODE"
)

func telegramSteps() []string {
	return []string{
		"\nTelegram:",
		"in Telegram, send /newbot to @BotFather and answer its questions; it gives you a token",
		"write to your bot in Telegram: it answers with a code",
	}
}

func slackSteps() []string {
	return []string{
		"\nSlack:",
		"PROGRAM init slack prints a manifest; at https://api.slack.com/apps choose Create New App, " +
			"From a manifest, and paste it",
		"choose Install App: it gives you the bot token, xoxb-...",
		"under Basic Information, App-Level Tokens, make one with connections:write: the app token, xapp-...",
		"write to Parley under Apps in Slack: it answers with a code",
	}
}

// The parts of the file.
const (
	fileHead = `# Parley. All keys may be left out; docs/configuration.md explains each.
# After a change: PROGRAM config check, then start the gateway again.
# For faults of the whole set-up: PROGRAM doctor
# A secret is never written here, only where it is: env:NAME, file:PATH, credential:NAME.
# Every shell and service that starts PROGRAM needs the variables that env: names.

state_dir: ~/.parley               # the store, the audit log and the admin socket
workspace: ~/.parley/workspace     # AGENT.md, the system prompt, and the files of the chats

`
	fileNoModels = `# Without models, each start takes the keys that the environment has (OPENAI_API_KEY,
# ANTHROPIC_API_KEY, GEMINI_API_KEY and others), a model server on this machine, or the
# built-in offline model. /model in a chat chooses among several.
# agent:
#   model: main
#   fallbacks: [local]             # asked in this order when the model above cannot answer
# models:
#   main:
#     provider: openai
#     model: gpt-4o
#     base_url: https://api.openai.com/v1
#     api_key: env:OPENAI_API_KEY
#   local:
#     model: llama3.2
#     base_url: http://127.0.0.1:11434/v1

`
	fileOwners = `
# People whose direct chats have the rights of the console: telegram:ID, slack:TEAM/ID.
# Or let a person in by the code that the bot gives them: pair approve --owner CODE
`
	fileEnd = `
# The page in the browser; PROGRAM web open logs you in:
# http: {listen: 127.0.0.1:8080}
`
	commentMain      = "the name under models of the one that answers"
	commentFallbacks = "asked in this order when it cannot answer"
	commentModels    = "/model in a chat chooses among them"
	commentOffline   = "built in; a small program and no AI"
	commentKey       = "the variable with the key"
	commentKind      = "the program that serves it, docs/models.md"
	commentContext   = "tokens of a request with its answer"
	commentConsole   = "the terminal"
	commentEnabled   = "true once each variable below is set"
	commentLazy      = "the model finds tools when it needs them: its context is small"
)
