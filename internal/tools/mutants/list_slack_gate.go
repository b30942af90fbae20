package mutants

// slackGateMutants break how the gateway gets its Slack app: the configuration, the
// rights, the manifest, and whom the token belongs to.
func slackGateMutants() []Mutant {
	const gateway, conf = "cmd/gateway", "pkg/config"
	const (
		supervisor = "pkg/gateway/supervisor.go"
		connector  = "pkg/gateway/connector.go"
		identity   = "pkg/gateway/identity.go"
		slack      = "pkg/gateway/slack.go"
	)
	return []Mutant{
		{
			Promise: "slack: configuration", Defect: "takes any token for any other",
			File: conf + "/slack.go", Old: `if token.value == "" || strings.HasPrefix(token.value, begins) {`, New: `if token.value == "" || begins != "" {`,
			Dir: conf, Test: "^TestSlackProblems$",
		},
		{
			Promise: "slack: configuration", Defect: "listens with a secret that is empty",
			File: conf + "/slack.go", Old: `case strings.TrimSpace(secret.value) == "":`, New: `case len(secret.value) == 0:`,
			Dir: conf, Test: "^TestSlackProblems$",
		},
		{
			Promise: "slack: who", Defect: "tells strangers a code where pairing is off",
			File: slack, Old: `NoCodes: s.Pairing == "off"`, New: `NoCodes: s.Pairing == ""`,
			Dir: "pkg/gateway", Test: "^TestSlackRules$",
		},
		{
			Promise: "slack: who", Defect: "gives channels what direct messages may",
			File: slack, Old: `Group: policy.Level(s.Levels.Groups)`, New: `Group: policy.Level(s.Levels.Direct)`,
			Dir: "pkg/gateway", Test: "^TestSlackRules$",
		},
		{
			Promise: "slack: manifest", Defect: "asks for a right that nothing needs",
			File: "pkg/channels/slack/manifest.go", Old: `"im:history", "mpim:history"`, New: `"im:history", "im:write", "mpim:history"`,
			Dir: "pkg/channels/slack", Test: "^TestSlackManifestHasWhatIsUsed$",
		},
		{
			Promise: "slack: first start", Defect: "forgets at once what it was told",
			File: connector, Old: `kept.write(o.BotToken(), me)`, New: `kept.forget()`,
			Dir: gateway, Test: "^TestSlackThatIsDown$",
		},
		{
			Promise: "slack: alive", Defect: "answers a thread for ever that it was in once",
			File: slack, Old: `time.Since(latest) < threadAlive, nil`, New: `!latest.IsZero(), nil`,
			Dir: "pkg/gateway", Test: "^TestThreadIsAlive$",
		},
		{
			Promise: "slack: first start", Defect: "knows a token by what was told of another",
			File: identity, Old: `r.Token != fingerprint(token) || `, New: ``,
			Dir: "pkg/gateway", Test: "^TestKeptIdentity$",
		},
		{
			Promise: "slack: first start", Defect: "gives up when Slack is down",
			File: connector, Old: "if ctx.Err() != nil {\n\t\t\treturn nil, context.Cause(ctx)",
			New: "if ctx.Err() != nil || err != nil {\n\t\t\treturn nil, err",
			Dir: "pkg/gateway", Test: "^TestJoinerAsksUntilItIsTold$",
		},
		{
			Promise: "slack: first start", Defect: "asks a server that refuses it without a pause",
			File: connector, Old: `wait = pauses.Refused()`, New: `wait = min(pauses.Refused(), time.Millisecond)`,
			Dir: "pkg/gateway", Test: "^TestJoinerAsksUntilItIsTold$",
		},
		{
			Promise: "slack: first start", Defect: "waits for an answer that never comes",
			File: connector, Old: `context.WithTimeout(ctx, joinTime)`, New: `context.WithTimeout(ctx, 1000*joinTime)`,
			Dir: "pkg/gateway", Test: "^TestJoinerEndsWithTheGateway$",
		},
		{
			Promise: "slack: another account", Defect: "sends by the token of another workspace",
			File: supervisor, Old: "\t\tclose(b.shut)\n", New: "",
			Dir: "pkg/gateway", Test: "^TestAnotherAccountsTokenSendsNothing$",
		},
		{
			Promise: "slack: another account", Defect: "never asks again whose the token is",
			File: supervisor, Old: `err = errors.Join(err, s.disown())`, New: `err = errors.Join(err)`,
			Dir: "pkg/gateway", Test: "^TestAnotherAccountsTokenSendsNothing$",
		},
	}
}

// slackPeopleMutants break the gateway's knowledge of how people write on Slack.
func slackPeopleMutants() []Mutant {
	const gateway = "cmd/gateway"
	return []Mutant{
		{
			Promise: "slack: commands that are told", Defect: "tells everybody to begin with a slash",
			File: "pkg/gateway/surfaces.go", Old: `return commander.Command(addr, name)`, New: "_ = commander\n\t\t\treturn \"/\" + name",
			Dir: gateway, Test: "^TestSlackIsToldCommandsThatSlackTakes$",
		},
		{
			Promise: "slack: commands that are told", Defect: "offers slash commands in threads",
			File: "pkg/channels/slack/channel.go", Old: `if in.Thread == "" {`, New: `if in.Thread == "" || in.Chat != "" {`,
			Dir: gateway, Test: "^TestSlackIsToldCommandsThatSlackTakes$",
		},
		{
			Promise: "slack: heartbeat", Defect: "takes the owner's id for that of the direct messages",
			File: "pkg/gateway/heartbeat.go", Old: "if to.Channel == slack.Name {", New: `if to.Channel == slack.Name && to.Chat == "" {`,
			Dir: gateway, Test: "^TestSlackHeartbeat$",
		},
		{
			Promise: "slack: heartbeat", Defect: "forgets at a restart where its owner writes",
			File: "pkg/agent/job/heartbeat.go",
			Old:  "return kept.Address, kept.Sender, h.Mine(kept)", New: "return kept.Address, kept.Sender, false && h.Mine(kept)",
			Dir: gateway, Test: "^TestSlackHeartbeat$",
		},
	}
}
