package mutants

// slackSuiteMutants break the wiring of Slack's parts, which only a whole gateway
// shows.
func slackSuiteMutants() []Mutant {
	const e2e, options = "internal/test/e2e", "pkg/gateway/slack.go"
	return []Mutant{
		{
			Promise: "slack: conversations", Defect: "does not ask whether a thread is alive",
			File: options, Old: "Alive: p.alive, Log: p.log,",
			New: "Alive: func(context.Context, channels.Address) (bool, error) { return false, nil }, Log: p.log,",
			Dir: e2e, Test: "^TestSlackThreads$",
		},
		{
			Promise: "slack: streams", Defect: "forgets how an answer is to grow",
			File: options, Old: "Stream: s.Stream,", New: `Stream: "off",`,
			Dir: e2e, Test: "^TestSlackStreamEndsAsOneMessage$",
		},
		{
			Promise: "slack: over HTTP", Defect: "holds signatures against the bot token",
			File: options, Old: "SigningSecret: e.SigningSecret.Reveal", New: "SigningSecret: s.BotToken.Reveal",
			Dir: e2e, Test: "^TestSlackOverHTTP$",
		},
		{
			Promise: "slack: over HTTP", Defect: "knows no command",
			File: options, Old: "Command: command.Typed,", New: "Command: func(words string) string { _ = command.Typed; return words },",
			Dir: e2e, Test: "^TestSlackCommands$",
		},
		{
			Promise: "slack: strangers", Defect: "lets in whoever writes",
			File: options, Old: "Everyone: s.AllowEveryone,", New: "Everyone: true,",
			Dir: e2e, Test: "^TestSlackStrangers$",
		},
	}
}
