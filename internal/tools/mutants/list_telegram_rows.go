package mutants

import "slices"

// telegramRowMutants break the promises about Telegram that are not in the list of its
// adapter.
func telegramRowMutants() []Mutant {
	return slices.Concat(telegramReadMutants(), telegramWireMutants(), telegramBeyondMutants(), telegramTextMutants())
}

// telegramReadMutants break the reading of people's messages.
func telegramReadMutants() []Mutant {
	const dir = "pkg/channels/telegram"
	const reading = dir + "/update"
	const poll, decode = dir + "/inbound/poll.go", reading + "/decode.go"
	return []Mutant{
		{
			Promise: "telegram: suite", Defect: "takes every topic for its group",
			File: decode, Old: "if thread != 0 {", New: "if thread < 0 {",
			Dir: dir, Test: "^TestTelegramPassesTheSuite$",
		},
		{
			Promise: "telegram: repeated update", Defect: "takes an update that comes again for a new one",
			File: decode, Old: `ID: "update/" + itoa(e.ID), Kind: kind,`, New: `ID: "update/" + itoa(time.Now().UnixNano()), Kind: kind,`,
			Dir: dir, Test: "^TestRepeatedUpdateKeepsItsID$",
		},
		{
			Promise: "telegram: no tight loop", Defect: "asks a server ten times a second that gives the same",
			File: poll, Old: "stuckPause = time.Second", New: "stuckPause = time.Second / 10",
			Dir: dir, Test: "^TestNoTightLoop$",
		},
		{
			Promise: "telegram: first poll", Defect: "judges without its name whether it is named",
			File: decode, Old: "(said.addressed() || said.names())", New: "said.addressed()",
			Dir: dir, Test: "^TestMentionWaitsForTheName$",
		},
		{
			Promise: "telegram: kinds of messages", Defect: "reads an animation twice",
			File: reading + "/content.go", Old: "if c.Animation == nil {", New: "if c.Document != nil {",
			Dir: reading, Test: "^TestDecodeMessages$",
		},
		{
			Promise: "telegram: kinds of messages", Defect: "does not say where a quote is from",
			File: decode, Old: "case m.External != nil:", New: "case m.External != nil && chosen != \"\":",
			Dir: reading, Test: "^TestDecodeMessages$",
		},
		{
			Promise: "telegram: nobody's messages", Defect: "answers a channel's post that Telegram forwarded",
			File: decode, Old: "case m.Auto:", New: `case m.Auto && m.Chat.Type == "channel":`,
			Dir: reading, Test: "^TestDecodeNoItem$",
		},
		{
			Promise: "telegram: nobody's messages", Defect: "reads an edit long after its message",
			File: decode, Old: "m.EditDate-m.Date > maxEditAge", New: "m.Date-m.EditDate > maxEditAge",
			Dir: reading, Test: "^TestDecodeNoItem$",
		},
		{
			Promise: "telegram: buttons", Defect: "lets the button spin",
			File: poll, Old: `if ev.Callback != "" {`, New: `if ev.Callback == "none" {`,
			Dir: dir, Test: "^TestButtonPressIsAnswered$",
		},
		{
			Promise: "telegram: buttons", Defect: "takes a press that comes again for another one",
			File: decode, Old: `ID: "press/" + q.ID,`, New: `ID: "press/" + itoa(e.ID),`,
			Dir: dir, Test: "^TestAQuestionIsAskedPressedAndFinished$",
		},
		{
			Promise: "telegram: first contact", Defect: "greets a group whose other bot was meant",
			File: reading + "/text.go", Old: `length > 0 && (name != "/start" || bot != "")`, New: `length > 0 && (name != "/begin" || bot != "")`,
			Dir: reading, Test: "^TestDecodeMessages$",
		},
	}
}

