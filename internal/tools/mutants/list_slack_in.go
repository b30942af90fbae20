package mutants

// slackInMutants break how Slack's events come in and are acknowledged.
func slackInMutants() []Mutant {
	const dir = "pkg/channels/slack"
	const in, decoding = dir + "/inbound", dir + "/event"
	return []Mutant{
		{
			Promise: "slack: one app in two workspaces", Defect: "acknowledges an event that another gateway is to have",
			File: in + "/link.go", Old: `case ev.Elsewhere:`, New: `case ev.Elsewhere && ev.Envelope == "":`,
			Dir: dir, Test: "^TestAnEventOfAnotherWorkspaceIsLeftToItsGateway$",
		},
		{
			Promise: "slack: acknowledgement", Defect: "acknowledges what is not stored",
			File: in + "/link.go", Old: `if stored && ev.Envelope != "" {`, New: `if ev.Envelope != "" {`,
			Dir: dir, Test: "^TestWhatTheStoreRefusesIsStoredLater$",
		},
		{
			Promise: "slack: acknowledgement", Defect: "forgets what the store refused",
			File: in + "/intake.go", Old: "\ti.held = append(i.held, t)\n", New: "",
			Dir: dir, Test: "^TestAChatThatCannotBeStoredHoldsNobody$",
		},
		{
			Promise: "slack: acknowledgement", Defect: "lets newer messages of a chat pass those that wait",
			File: in + "/intake.go", Old: `if len(t.Items) > 0 && waiting[t.Chat] {`, New: `if len(t.Items) > maxCopies && waiting[t.Chat] {`,
			Dir: dir, Test: "^TestAChatThatCannotBeStoredHoldsNobody$",
		},
		{
			Promise: "slack: first copy as retry", Defect: "drops what is marked as a retry",
			File: decoding + "/decode.go", Old: "\tvar ev *Event\n\tswitch e.Type {",
			New: "\tvar ev *Event\n\tif bytes.Contains(f.Data, []byte(`\"retry_attempt\":1`)) {\n" +
				"\t\treturn &Event{Envelope: e.ID, Skipped: \"a retry\"}\n\t}\n\tswitch e.Type {",
			Dir: dir, Test: "^TestAFirstCopyMayBeARetry$",
		},
		{
			Promise: "slack: refresh", Defect: "closes a socket before the next is open",
			File: in + "/link.go", Old: `if !asked || why.cure() != "" {`, New: `if !asked || why != "" {`,
			Dir: dir, Test: "^TestASocketIsReplacedBeforeItEnds$",
		},
		{
			Promise: "slack: slow back-off", Defect: "asks again soon where there are too many sockets",
			File: in + "/link.go", Old: "return backoff.Spread(l.slow.Next())", New: "return l.pause.Failed(0)",
			Dir: dir, Test: "^TestALinkThatIsNotWantedIsNotHurried$",
		},
		{
			Promise: "slack: slow back-off", Defect: "hurries a server that ends every socket",
			File: in + "/link.go", Old: "l.hasty = true // once", New: "l.hasty = false // once",
			Dir: dir, Test: "^TestSocketsThatEndAtOnceAreNotATightLoop$",
		},
		{
			Promise: "slack: half-open socket", Defect: "waits for ever on a socket",
			File: in + "/socket.go", Old: "_ = s.conn.SetReadDeadline(time.Now().Add(silence))", New: "_ = silence",
			Dir: dir, Test: "^TestAHalfOpenSocketIsFound$",
		},
	}
}

