package mutants

import "slices"

// networkMutants break the promises of the section "Networks that fail and strangers that push".
func networkMutants() []Mutant {
	return slices.Concat(strangerMutants(), linkMutants(), logMutants())
}

// strangerMutants break promises about strangers and refusals.
func strangerMutants() []Mutant {
	const crowd, dir, telegram = "pkg/channels/wire/crowd.go", "pkg/channels/wire", "pkg/channels/telegram"
	return []Mutant{
		{
			Promise: "strangers: withheld bodies", Defect: "turns new connections away while strangers hold all places",
			File: crowd, Old: "if m.state != proven && (first == nil || less(m, first)) {",
			New: "if m.state == idle && (first == nil || less(m, first)) {",
			Dir: "internal/test/e2e", Test: "^TestSlackIsHeardBesideWithheldBodies$",
		},
		{
			Promise: "strangers: connections", Defect: "has no bound on connections",
			File: crowd, Old: "if c.join(c.members, m, c.limit) {", New: "if c.join(c.members, m, 100*c.limit) {",
			Dir: dir, Test: "^TestConnectionsAreBounded$",
		},
		{
			Promise: "strangers: connections", Defect: "closes idle connections before those that never asked anything",
			File: crowd, Old: "return a.state < b.state", New: "return a.state > b.state",
			Dir: dir, Test: "^TestConnectionsAreBounded$",
		},
		{
			Promise: "strangers: clients behind a proxy", Defect: "believes the header of everybody",
			File: crowd, Old: "i >= 0 && c.trusts(peer)", New: "i >= 0",
			Dir: dir, Test: "^TestTheGreediestClientGivesWay$",
		},
		{
			Promise: "strangers: clients behind a proxy", Defect: "believes the part of the header that the client wrote",
			File: crowd, Old: "addressOf(strings.TrimSpace(chain[i]))", New: "addressOf(strings.TrimSpace(chain[0]))",
			Dir: dir, Test: "^TestTheGreediestClientGivesWay$",
		},
		{
			Promise: "refused once", Defect: "believes one refusal of a poll",
			File: telegram + "/inbound/pauses.go", Old: "if !ok || !again.RefusesToken() {", New: "if ok && !again.RefusesToken() {",
			Dir: telegram, Test: "^TestALoneRefusalOfAPoll$",
		},
		{
			Promise: "refused once", Defect: "is silent for five minutes after a refusal",
			File: "pkg/channels/refusals.go", Old: "if r.n <= len(first) {", New: "if r.n < 1 {",
			Dir: telegram, Test: "^TestALoneRefusalOfAPoll$",
		},
		{
			Promise: "refused once", Defect: "believes one refusal of Slack's",
			File: "pkg/channels/refusals.go", Old: "return r.n > 1", New: "return r.n > 0",
			Dir: "pkg/channels/slack", Test: "^TestALoneRefusalOfASocket$",
		},
		{
			Promise: "refused once", Defect: "sends nothing for a minute after one refusal",
			File: "pkg/channels/accountpacer.go", Old: "min(g.refusals.Take(), authPause)", New: "max(g.refusals.Take(), authPause)",
			Dir: "pkg/channels", Test: "^TestALoneRefusalOfAMessage$",
		},
		{
			Promise: "refused once", Defect: "counts one refusal for each message under way",
			File: "pkg/channels/accountpacer.go", Old: "!began.After(g.refused)", New: "began.IsZero()",
			Dir: "pkg/channels", Test: "^TestRefusalsOfOneMoment$",
		},
		{
			Promise: "refused once", Defect: "sends nothing for a minute after a refusal and another failure",
			File: "pkg/channels/delivering.go", Old: "if se.Class != SendAuth {", New: "if se.Class == SendAuth {",
			Dir: "pkg/channels", Test: "^TestRefusalsOfOneMoment$",
		},
	}
}

