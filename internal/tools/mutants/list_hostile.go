package mutants

import "slices"

// hostileMutants let through actions that people, models and webhooks should not be
// able to do.
func hostileMutants() []Mutant {
	const agent, e2e, tools, telegram = "pkg/agent", "internal/test/e2e", "pkg/tools", "pkg/channels/telegram"
	return append([]Mutant{
		{
			Promise: "names", Defect: "lets everybody decide who is called as the requester is",
			File: agent + "/approval/decision.go", Old: `by.Sender.ID != a.Principal.Sender.ID`, New: `by.Sender.Name != a.Principal.Sender.Name`,
			Dir: e2e, Test: "^TestTelegramNamesGiveNoRights$",
		},
		{
			Promise: "names", Defect: "lets a name have many lines",
			File: "pkg/channels/normalise.go", Old: `return strings.Join(strings.Fields(b.String()), " ")`, New: `return s`,
			Dir: e2e, Test: "^TestTelegramNamesGiveNoRights$",
		},
		{
			Promise: "bots", Defect: "talks to bots in groups",
			File: "pkg/policy/authorize.go", Old: `if personal && e.Sender.Bot {`, New: `if personal && e.Sender.Bot && e.Direct {`,
			Dir: e2e, Test: "^TestTelegramBotsDoNotTalk$",
		},
		{
			Promise: "instructions", Defect: "looks at what is offered only when it offers",
			File: tools + "/admit.go", Old: "if !d.view.offers(e) {\n\t\treturn nil, Fail(ErrPermissionDenied",
			New: "if e == nil {\n\t\treturn nil, Fail(ErrPermissionDenied",
			Dir: e2e, Test: "^TestTelegramInstructionsWithoutTheRight$",
		},
		{
			Promise: "content from outside", Defect: "takes what is forwarded for the sender's own words",
			File: telegram + "/update/decode.go", Old: `if m.Forward != nil || m.External != nil || m.ViaBot`, New: `if m.External != nil || m.ViaBot`,
			Dir: e2e, Test: "^TestTelegramWordsOfOthersAreAskedAbout$",
		},
		{
			Promise: "content from outside", Defect: "takes what is quoted for the sender's own words",
			File: telegram + "/update/decode.go", Old: `of == nil || by == nil || of.ID != by.ID`, New: `of == nil || by == nil`,
			Dir: telegram + "/update", Test: "^TestDecodeMessages$",
		},
		{
			Promise: "tool names", Defect: "takes a longer name for the tool that it begins with",
			File: tools + "/admit.go", Old: `e := s.byName[q.call.Name]`, New: `e := s.byName[q.call.Name[:min(len(q.call.Name), 6)]]`,
			Dir: tools, Test: "^FuzzLoop$",
		},
	}, slices.Concat(hostileEdgeMutants(), requestMutants(), longTalkMutants())...)
}

func hostileEdgeMutants() []Mutant {
	const telegram, gateway = "pkg/channels/telegram", "cmd/gateway"
	return []Mutant{
		{
			Promise: "refusals", Defect: "does not write down the calls beyond the limit of an answer",
			File: "pkg/tools/calls.go", Old: `l.Tools.calls.record(withPlace(ctx, l.channel, l.chatID), &p.call, &out)`, New: `_ = withPlace(ctx, l.channel, l.chatID)`,
			Dir: "pkg/tools", Test: "^TestCallsBeyondTheLimitAreWrittenDown$",
		},
		{
			Promise: "refusals", Defect: "calls a refusal a call in the audit log",
			File: "pkg/gateway/audittrail.go", Old: `row.Kind = audit.KindRefused`, New: `row.Kind = audit.KindCall`,
			Dir: "internal/test/e2e", Test: "^TestEveryRefusalIsWrittenDown$",
		},
		{
			Promise: "configuration", Defect: "lists groups by their names",
			File: "pkg/policy/principal.go", Old: "`^-[1-9][0-9]{0,18}$`", New: "`^.+$`",
			Dir: gateway, Test: "^TestHostileConfiguration$",
		},
		{
			Promise: "configuration", Defect: "repeats a secret that stands where a variable should",
			File: "pkg/config/secret.go", Old: `scheme == "env" && isVariable(rest)`, New: `scheme == "env" && rest != ""`,
			Dir: gateway, Test: "^TestHostileConfiguration$",
		},
		{
			Promise: "webhooks", Defect: "looks at the first of two secrets",
			File: telegram + "/inbound/webhook.go", Old: `if len(given) != 1 {`, New: `if len(given) == 0 {`,
			Dir: telegram, Test: "^TestWebhookSecretElsewhere$",
		},
		{
			Promise: "webhooks", Defect: "waits for slow senders",
			File: "pkg/channels/wire/serve.go", Old: `ReadHeaderTimeout: 5 * time.Second`, New: `ReadHeaderTimeout: 5 * time.Hour`,
			Dir: telegram, Test: "^TestWebhookUnderAttack$",
		},
		{
			Promise: "credentials", Defect: "does not know a secret in capital hex",
			File: "pkg/policy/redact.go", Old: `inHex, strings.ToUpper(inHex)}`, New: `inHex}`,
			Dir: "internal/test/e2e", Test: "^TestTelegramModelTellsCredentials$",
		},
		{
			Promise: "credentials: in parts", Defect: "reads a file up to the middle of a secret",
			File: "pkg/tools/files/secrets.go", Old: `if s[0] >= from && s[1] <= to {`, New: `if s[0] >= from || s[1] <= to {`,
			Dir: "pkg/gateway/toolset", Test: "^TestNoPartOfASecretIsRead$",
		},
		{
			Promise: "credentials: in parts", Defect: "tells by a search how a secret goes on",
			File: "pkg/tools/files/search.go", Old: `bytes.Lines(q.redacted(data))`, New: `bytes.Lines(data)`,
			Dir: "pkg/gateway/toolset", Test: "^TestNoPartOfASecretIsRead$",
		},
		{
			Promise: "credentials: in parts", Defect: "shows a page from the middle of a secret on",
			File: "pkg/tools/web/fetch.go", Old: `d.text = f.o.Redact(d.text)`, New: `_ = f.o.Redact(d.text)`,
			Dir: "pkg/tools/web", Test: "^TestNoPartOfASecretIsFetched$",
		},
	}
}

