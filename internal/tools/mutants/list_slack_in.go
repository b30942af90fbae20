package mutants

// slackInMutants break how Slack's events come in and are acknowledged.
func slackInMutants() []Mutant {
	const dir = "pkg/channels/slack"
	return []Mutant{
		{
			Promise: "slack: acknowledgement", Defect: "acknowledges what is not stored",
			File: dir + "/link.go", Old: `if stored && ev.envelope != "" {`, New: `if ev.envelope != "" {`,
			Dir: dir, Test: "^TestWhatTheStoreRefusesIsStoredLater$",
		},
		{
			Promise: "slack: acknowledgement", Defect: "forgets what the store refused",
			File: dir + "/intake.go", Old: "\ti.held = append(i.held, t)\n", New: "",
			Dir: dir, Test: "^TestAChatThatCannotBeStoredHoldsNobody$",
		},
		{
			Promise: "slack: acknowledgement", Defect: "lets newer messages of a chat pass those that wait",
			File: dir + "/intake.go", Old: `if len(t.items) > 0 && waiting[t.lane] {`, New: `if len(t.items) > maxCopies && waiting[t.lane] {`,
			Dir: dir, Test: "^TestAChatThatCannotBeStoredHoldsNobody$",
		},
		{
			Promise: "slack: first copy as retry", Defect: "drops what is marked as a retry",
			File: dir + "/decode.go", Old: "\tvar ev *event\n\tswitch e.Type {", New: "\tvar ev *event\n\tif bytes.Contains(f.data, []byte(`\"retry_attempt\":1`)) {\n\t\treturn &event{envelope: e.ID, skipped: \"a retry\"}\n\t}\n\tswitch e.Type {",
			Dir: dir, Test: "^TestAFirstCopyMayBeARetry$",
		},
		{
			Promise: "slack: refresh", Defect: "closes a socket before the next is open",
			File: dir + "/link.go", Old: `if !asked || why.cure() != "" {`, New: `if !asked || why != "" {`,
			Dir: dir, Test: "^TestASocketIsReplacedBeforeItEnds$",
		},
		{
			Promise: "slack: slow back-off", Defect: "asks again soon where there are too many sockets",
			File: dir + "/link.go", Old: "return wire.Jitter(l.slow.Take())", New: "return wire.Jitter(l.pause.Take())",
			Dir: dir, Test: "^TestALinkThatIsNotWantedIsNotHurried$",
		},
		{
			Promise: "slack: slow back-off", Defect: "hurries a server that ends every socket",
			File: dir + "/link.go", Old: "l.hasty = true // once", New: "l.hasty = false // once",
			Dir: dir, Test: "^TestSocketsThatEndAtOnceAreNotATightLoop$",
		},
		{
			Promise: "slack: half-open socket", Defect: "waits for ever on a socket",
			File: dir + "/socket.go", Old: "_ = s.conn.SetReadDeadline(time.Now().Add(silence))", New: "_ = silence",
			Dir: dir, Test: "^TestAHalfOpenSocketIsFound$",
		},
	}
}

