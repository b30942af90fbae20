package mutants

import "slices"

// telegramMutants break the adapter of Telegram.
func telegramMutants() []Mutant {
	const dir = "pkg/channels/telegram"
	const client, errs = dir + "/api/client.go", dir + "/api/errors.go"
	const post, sender, files = dir + "/outbound/post.go", dir + "/outbound/sender.go", dir + "/outbound/files.go"
	return append(slices.Concat(telegramInMutants(), telegramFileMutants()), []Mutant{
		{
			Promise: "telegram: flood", Defect: "comes back long before Telegram said",
			File: client, Old: `e.RetryAfter = time.Duration(max(p.RetryAfter, 0)) * time.Second`, New: `e.RetryAfter = time.Duration(max(p.RetryAfter, 0)) * time.Millisecond`,
			Dir: dir, Test: "^TestSendClasses$",
		},
		{
			Promise: "telegram: flood", Defect: "keeps every chat waiting for one",
			File: "pkg/channels/wire/floods.go", Old: `floodChats = 3`, New: `floodChats = 1`,
			Dir: dir, Test: "^TestSendOneLimitedChatLetsOthersGoOn$",
		},
		{
			Promise: "telegram: chat is gone", Defect: "does not know that it is blocked",
			File: errs, Old: `case e.Code == http.StatusForbidden, e.Code`, New: `case e.Code == http.StatusTeapot, e.Code`,
			Dir: dir, Test: "^TestAChatThatIsGoneIsTriedOnce$",
		},
		{
			Promise: "telegram: migration", Defect: "sends the rest to the old group",
			File: post, Old: `p.to.Chat = strconv.FormatInt(id, 10)`, New: `p.to.Chat = from.Chat`,
			Dir: dir, Test: "^TestSendMigratesInTheMiddle$",
		},
		{
			Promise: "telegram: migration", Defect: "leaves the chat's files behind",
			File: "pkg/gateway/files/spaces.go", Old: `err := os.Rename(s.Of(from, false), s.Of(to, false))`, New: `err := os.ErrNotExist`,
			Dir: "cmd/gateway", Test: "^TestTelegramGroupKeepsItsFiles$",
		},
		{
			Promise: "telegram: parse error", Defect: "takes every refusal for one",
			File: errs, Old: `e.Says("can't parse entities", "entities_too_long")`, New: `e.Says("bad request")`,
			Dir: dir, Test: "^TestSendClasses$",
		},
		{
			Promise: "telegram: parse error", Defect: "gives up instead of sending plain",
			File: post, Old: `case refusal.BadMarkup() && !p.plain:`, New: `case refusal.BadMarkup() && p.plain:`,
			Dir: dir, Test: "^TestSendFallsBackToPlainTextOnce$",
		},
		{
			Promise: "telegram: not modified", Defect: "takes it for a failure",
			File: errs, Old: `e.Says("message is not modified")`, New: `e.Says("message is modified")`,
			Dir: dir, Test: "^TestEditTakesThePlaceOfThePreview$",
		},
		{
			Promise: "telegram: growing answers", Defect: "lets a late edit stand over the answer",
			File: sender, Old: `if wait <= 0 {`, New: `if wait > 0 {`,
			Dir: dir, Test: "^TestALateEditDoesNotOutlastTheAnswer$",
		},
		{
			Promise: "telegram: HTML 502", Defect: "does not know whether a proxy's page means sent",
			File: "pkg/channels/wire/class.go", Old: `case e.Status < http.StatusMultipleChoices,`, New: `case e.Status < 599,`,
			Dir: dir, Test: "^TestSendClasses$",
		},
		{
			Promise: "telegram: token", Defect: "repeats what the server says of it",
			File: "pkg/channels/wire/client.go", Old: `[]string{secret, url.PathEscape(secret), url.QueryEscape(secret)}`, New: `[]string{secret + "x"}`,
			Dir: dir, Test: "^TestSendErrorsHideTheToken$",
		},
		{
			Promise: "telegram: no previews", Defect: "lets Telegram fetch what a model links to",
			File: post, Old: `{"is_disabled":true}`, New: `{"is_disabled":false}`,
			Dir: dir, Test: "^TestSendShowsMarkdownAsHTML$",
		},
		{
			Promise: "telegram: files out", Defect: "leaves what it showed so far above the file",
			File: files, Old: `if part.Edits != "" {`, New: `if part.Edits == "-" {`,
			Dir: dir, Test: "^TestSendFileTakesThePlaceOfAPreview$",
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

// telegramInMutants break the way in.
func telegramInMutants() []Mutant {
	const dir = "pkg/channels/telegram"
	const in, decode = dir + "/inbound", dir + "/update/decode.go"
	const poll, webhook = in + "/poll.go", in + "/webhook.go"
	return []Mutant{
		{
			Promise: "telegram: confirmed when stored", Defect: "confirms what the store refused",
			File: poll, Old: "err := do()\n\t\tif err == nil {", New: "err := do()\n\t\tif !errors.Is(err, channels.ErrFenced) {",
			Dir: dir, Test: "^TestStoreFailureConfirmsNothing$",
		},
		{
			Promise: "telegram: poison update", Defect: "ends at what it cannot read",
			File: decode, Old: "ev.Unreadable, ev.Unread = true, unreadable\n\t\treturn ev", New: "panic(string(raw))",
			Dir: dir, Test: "^TestPoisonUpdateIsSkippedAlone$",
		},
		{
			Promise: "telegram: falling update_id", Defect: "takes only what has a higher id",
			File: poll, Old: `p.stored, p.offset, p.confirms = to, last+1, true`, New: `p.stored, p.offset, p.confirms = to, max(p.offset, last+1), true`,
			Dir: dir, Test: "^TestFallingUpdateID$",
		},
		{
			Promise: "telegram: other bot", Defect: "has one position for all bots",
			File: in + "/receiver.go", Old: `cursor: channelName + "/" + account + "/updates"`, New: `cursor: channelName + "/updates"`,
			Dir: dir, Test: "^TestBotsHaveTheirOwnCursor$",
		},
		{
			Promise: "telegram: two pollers", Defect: "fights for the updates",
			File: in + "/pauses.go", Old: `minConflictPause = 5 * time.Second`, New: `minConflictPause = 50 * time.Millisecond`,
			Dir: dir, Test: "^TestConflictForTenMinutes$",
		},
		{
			Promise: "telegram: first poll", Defect: "keeps every chat waiting for the bot's name",
			File: poll, Old: `if ev.NeedsName {
			waiting[ev.Address.Chat] = true`, New: `if ev.NeedsName {
			break`,
			Dir: dir, Test: "^TestOnlyItsChatWaitsForTheName$",
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
			Promise: "telegram: pairing", Defect: "tells codes where it is switched off",
			File: "pkg/policy/pairing.go", Old: `ruled && !r.NoCodes`, New: `ruled && !r.Everyone`,
			Dir: "pkg/policy", Test: "^TestPaired$",
		},
		{
			Promise: "edits", Defect: "takes one part's wording for the album's",
			File: decode, Old: `kind == channels.KindEdit && e.Group != ""`, New: `kind == channels.KindEdit && e.Group == ""`,
			Dir: dir, Test: "^TestEditOfAPartLeavesItsAlbumAlone$",
		},
		{
			Promise: "telegram: strangers' files", Defect: "fetches for whoever sends",
			File: "pkg/gateway/telegram.go", Old: `Everyone: bot.AllowEveryone,`, New: `Everyone: true,`,
			Dir: "cmd/gateway", Test: "^TestStrangersFilesAreNotFetched$",
		},
	}
}

// telegramFileMutants break the way of files into a chat's space, and out of it.
func telegramFileMutants() []Mutant {
	return []Mutant{
		{
			Promise: "telegram: files out", Defect: "the end of a long caption is lost",
			File: "pkg/channels/telegram/outbound/files.go", Old: `u.html, caption = caption[0], caption[1:]`, New: `u.html, caption = caption[0], nil`,
			Dir: "pkg/channels/telegram", Test: "^TestSendFile$",
		},
		{
			Promise: "telegram: files in", Defect: "waits for a file as long as it takes",
			File: "pkg/agent/prompt/attachments.go", Old: `context.WithTimeout(ctx, fetchTime)`, New: `context.WithTimeout(ctx, 1000*fetchTime)`,
			Dir: "pkg/agent", Test: "^TestHangingDownloadsAreGivenUp$",
		},
		{
			Promise: "telegram: files in", Defect: "keeps half a file",
			File: "pkg/gateway/files/saving.go", Old: "err = errors.Join(err, box.Remove(part))",
			New: "err = errors.Join(err, box.Rename(part, \"half\"))",
			Dir: "pkg/gateway/files", Test: "^TestFilesAreKeptWholeOrNotAtAll$",
		},
		{
			Promise: "telegram: files are bounded", Defect: "keeps whatever people send",
			File: "pkg/gateway/files/attachments.go", Old: `there+expected > b.o.Limit {`, New: `there+expected < 0 {`,
			Dir: "pkg/gateway/files", Test: "^TestFilesOfAChatAreBounded$",
		},
		{
			Promise: "telegram: pictures", Defect: "reads a whole picture at once",
			File: "pkg/providers/internal/exchange/body.go", Old: `piece = 3 << 12`, New: `piece = 3 << 23`,
			Dir: "pkg/providers/openai", Test: "^TestPicturesTakeNoMemory$",
		},
		{
			Promise: "telegram: pictures", Defect: "sends every picture there ever was",
			File: "pkg/providers/internal/exchange/pictures.go", Old: `total+size > maxPictureBytes {`, New: `total < 0 {`,
			Dir: "pkg/providers/openai", Test: "^TestPicturesOfARequestAreBounded$",
		},
		{
			Promise: "telegram: unknown kinds", Defect: "forgets what it cannot use",
			File: "pkg/channels/wire/unread.go", Old: `if u.To != nil {`, New: `if u.To == nil {`,
			Dir: "cmd/gateway", Test: "^TestUnknownKindsAreKept$",
		},
	}
}
