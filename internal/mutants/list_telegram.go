package mutants

// telegramMutants break the adapter of Telegram.
func telegramMutants() []Mutant {
	const dir = "pkg/channels/telegram"
	const client, send, errs = dir + "/client.go", dir + "/send.go", dir + "/errors.go"
	return append(telegramInMutants(), []Mutant{
		{
			Promise: "telegram: flood", Defect: "comes back long before Telegram said",
			File: client, Old: `e.RetryAfter = time.Duration(max(p.RetryAfter, 0)) * time.Second`, New: `e.RetryAfter = time.Duration(max(p.RetryAfter, 0)) * time.Millisecond`,
			Dir: dir, Test: "^TestSendClasses$",
		},
		{
			Promise: "telegram: flood", Defect: "keeps every chat waiting for one",
			File: "pkg/channels/telegram/floods.go", Old: `floodChats = 3`, New: `floodChats = 1`,
			Dir: dir, Test: "^TestSendOneLimitedChatLetsOthersGoOn$",
		},
		{
			Promise: "telegram: chat is gone", Defect: "does not know that it is blocked",
			File: errs, Old: `case e.Code == http.StatusForbidden, e.Code`, New: `case e.Code == http.StatusTeapot, e.Code`,
			Dir: dir, Test: "^TestAChatThatIsGoneIsTriedOnce$",
		},
		{
			Promise: "telegram: migration", Defect: "sends the rest to the old group",
			File: send, Old: `p.to.Chat = strconv.FormatInt(id, 10)`, New: `p.to.Chat = from.Chat`,
			Dir: dir, Test: "^TestSendMigratesInTheMiddle$",
		},
		{
			Promise: "telegram: migration", Defect: "leaves the chat's files behind",
			File: "cmd/gateway/telegram.go", Old: `err := os.Rename(a.spaces.of(from, false), a.spaces.of(to, false))`, New: `err := os.ErrNotExist`,
			Dir: "cmd/gateway", Test: "^TestTelegramGroupKeepsItsFiles$",
		},
		{
			Promise: "telegram: parse error", Defect: "takes every refusal for one",
			File: errs, Old: `e.says("can't parse entities", "entities_too_long")`, New: `e.says("bad request")`,
			Dir: dir, Test: "^TestSendClasses$",
		},
		{
			Promise: "telegram: parse error", Defect: "gives up instead of sending plain",
			File: send, Old: `case refusal.badMarkup() && !p.plain:`, New: `case refusal.badMarkup() && p.plain:`,
			Dir: dir, Test: "^TestSendFallsBackToPlainTextOnce$",
		},
		{
			Promise: "telegram: not modified", Defect: "takes it for a failure",
			File: errs, Old: `e.says("message is not modified")`, New: `e.says("message is modified")`,
			Dir: dir, Test: "^TestEditTakesThePlaceOfThePreview$",
		},
		{
			Promise: "telegram: HTML 502", Defect: "does not know whether a proxy's page means sent",
			File: errs, Old: `case e.Status < http.StatusMultipleChoices,`, New: `case e.Status < 599,`,
			Dir: dir, Test: "^TestSendClasses$",
		},
		{
			Promise: "telegram: token", Defect: "repeats what the server says of it",
			File: client, Old: `[]string{token, url.PathEscape(token), url.QueryEscape(token)}`, New: `[]string{token + "x"}`,
			Dir: dir, Test: "^TestSendErrorsHideTheToken$",
		},
		{
			Promise: "telegram: no previews", Defect: "lets Telegram fetch what a model links to",
			File: send, Old: `{"is_disabled":true}`, New: `{"is_disabled":false}`,
			Dir: dir, Test: "^TestSendShowsMarkdownAsHTML$",
		},
		{
			Promise: "telegram: several bots", Defect: "lets in through one bot whom another knows",
			File: "pkg/policy/authorize.go", Old: `p.channels[a.Channel+"/"+a.Account]`, New: `p.channels[a.Channel+"/1"]`,
			Dir: "pkg/policy", Test: "^TestAccountsHaveTheirOwnRules$",
		},
		{
			Promise: "telegram: several bots", Defect: "runs one bot twice",
			File: "pkg/config/telegram.go", Old: `taken && id != "" {`, New: `taken && id == "" {`,
			Dir: "pkg/config", Test: "^TestTelegramAccountsRefused$",
		},
	}...)
}

// telegramInMutants break what takes in.
func telegramInMutants() []Mutant {
	const dir = "pkg/channels/telegram"
	const poll, webhook = dir + "/poll.go", dir + "/webhook.go"
	return []Mutant{
		{
			Promise: "telegram: confirmed when stored", Defect: "confirms what the store refused",
			File: poll, Old: "err := do()\n\t\tif err == nil {", New: "err := do()\n\t\tif !errors.Is(err, channels.ErrFenced) {",
			Dir: dir, Test: "^TestStoreFailureConfirmsNothing$",
		},
		{
			Promise: "telegram: poison update", Defect: "ends at what it cannot read",
			File: dir + "/decode.go", Old: "ev.unreadable = true\n\t\treturn ev", New: "panic(string(raw))",
			Dir: dir, Test: "^TestPoisonUpdateIsSkippedAlone$",
		},
		{
			Promise: "telegram: falling update_id", Defect: "takes only what has a higher id",
			File: poll, Old: `p.stored, p.offset, p.confirms = to, last+1, true`, New: `p.stored, p.offset, p.confirms = to, max(p.offset, last+1), true`,
			Dir: dir, Test: "^TestFallingUpdateID$",
		},
		{
			Promise: "telegram: other bot", Defect: "has one position for all bots",
			File: dir + "/channel.go", Old: `cursor: Name + "/" + c.account + "/updates"`, New: `cursor: Name + "/updates"`,
			Dir: dir, Test: "^TestBotsHaveTheirOwnCursor$",
		},
		{
			Promise: "telegram: two pollers", Defect: "fights for the updates",
			File: dir + "/backoff.go", Old: `minConflictPause = 5 * time.Second`, New: `minConflictPause = 50 * time.Millisecond`,
			Dir: dir, Test: "^TestConflictForTenMinutes$",
		},
		{
			Promise: "telegram: half-open poll", Defect: "waits for a dead connection",
			File: poll, Old: `pollGrace = 10 * time.Second`, New: `pollGrace = 10 * time.Minute`,
			Dir: dir, Test: "^TestHalfOpenPollIsFound$",
		},
		{
			Promise: "telegram: webhook", Defect: "takes any secret",
			File: webhook, Old: `subtle.ConstantTimeCompare(want[:], got[:]) == 1`, New: `subtle.ConstantTimeCompare(want[:], got[:]) >= 0`,
			Dir: dir, Test: "^TestWebhookKnowsItsSecret$",
		},
		{
			Promise: "telegram: strangers' files", Defect: "fetches for whoever sends",
			File: dir + "/media.go", Old: `return c.opt.Admit != nil && c.opt.Admit(ctx, *ev.item)`, New: `return c.opt.Admit != nil`,
			Dir: dir, Test: "^TestStrangersFilesAreNotFetched$",
		},
	}
}
