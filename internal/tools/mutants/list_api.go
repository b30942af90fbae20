package mutants

// credentialMutants break the rights of tokens in turns.
func credentialMutants() []Mutant {
	const agent, api, trust = "pkg/agent", "pkg/api/native", "pkg/agent/trust/principal.go"
	return []Mutant{
		{
			Promise: "requests: model", Defect: "asks the model of the chat",
			File: agent + "/turn/models.go", Old: "caller.Model(Wish(t), t.Info.Model)", New: "caller.Model(nil, t.Info.Model)",
			Dir: agent, Test: "^TestAWishForAModel$",
		},
		{
			Promise: "requests: model", Defect: "lets an agent ask another model",
			File: "pkg/agent/subagent/start.go", Old: "	t.Wish = turn.Wish(r).Handed()\n", New: "",
			Dir: agent, Test: "^TestAWishForAModel$",
		},
		{
			Promise: "requests: model", Defect: "lets another model read the report",
			File: agent + "/task/report.go", Old: "		h.report = &t\n		return turn.Input{Items: items, Handed: t.Wish}, nil",
			New: "		h.report = &t\n		return turn.Input{Items: items}, nil",
			Dir: agent, Test: "^TestAWishForAModel$",
		},
		{
			Promise: "requests: model", Defect: "lets a token name any model",
			File: api + "/post.go", Old: "		may = p.caller.Models\n", New: "",
			Dir: api, Test: "^TestARequestNamesAModel$",
		},
		{
			Promise: "http: revoked tokens", Defect: "answers for a token that was revoked",
			File: trust, Old: "q.wish, q.then = in.Wish, policy", New: "q.then = policy",
			Dir: agent, Test: "^TestAQueuedMessageOfARevokedTokenIsNotAnswered$",
		},
		{
			Promise: "http: revoked tokens", Defect: "keeps the level of before",
			File: trust, Old: "[...]policy.Level{q.then, now}", New: "[...]policy.Level{q.then, q.then[:len(now)*0]}",
			Dir: agent, Test: "^TestATokenHasItsLevelOfNow$",
		},
		{
			Promise: "http: revoked tokens", Defect: "runs a call for which a revoked token asked",
			File: trust, Old: "decided.Allow && valid", New: "decided.Allow && (valid || decided.Allow)",
			Dir: agent, Test: "^TestARevokedTokenEndsItsQuestionsAndAgents$/^question$",
		},
		{
			Promise: "http: revoked tokens", Defect: "lets an agent work on for a revoked token",
			File: trust, Old: "	case valid:\n", New: "	case valid, it.TaskID != \"\":\n",
			Dir: agent, Test: "^TestARevokedTokenEndsItsQuestionsAndAgents$/^agent$",
		},
		{
			Promise: "http: revoked tokens", Defect: "lets an expired token hold",
			File: "pkg/gateway/keyring.go", Old: "if err != nil || !t.Expires.IsZero() && !time.Now().Before(t.Expires) {", New: "if err != nil {",
			Dir: "pkg/gateway", Test: "^TestTokensThatHold$",
		},
	}
}

// pageMutants break the reading of a chat.
func pageMutants() []Mutant {
	const api = "pkg/api/native"
	return []Mutant{
		{
			Promise: "api: delivered messages", Defect: "keeps no delivered message",
			File: "pkg/channels/delivering.go", Old: "o.Kept = o.State == Delivered", New: "o.Kept = o.State == Refused",
			Dir: "pkg/channels", Test: "^TestWhichMessagesAreDeliveredAtOnce$",
		},
		{
			Promise: "api: delivered messages", Defect: "shows an answer twice",
			File: api + "/reading/page.go", Old: "if rest == finalID {", New: "if rest == turn {",
			Dir: api, Test: "^TestADeliveredMessageIsReadAtItsPlace$",
		},
		{
			Promise: "api: delivered messages", Defect: "puts the words of a tool behind the turn",
			File: api + "/reading/page.go", Old: "at := p.behindCall(turn, rest)", New: "at := 0 * p.behindCall(turn, rest)",
			Dir: api, Test: "^TestADeliveredMessageIsReadAtItsPlace$",
		},
		{
			Promise: "api: a chat is whole", Defect: "answers with all bytes of a chat at once",
			File: api + "/reading/page.go", Old: "len(p.messages) < pageSize && p.size < pageBytes; !p.whole",
			New: "len(p.messages) < pageSize; !p.whole",
			Dir: api, Test: "^TestAChatIsReadInPages$",
		},
		{
			Promise: "api: delivered messages", Defect: "reads a message only once its receipt is stored",
			File: api + "/reading/page.go", Old: "all = append(early, all...)", New: "all = append(early[:0], all...)",
			Dir: api, Test: "^TestAMessageIsReadBeforeItsReceipt$",
		},
		{
			Promise: "api: delivered messages", Defect: "shows the answers of the conversation that was left",
			File: api + "/reading/page.go", Old: "session.NotLeft(ctx, p.o.Store, p.o.Activity, p.at, early)",
			New: "early, error(nil)",
			Dir: api, Test: "^TestAChatIsReadAsItsConversation$",
		},
		{
			Promise: "api: a chat is whole", Defect: "shows answers of older pages as the newest",
			File: api + "/reading/page.go", Old: "return room || len(early) > 0 && left > 0", New: "return room",
			Dir: api, Test: "^TestAChatIsReadInPages$",
		},
		{
			Promise: "api: a chat is whole", Defect: "shows an answer behind which a page ends on the next one too",
			File: api + "/reading/page.go", Old: "case i < 0 && turn == p.older:", New: "case i < 0 && turn == \"\":",
			Dir: api, Test: "^TestAChatIsReadInPages$",
		},
		{
			Promise: "api: list of chats", Defect: "lists the chats of everybody",
			File: api + "/names.go", Old: `strings.CutPrefix(chat, personOf(c)+".")`, New: `strings.CutPrefix(chat, personOf(c)[:4])`,
			Dir: api, Test: "^TestChatsAreListed$",
		},
		{
			Promise: "api: answers to questions", Defect: "says that the same answer comes too late",
			File: api + "/chat.go", Old: "if was != decision {", New: `if was != "" {`,
			Dir: api, Test: "^TestAQuestionIsAnswered$",
		},
	}
}