// telegramWireMutants break its messages, and its reading of answers.
func telegramWireMutants() []Mutant {
	const dir = "pkg/channels/telegram"
	const post, errs = dir + "/outbound/post.go", dir + "/api/errors.go"
	return []Mutant{
		{
			Promise: "telegram: every fault", Defect: "gives up what Telegram itself did not do",
			File: errs, Old: "case e.Code >= http.StatusInternalServerError, e.Code", New: "case e.Code",
			Dir: dir, Test: "^TestEgressDeliversThroughEveryFault$",
		},
		{
			Promise: "telegram: broken wire", Defect: "does not know whether it is sent what found no server",
			File: "pkg/channels/wire/class.go", Old: "case !e.Sent:\n\t\treturn channels.SendTransient",
			New: "case !e.Sent:\n\t\treturn channels.SendAmbiguous",
			Dir: dir, Test: "^TestSendWithoutAServerIsTransient$",
		},
		{
			Promise: "telegram: rates", Defect: "lets more into a group than a minute has",
			File: dir + "/outbound/rates.go", Old: "(r.GroupPerMinute-chatBurst)/60", New: "r.GroupPerMinute/60",
			Dir: dir, Test: "^TestLimitsOfChatsAndGroups$",
		},
		{
			Promise: "telegram: token revoked", Defect: "takes the 404 of a revoked token for an outage",
			File: errs, Old: "e.Code == http.StatusUnauthorized || e.Code == http.StatusNotFound", New: "e.Code == http.StatusUnauthorized",
			Dir: dir, Test: "^TestRevokedTokenIsTriedSeldom$",
		},
		{
			Promise: "telegram: replies and topics", Defect: "answers outside of the topic",
			File: post, Old: "\tparams.AddNonEmpty(\"message_thread_id\", p.to.Thread)\n", New: "",
			Dir: dir, Test: "^TestSendAnswersInGroupsAndTopics$",
		},
		{
			Promise: "telegram: menu", Defect: "sets the menu at each start",
			File: dir + "/inbound/menu.go", Old: "if slices.Equal(have, r.opt.MenuCommands) {",
			New: "if slices.Equal(have, r.opt.MenuCommands) && have == nil {",
			Dir: dir, Test: "^TestMenuIsSetWhenItDiffers$",
		},
	}
}