// logMutants break promises about files, models and the log.
func logMutants() []Mutant {
	const telegram, gateway = "pkg/channels/telegram", "cmd/gateway"
	return []Mutant{
		{
			Promise: "files: whole or none", Defect: "takes a page without its content type for the file",
			File: "pkg/channels/slack/api/files.go",
			Old:  "return declared || isPage(http.DetectContentType(head))", New: "_ = head\n\treturn declared",
			Dir: "pkg/channels/slack", Test: "^TestDownloadsThatMisbehave$",
		},
		{
			Promise: "files: whole or none", Defect: "takes the beginning of a file for the file",
			File: "pkg/channels/wire/client.go", Old: "b.read < b.size", New: "b.read < 0",
			Dir: telegram, Test: "^TestAFileThatEndsEarlyIsNone$",
		},
		{
			Promise: "telegram: a wrong token", Defect: "is content with any token",
			File: "pkg/config/telegram.go", Old: "!token.MatchString(v)", New: "!token.MatchString(\"1:\" + v)",
			Dir: gateway, Test: "^TestScripts$/^config$",
		},
		{
			Promise: "telegram: a wrong token", Defect: "tells the cure at each attempt",
			File: telegram + "/inbound/status.go", Old: "return state != channels.HealthAuth || before != state",
			New: "return state != \"\" || before != state",
			Dir: gateway, Test: "^TestAWrongTokenIsToldWithItsCure$",
		},
		{
			Promise: "model: HTTP/2 and TLS", Defect: "sends no pings over a connection that is silent",
			File: "pkg/providers/internal/exchange/client.go", Old: "SendPingTimeout: 2 * connect", New: "SendPingTimeout: 0 * connect",
			Dir: "pkg/providers/openai", Test: "^TestAHalfOpenConnectionOfHTTP2$",
		},
		{
			Promise: "log: durations", Defect: "writes durations as numbers",
			File: "cmd/gateway/main.go", Old: "zerolog.DurationFormatString", New: "zerolog.DurationFormatFloat",
			Dir: gateway, Test: "^TestAWrongTokenIsToldWithItsCure$",
		},
		{
			Promise: "log: connected as", Defect: "does not say as which app it is connected",
			File: "pkg/channels/slack/inbound/account.go", Old: `r.log.Info().Msg("connected as " + called)`, New: `r.log.Debug().Msg("connected as " + called)`,
			Dir: gateway, Test: "^TestRunSaysAsWhom$",
		},
		{
			Promise: "log: nothing hides", Defect: "leaves marks in JSON that turn text around",
			File: "cmd/gateway/log.go", Old: "r < utf8.RuneSelf || unicode.IsPrint(r)",
			New: "r < utf8.RuneSelf || unicode.IsPrint(r) || unicode.Is(unicode.Cf, r)",
			Dir: gateway, Test: "^TestNothingHidesInTheLog$",
		},
		{
			Promise: "log: nothing hides", Defect: "leaves them in messages on a console",
			File: "cmd/gateway/log.go", Old: "visible.Text(fmt.Sprint(v))", New: "fmt.Sprint(v)+visible.Text(\"\")",
			Dir: gateway, Test: "^TestNothingHidesInTheLog$",
		},
		{
			Promise: "log: each key once", Defect: "names a field as the message is named",
			File: "pkg/tools/dispatch.go", Old: `Str("reason", d.view.catalog.redacted(fail.Message))`, New: `Str("message", d.view.catalog.redacted(fail.Message))`,
			Dir: gateway, Test: "^TestALogLineHasEachKeyOnce$",
		},
		{
			Promise: "log: Go's own lines", Defect: "leaves the standard library's log as it is",
			File: "cmd/gateway/log.go", Old: "golog.SetOutput(goLines{log})", New: "_ = goLines{log}",
			Dir: gateway, Test: "^TestGosOwnLinesAreLogged$",
		},
	}
}