// atOnceMutants are the defects of the texts that are delivered by being stored.
func atOnceMutants() []Mutant {
	return []Mutant{
		{
			Promise: "api: delivered at once", Defect: "overtakes what waits in the chat",
			File: "pkg/session/engine/outbox/atonce.go", Old: "return k == nil", New: "return k == nil || chat > 0",
			Dir: "pkg/session/engine", Test: "^TestConformance$/^outbox$/^a_text_that_needs",
		},
		{
			Promise: "api: delivered at once", Defect: "shows no text of a commit that failed and is stored",
			File: "pkg/session/engine/outbox/atonce.go", Old: "known && err == nil", New: "!known && err == nil",
			Dir: "pkg/session/engine", Test: "^TestATextOfACommitInDoubtIsShown$",
		},
		{
			Promise: "api: delivered at once", Defect: "shows a text twice whose second commit is stored",
			File: "pkg/session/engine/outbox/atonce.go", Old: "		o.atOnce.certain(msg.ID)\n", New: "",
			Dir: "pkg/session/engine", Test: "^TestATextOfACommitInDoubtIsShown$",
		},
		{
			Promise: "api: delivered at once", Defect: "keeps no text with its chat",
			File: "pkg/session/engine/outbox/atonce.go", Old: "return keep(x, chat, seq, msg, x.Now)", New: "return nil",
			Dir: "pkg/session/engine", Test: "^TestConformance$/^outbox$/^a_text_that_needs",
		},
		{
			Promise: "api: delivered at once", Defect: "shows what is not stored yet",
			File: "pkg/session/engine/outbox/atonce.go", Old: "	x.OnCommit = append(x.OnCommit, told)\n", New: "	told()\n",
			Dir: "pkg/session/engine", Test: "^TestConformance$/^outbox$/^a_text_that_needs",
		},
		{
			Promise: "api: delivered at once", Defect: "shows a secret",
			File: "pkg/channels/atonce.go", Old: "part.Text = parts[0]", New: "part.Text = o.Text",
			Dir: "pkg/channels", Test: "^TestWhichMessagesAreDeliveredAtOnce$",
		},
		{
			Promise: "api: delivered at once", Defect: "leaves a question to those who look",
			File: "pkg/channels/atonce.go", Old: "|| len(o.Buttons) > 0 ||", New: "||",
			Dir: "pkg/channels", Test: "^TestWhichMessagesAreDeliveredAtOnce$",
		},
	}
}

// silenceMutants show people the word for silence.
func silenceMutants() []Mutant {
	const agent, api, silence = "pkg/agent", "pkg/api/native", "api: silence"
	return []Mutant{
		{
			Promise: silence, Defect: "tells it as an answer that came in one piece",
			File: agent + "/telling/telling.go",
			Old:  `resp.Content != "" && strings.TrimSpace(resp.Content) != prompt.NoReply`, New: `resp.Content != ""`,
			Dir: api, Test: "^TestSilenceIsNotShown$",
		},
		{
			Promise: silence, Defect: "tells its pieces as they come",
			File: agent + "/telling/telling.go",
			Old:  "if !l.streamed && strings.HasPrefix(prompt.NoReply", New: "if l.streamed && strings.HasPrefix(prompt.NoReply",
			Dir: api, Test: "^TestSilenceIsNotShown$",
		},
		{
			Promise: silence, Defect: "keeps it in the history of a person who read a sentence",
			File: agent + "/turn/message.go", Old: "last.Content = text //", New: "_ = last //",
			Dir: api, Test: "^TestSilenceIsNotShown$",
		},
		{
			Promise: silence, Defect: "lists it among the messages",
			File: api + "/reading/page.go", Old: "!e.Summary && !e.Silent() // a", New: "!e.Summary // a",
			Dir: api, Test: "^TestSilenceIsNotShown$",
		},
		{
			Promise: silence, Defect: "copies it as the last answer",
			File: api + "/reading/conversations.go", Old: "!e.Undone && !e.Silent()\n", New: "!e.Undone\n",
			Dir: api, Test: "^TestSilenceIsNotShown$",
		},
		{
			Promise: silence, Defect: "reads it again as the text of a response",
			File: "pkg/api/openai/past.go", Old: "p.redact(p.entries[i].Said())", New: "p.redact(m.Content)",
			Dir: "pkg/api/openai", Test: "^TestSilenceIsNotTold$",
		},
		{
			Promise: silence, Defect: "has it in a snapshot",
			File: "pkg/api/agui/snapshot.go", Old: "!e.Undone && !e.Silent() {", New: "!e.Undone {",
			Dir: "pkg/api/agui", Test: "^TestARunWhoseEventsAreGone$",
		},
	}
}