// slackEventMutants break what is made of Slack's events, and whom they are believed from.
func slackEventMutants() []Mutant {
	const dir = "pkg/channels/slack"
	return []Mutant{
		{
			Promise: "slack: edits and deletions", Defect: "does not tell what an edit is about",
			File: dir + "/decode_message.go", Old: "in.Kind, in.Original, in.Time = channels.KindEdit, original(m.Channel, now.TS),", New: "in.Kind, in.Original, in.Time = channels.KindEdit, \"\",",
			Dir: dir, Test: "^TestEditsAndDeletionsTellTheirOriginal$",
		},
		{
			Promise: "slack: edits and deletions", Defect: "takes a preview for an edit",
			File: dir + "/decode_message.go", Old: "case now.Edited == nil || before != nil && sameWords(now, before):", New: "case before != nil && sameWords(now, before) && now.Edited == nil:",
			Dir: dir, Test: "^TestDecodeMessages$",
		},
		{
			Promise: "slack: both shapes of one post", Defect: "gives the mention an id of its own",
			File: dir + "/decode_message.go", Old: "in.ID, in.Kind, in.Time = original(m.Channel, m.TS),", New: "in.ID, in.Kind, in.Time = m.Type+\"/\"+original(m.Channel, m.TS),",
			Dir: dir, Test: "^TestBothShapesOfAPostAreOneItem$",
		},
		{
			Promise: "slack: unknown envelope", Defect: "does not look for the id of what it cannot read",
			File: dir + "/decode.go", Old: "return &event{envelope: h.ID, unread: unreadable,", New: "_ = h\n\t\treturn &event{unread: unreadable,",
			Dir: dir, Test: "^TestDecodeBrokenFrames$",
		},
		{
			Promise: "slack: unknown envelope", Defect: "keeps what could be acted with",
			File: dir + "/unread.go", Old: "\tstrip(v)\n\ttext", New: "\ttext",
			Dir: dir, Test: "^TestUnknownEnvelopesAreKeptAndAcknowledged$",
		},
		{
			Promise: "slack: huge message", Defect: "ends the socket over a frame that is too large",
			File: dir + "/socket.go", Old: "s.conn.SetReadLimit(maxHuge)", New: "s.conn.SetReadLimit(maxFrame)",
			Dir: dir, Test: "^TestAHugeMessageIsToldAndAcknowledged$",
		},
		{
			Promise: "slack: bots", Defect: "listens to other bots",
			File: dir + "/decode_message.go", Old: `return m.Bot != "" || m.Subtype == "bot_message" ||`, New: `return`,
			Dir: dir, Test: "^TestDecodeMessages$",
		},
		{
			Promise: "slack: signature", Defect: "believes every signature",
			File: dir + "/events.go", Old: "return hmac.Equal([]byte(want), []byte(signature))", New: "return want != \"\"",
			Dir: dir, Test: "^TestCallsThatAreNotSlacks$",
		},
		{
			Promise: "slack: signature", Defect: "takes a call of any time",
			File: dir + "/events.go", Old: "return time.Since(time.Unix(at, 0)).Abs() <= signatureAge", New: "return time.Since(time.Unix(at, 0)) <= signatureAge",
			Dir: dir, Test: "^TestCallsThatAreNotSlacks$",
		},
		{
			Promise: "slack: signature", Defect: "starts without a secret",
			File: dir + "/options.go", Old: `case o.Events.SigningSecret == nil || o.Events.SigningSecret() == "":`, New: `case o.Events.SigningSecret == nil:`,
			Dir: dir, Test: "^TestNewRefusesWhatIsWrong$",
		},
		{
			Promise: "slack: the account", Defect: "goes on as another app",
			File: dir + "/account.go", Old: `if now.Team != known.Team ||`, New: `if now.Team == known.Team && now.Team == "" ||`,
			Dir: dir, Test: "^TestAnotherAccountEndsRun$",
		},
		{
			Promise: "slack: names", Defect: "asks for a name with each message",
			File: dir + "/names.go", Old: "\t\tn.keep(user, known.name, nameRetry)\n", New: "",
			Dir: dir, Test: "^TestNamesComeWithWhatIsSaidNext$",
		},
		{
			Promise: "slack: files", Defect: "reads a file of any size",
			File: dir + "/media.go", Old: "return wire.NewBounded(body, maxFile, c.client.scrub), nil", New: "return body, nil",
			Dir: dir, Test: "^TestFilesThatCannotBeFetched$",
		},
	}
}

// slackIntakeMutants break who counts on the way in, and what is kept of what comes.
func slackIntakeMutants() []Mutant {
	const dir = "pkg/channels/slack"
	return []Mutant{
		{
			Promise: "slack: both shapes of one post", Defect: "lets the shape that came first stand for a mention that waits",
			File: dir + "/intake.go", Old: "if t.mentions() && !other.mentions() {", New: "if other.mentions() && !t.mentions() {",
			Dir: dir, Test: "^TestAHeldMentionStaysAMention$",
		},
		{
			Promise: "slack: who is answered", Defect: "remembers what was not let in",
			File: dir + "/intake.go", Old: "i.remember(passed)", New: "_ = passed\n\ti.remember(items)",
			Dir: dir, Test: "^TestWhatIsNotLetInGetsNoReaction$",
		},
		{
			Promise: "slack: edits and deletions", Defect: "gives an edit the rights of the message's author",
			File: dir + "/decode_message.go", Old: "now.User = first(now.Edited.User, now.User)", New: "now.User = first(now.User, now.Edited.User)",
			Dir: dir, Test: "^TestDecodeMessages$",
		},
		{
			Promise: "slack: hostile calls", Defect: "reads many large calls at once",
			File: dir + "/events.go", Old: "wire.Large(r)", New: "_ = r",
			Dir: dir, Test: "^TestStrangersDoNotKeepSlackOut$",
		},
		{
			Promise: "slack: unknown envelope", Defect: "keeps the secrets of what is no JSON",
			File: dir + "/unread.go", Old: "v = blank(string(raw))", New: "v = string(raw)",
			Dir: dir, Test: "^TestSpoiledPayloadsKeepNoSecrets$",
		},
	}
}