// telegramBeyondMutants break promises of Telegram that other rooms keep.
func telegramBeyondMutants() []Mutant {
	return []Mutant{
		{
			Promise: "telegram: busy chat", Defect: "answers again what has joined a turn",
			File: "pkg/session/engine/turn.go", Old: "t.taken = append(t.taken, seqs...)\n\tt.joined", New: "t.joined",
			Dir: "internal/test/e2e", Test: "^TestTelegramBurstIntoABusyChat$",
		},
		{
			Promise: "telegram: pairing", Defect: "lets who is paired speak in groups",
			File: "pkg/policy/pairing.go", Old: "case paired && e.Direct:", New: "case paired && e.Kind != \"\":",
			Dir: "pkg/policy", Test: "^TestPaired$",
		},
		{
			Promise: "telegram: first answer", Defect: "says something else than README.md",
			File: "pkg/gateway/admin/texts.go", Old: "You now have access, with the rights of an owner.", New: "Welcome, owner.",
			Dir: "cmd/gateway", Test: "^TestTelegramInReadme$",
		},
		{
			Promise: "edits", Defect: "takes the edit of an answered message for a new one",
			File: "pkg/session/engine/commit.go", Old: "Messages: t.messages(), ", New: "",
			Dir: "pkg/session/engine", Test: "^TestConformance$/^edits$",
		},
		{
			Promise: "edits", Defect: "drops the edit that makes a message be for the bot",
			File: "pkg/session/engine/edit.go", Old: "case !accepted:", New: "case !accepted && t == nil:",
			Dir: "pkg/session/engine", Test: "^TestConformance$/^edits$",
		},
		{
			Promise: "telegram: albums over a webhook", Defect: "lets another member add to an album",
			File: "pkg/session/engine/album.go", Old: "item.Inbound.Sender.ID == part.Inbound.Sender.ID", New: "part.Inbound.Sender.ID != \"\"",
			Dir: "pkg/session/engine", Test: "^TestConformance$/^albums$",
		},
		{
			Promise: "telegram: albums over a webhook", Defect: "begins with the first part",
			File: "pkg/session/engine/album.go", Old: "age < 0 || age >= session.AlbumWindow", New: "age < session.AlbumWindow",
			Dir: "pkg/session/engine", Test: "^TestAlbumIsWaitedFor$",
		},
		{
			Promise: "telegram: albums over a webhook", Defect: "takes a part again that it has",
			File: "pkg/session/engine/album.go",
			Old:  "return t.Put(table.Seen, table.IDKey(part.ID), &table.SeenRecord{Time: t.Now})", New: "return nil",
			Dir: "pkg/session/engine", Test: "^TestConformance$/^albums$",
		},
		{
			Promise: "telegram: albums over a webhook", Defect: "reads only the part with the caption",
			File: "pkg/gateway/adapters.go", Old: "Overheard: v.Overheard, ", New: "",
			Dir: "internal/test/e2e", Test: "^TestTelegramAlbumOverAWebhook$",
		},
		{
			Promise: "telegram: albums over a webhook", Defect: "lets a stranger add to an album",
			File: "pkg/policy/authorize.go", Old: "\t\t\treturn p.unlisted(e, reason)",
			New: "\t\t\tv := p.unlisted(e, reason)\n\t\t\tv.Overheard = !v.Allow\n\t\t\treturn v",
			Dir: "pkg/policy", Test: "^TestOverheard$",
		},
		{
			Promise: "telegram: migration", Defect: "forgets what the configuration says of the group",
			File: "pkg/policy/moves.go", Old: `p.moves.Former(a.Channel, a.Account, a.Chat)`, New: `p.moves.Former(a.Channel, "", a.Chat)`,
			Dir: "pkg/policy", Test: "^TestAMovedChatKeepsItsRules$",
		},
		{
			Promise: "telegram: first contact", Defect: "gives the word that opens a chat to the model",
			File: "pkg/agent/command/commands.go", Old: `return known || name == startCommand || it.Solo`, New: `return known`,
			Dir: "pkg/agent", Test: "^TestCommandsAnswerWithoutAModel$",
		},
	}
}

// telegramTextMutants break the form of sent texts.
func telegramTextMutants() []Mutant {
	const dir = "pkg/channels/telegram/markup"
	return []Mutant{
		{
			Promise: "telegram: markup", Defect: "reads an address as words",
			File: "pkg/channels/markdown/read.go", Old: `(c == '.' || c == ':') && (i == len(s)-1 || s[i+1] == ' ')`, New: `c == '.' || c == ':'`,
			Dir: "pkg/channels/markdown", Test: "^FuzzLines$",
		},
		{
			Promise: "telegram: markup", Defect: "links to whatever a model names",
			File: dir + "/layout.go", Old: `u.Host == "" || u.Scheme != "http" && u.Scheme != "https"`, New: `u.Host == ""`,
			Dir: dir, Test: "^TestRender$",
		},
		{
			Promise: "telegram: markup", Defect: "leaves to Telegram what it links by itself",
			File: dir + "/live.go", Old: "if scheme > 0 {", New: "if scheme > len(text) {",
			Dir: dir, Test: "^TestRender$",
		},
		{
			Promise: "telegram: length", Defect: "counts an emoji as one unit",
			File: dir + "/markup.go", Old: "if r > 0xFFFF {", New: "if r > 0x10FFFF {",
			Dir: dir, Test: "^TestUnits$",
		},
		{
			Promise: "telegram: emoji at the split", Defect: "cuts within an emoji",
			File: "pkg/channels/markdown/cut.go", Old: "return g.Start()", New: "return g.Start() + 4",
			Dir: "pkg/channels/telegram", Test: "^TestSendKeepsEmojiWholeAtTheSplit$",
		},
	}
}