// requestMutants are defects of the requests to a model: their size, their tools, and how
// much of one the one before had.
func requestMutants() []Mutant {
	return []Mutant{
		{
			Promise: "encoded once", Defect: "sends the head of each request by itself",
			File: "pkg/providers/internal/exchange/body.go", Old: `return size <= mostKept &&`, New: `return size < 0 &&`,
			Dir: "pkg/providers/internal/exchange", Test: "^TestAHeadLeavesWithItsBody$",
		},
		{
			Promise: "R8", Defect: "gives away the memory of a request that is begun again",
			File: "pkg/providers/internal/exchange/memory.go", Old: `w.lent != nil && w.begun == 1`, New: `w.lent != nil`,
			Dir: "pkg/providers/internal/exchange", Test: "^TestARequestKeepsItsBytes$",
		},
		{
			Promise: "R8", Defect: "gives away the memory of a request that another connection still sends",
			File: "pkg/providers/internal/exchange/memory.go", Old: `if done.Err == nil {`, New: `if true {`,
			Dir: "pkg/providers/internal/exchange", Test: "^TestARequestKeepsItsBytes$",
		},
		{
			Promise: "small requests", Defect: "does not enforce a bound that the model is told",
			File: "pkg/tools/internal/schema/infer.go", Old: `property[key] = n`, New: `_ = n`,
			Dir: "pkg/tools", Test: "^TestTheSchemaOnTheWire$",
		},
		{
			Promise: "small requests", Defect: "repeats a keyword in every tool",
			File: "pkg/tools/internal/schema/wire.go", Old: `delete(parameters, "additionalProperties")`, New: ``,
			Dir: "internal/test/e2e", Test: "^TestTheRequestOfHi$",
		},
		{
			Promise: "tools on demand", Defect: "forgets a found tool that was not called",
			File: "pkg/tools/internal/offer/found.go", Old: `if m.Role == providers.RoleTool && m.Name == f.Finder {`, New: `if false {`,
			Dir: "pkg/tools/find", Test: "^TestOffers$",
		},
		{
			Promise: "tools on demand", Defect: "reads found tools from the result of any tool",
			File: "pkg/tools/internal/offer/found.go", Old: `m.Role == providers.RoleTool && m.Name == f.Finder {`,
			New: `m.Role == providers.RoleTool {`,
			Dir: "pkg/tools/find", Test: "^TestOffers$",
		},
		{
			Promise: "tools on demand", Defect: "lets a call that is required end with the finding",
			File: "pkg/tools/internal/asking/choice.go", Old: `&& !q.Choice.stays && !q.Sought`, New: `&& !q.Choice.stays`,
			Dir: "pkg/tools/find", Test: "^TestOffers$",
		},
		{
			Promise: "tools on demand", Defect: "finds tools above the level of the chat",
			File: "pkg/tools/hooks.go", Old: `return h.callee.view.definitions()`, New: `v := view{catalog: h.callee.view.catalog}
		return v.definitions()`,
			Dir: "pkg/tools/find", Test: "^TestFindsForItsCallerOnly$",
		},
	}
}

// longTalkMutants are defects of that which a request holds of a long conversation.
func longTalkMutants() []Mutant {
	return []Mutant{
		{
			Promise: "stable requests", Defect: "moves the beginning of a full history with every turn",
			File: "pkg/agent/prompt/history.go", Old: `keptQuarters, quarters = 3, 4`, New: `keptQuarters, quarters = 4, 4`,
			Dir: "pkg/agent/prompt", Test: "^TestAFullHistoryLosesAQuarter$",
		},
		{
			Promise: "stable requests", Defect: "does not keep where a full history begins",
			File: "pkg/agent/turn/turn.go", Old: `h.Cut && storesCuts(t, &model, res)`, New: `h.Cut && !storesCuts(t, &model, res)`,
			Dir: "internal/test/e2e", Test: "^TestRequestsBeginAsTheOneBefore$",
		},
		{
			Promise: "oldest part", Defect: "leaves out a last turn with a long message and many steps",
			File: "pkg/agent/prompt/history.go", Old: `b.most-b.past.Budget*5/16)`, New: `b.most)`,
			Dir: "pkg/agent/prompt", Test: "^TestACutKeepsTheLastTurn$",
		},
		{
			Promise: "oldest part", Defect: "drops the summary",
			File: "pkg/session/engine/summary.go", Old: `t, chat, rules.SummaryEntry(late.Turn, late.Summary)`,
			New: `t, &table.ChatRecord{}, rules.SummaryEntry(late.Turn, late.Summary)`,
			Dir: "pkg/agent", Test: "^TestTheOldestPartIsSummarisedOnce$",
		},
		{
			Promise: "stored state", Defect: "gives stored instructions to the model",
			File: "pkg/agent/prompt/history.go", Old: `return true // instructions are never stored: no gateway wrote this`, New: `e.Seq++`,
			Dir: "pkg/agent", Test: "^TestHostileHistory$",
		},
	}
}