// slackEventMutants break the items made of Slack's events, and the check of their
// origin.
func slackEventMutants() []Mutant {
	const dir = "pkg/channels/slack"
	const in, decoding = dir + "/inbound", dir + "/event"
	return []Mutant{
		{
			Promise: "slack: edits and deletions", Defect: "does not tell what an edit is about",
			File: decoding + "/message.go",
			Old:  "in.Kind, in.Original, in.Time = channels.KindEdit, original(m.Channel, now.TS),",
			New:  "in.Kind, in.Original, in.Time = channels.KindEdit, \"\",",
			Dir:  dir, Test: "^TestEditsAndDeletionsTellTheirOriginal$",
		},
		{
			Promise: "slack: edits and deletions", Defect: "takes a preview for an edit",
			File: decoding + "/message.go", Old: "case now.Edited == nil || before != nil && sameWords(now, before):",
			New: "case before != nil && sameWords(now, before) && now.Edited == nil:",
			Dir: decoding, Test: "^TestDecodeMessages$",
		},
		{
			Promise: "slack: both shapes of one post", Defect: "gives the mention an id of its own",
			File: decoding + "/message.go", Old: "in.ID, in.Kind, in.Time = original(m.Channel, m.TS),",
			New: "in.ID, in.Kind, in.Time = m.Type+\"/\"+original(m.Channel, m.TS),",
			Dir: dir, Test: "^TestBothShapesOfAPostAreOneItem$",
		},
		{
			Promise: "slack: unknown envelope", Defect: "does not look for the id of what it cannot read",
			File: decoding + "/decode.go", Old: "return &Event{Envelope: h.ID, Unread: unreadable,",
			New: "_ = h\n\t\treturn &Event{Unread: unreadable,",
			Dir: decoding, Test: "^TestDecodeBrokenFrames$",
		},
		{
			Promise: "slack: unknown envelope", Defect: "keeps what could be acted with",
			File: decoding + "/kept.go", Old: "\tstrip(v)\n\ttext", New: "\ttext",
			Dir: dir, Test: "^TestUnknownEnvelopesAreKeptAndAcknowledged$",
		},
		{
			Promise: "slack: huge message", Defect: "ends the socket over a frame that is too large",
			File: in + "/socket.go", Old: "s.conn.SetReadLimit(maxHuge)", New: "s.conn.SetReadLimit(maxHuge >> 4)",
			Dir: dir, Test: "^TestAHugeMessageIsToldAndAcknowledged$",
		},
		{
			Promise: "slack: bots", Defect: "listens to other bots",
			File: decoding + "/message.go", Old: `return m.Bot != "" || m.Subtype == "bot_message" ||`, New: `return`,
			Dir: decoding, Test: "^TestDecodeMessages$",
		},
		{
			Promise: "slack: signature", Defect: "believes every signature",
			File: in + "/calls.go", Old: "return hmac.Equal([]byte(want), []byte(signature))", New: "return want != \"\"",
			Dir: dir, Test: "^TestCallsThatAreNotSlacks$",
		},
		{
			Promise: "slack: signature", Defect: "takes a call of any time",
			File: in + "/calls.go", Old: "return time.Since(time.Unix(at, 0)).Abs() <= signatureAge",
			New: "return time.Since(time.Unix(at, 0)) <= signatureAge",
			Dir: dir, Test: "^TestCallsThatAreNotSlacks$",
		},
		{
			Promise: "slack: signature", Defect: "starts without a secret",
			File: in + "/receiver.go", Old: `case c.SigningSecret == nil || c.SigningSecret() == "":`, New: `case c.SigningSecret == nil:`,
			Dir: dir, Test: "^TestNewRefusesWhatIsWrong$",
		},
		{
			Promise: "slack: the account", Defect: "goes on as another app",
			File: in + "/account.go", Old: `if now.Team != known.Team ||`, New: `if now.Team == known.Team && now.Team == "" ||`,
			Dir: dir, Test: "^TestAnotherAccountEndsRun$",
		},
		{
			Promise: "slack: names", Defect: "asks for a name with each message",
			File: in + "/names.go", Old: "\t\tn.keep(user, known.name, nameRetry)\n", New: "",
			Dir: dir, Test: "^TestNamesComeWithWhatIsSaidNext$",
		},
		{
			Promise: "slack: files", Defect: "reads a file of any size",
			File: in + "/media.go", Old: "return wire.NewBounded(body, maxFile, f.client.Scrub), nil", New: "return body, nil",
			Dir: dir, Test: "^TestFilesThatCannotBeFetched$",
		},
	}
}

// slackIntakeMutants break the admission on the way in, and the records of events.
func slackIntakeMutants() []Mutant {
	const dir = "pkg/channels/slack"
	const in, decoding = dir + "/inbound", dir + "/event"
	return []Mutant{
		{
			Promise: "slack: both shapes of one post", Defect: "lets the shape that came first stand for a mention that waits",
			File: in + "/intake.go", Old: "if t.mentions() && !other.mentions() {", New: "if other.mentions() && !t.mentions() {",
			Dir: dir, Test: "^TestAHeldMentionStaysAMention$",
		},
		{
			Promise: "slack: who is answered", Defect: "remembers what was not let in",
			File: in + "/intake.go", Old: "i.remember(passed)", New: "_ = passed\n\ti.remember(items)",
			Dir: dir, Test: "^TestWhatIsNotLetInGetsNoReaction$",
		},
		{
			Promise: "slack: edits and deletions", Defect: "gives an edit the rights of the message's author",
			File: decoding + "/message.go", Old: "now.User = cmp.Or(now.Edited.User, now.User)", New: "now.User = cmp.Or(now.User, now.Edited.User)",
			Dir: decoding, Test: "^TestDecodeMessages$",
		},
		{
			Promise: "slack: hostile calls", Defect: "reads many large calls at once",
			File: in + "/calls.go", Old: "wire.Large(r)", New: "_ = r",
			Dir: dir, Test: "^TestStrangersDoNotKeepSlackOut$",
		},
		{
			Promise: "slack: unknown envelope", Defect: "keeps the secrets of what is no JSON",
			File: decoding + "/kept.go", Old: "v = blank(string(raw))", New: "v = string(raw)",
			Dir: decoding, Test: "^TestSpoiledPayloadsKeepNoSecrets$",
		},
	}
}