// linkMutants break promises about links and total limits.
func linkMutants() []Mutant {
	const telegram, gateway = "pkg/channels/telegram", "cmd/gateway"
	return []Mutant{
		{
			Promise: "links: shown whole", Defect: "cuts a target in mid-letter",
			File: "pkg/text/clip.go", Old: "most > 0 && !utf8.RuneStart(s[most])", New: "most > len(s) && !utf8.RuneStart(s[most])",
			Dir: telegram + "/markup", Test: "^TestTargetsAreShownWhole$",
		},
		{
			Promise: "links: shown whole", Defect: "takes any number of parentheses for a target",
			File: "pkg/channels/markdown/target.go", Old: "depth > maxParentheses", New: "depth > 1000*maxParentheses",
			Dir: "pkg/channels/slack/markup", Test: "^TestTargetsAreShownWhole$",
		},
		{
			Promise: "model: total", Defect: "has the total limit for each attempt",
			File: "pkg/gateway/modelset/models.go", Old: ", Total: time.Duration(m.Timeouts.Total)", New: "",
			Dir: gateway, Test: "^TestTheTotalLimitOfAModelIsTheTotal$",
		},
		{
			Promise: "model: total", Defect: "lets an attempt that hangs outlast the total limit",
			File: "pkg/providers/request.go", Old: "began.Add(c.left)", New: "began.Add(2*c.target.Total)",
			Dir: "pkg/providers", Test: "^TestRetryTotal$",
		},
		{
			Promise: "model: another steps in", Defect: "waits for a model although its server asks for a long pause",
			File: "pkg/providers/request.go", Old: "!now.Add(again.wait).After(c.began.Add(r.f.policy.Switch))", New: "true",
			Dir: "pkg/providers", Test: "^TestFailoverSwitches$",
		},
		{
			Promise: "model: rests", Defect: "asks a model first that let a time limit pass",
			File: "pkg/providers/rest.go", Old: "m.failures = failuresInRow //", New: "m.failures++ //",
			Dir: "pkg/providers", Test: "^TestFailoversShareTheHealthOfAModel$",
		},
		{
			Promise: "model: another steps in", Defect: "ends a request where the model that steps in has a small context",
			File: "pkg/providers/request.go", Old: "KindTooLong && c.index == 0 &&", New: "KindTooLong &&",
			Dir: "pkg/providers", Test: "^TestFailoverPassesAModelWithASmallContext$",
		},
		{
			Promise: "model: rests", Defect: "lets all requests probe a model at once",
			File: "pkg/providers/rest.go", Old: "m.until.IsZero() || !m.probed && ", New: "m.until.IsZero() || ",
			Dir: "pkg/providers", Test: "^TestFailoverLeavesOutAModelThatKeepsFailing$",
		},
		{
			Promise: "model: rests", Defect: "begins each request of a turn with the first model",
			File: "pkg/providers/request.go", Old: "r.f.turns.keep(r.turn, c.index)", New: "r.f.turns.keep(r.turn, 0)",
			Dir: "pkg/providers", Test: "^TestFailoverStaysWithinATurn$",
		},
		{
			Promise: "model: changes within a chat", Defect: "sends Gemini the calls of other models without their signature",
			File: "pkg/providers/gemini/contents.go", Old: "		extras[0].Signature = skipCheck\n", New: "		extras[0].Signature = \"\"\n",
			Dir: "internal/test/strictmodel", Test: "^TestAConversationMovesBetweenWires$",
		},
		{
			Promise: "model: changes within a chat", Defect: "sends Anthropic the thoughts of other models",
			File: "pkg/providers/internal/exchange/mark.go", Old: " || e.Server != m.Server || e.Model != m.Model", New: "",
			Dir: "internal/test/strictmodel", Test: "^TestAConversationMovesBetweenWires$",
		},
		{
			Promise: "model: rests", Defect: "has each model's fallbacks learn of its failures anew",
			File: "pkg/gateway/modelset/models.go", Old: ", Health: &providers.Health{}}", New: "}",
			Dir: "pkg/gateway/modelset", Test: "^TestKeysAndFallbacks$",
		},
	}
}
