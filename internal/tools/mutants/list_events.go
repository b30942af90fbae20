package mutants

// eventMutants break the hub of events, and a turn's part in it.
func eventMutants() []Mutant {
	const dir, agent = "pkg/events", "pkg/agent"
	return []Mutant{
		{
			Promise: "events: order", Defect: "says that a turn is done before its message is there",
			File: dir + "/gate.go",
			Old:  `	case awaits == "" || slices.Contains(c.early, awaits):`, New: `	case awaits != " " || slices.Contains(c.early, awaits):`,
			Dir: dir, Test: "^TestDoneFollowsTheLastMessage$",
		},
		{
			Promise: "events: order", Defect: "tells 200 characters of a result",
			File: agent + "/telling/telling.go", Old: "Result: e.Result,", New: "Result: e.Text,",
			Dir: agent, Test: "^TestTheEventsOfATurn$",
		},
		{
			Promise: "events: resume", Defect: "serves the id of another process",
			File: dir + "/hub.go", Old: "return seq, err == nil && epoch == h.epoch && seq <= h.seq", New: "return seq, err == nil && epoch != \"\"",
			Dir: dir, Test: "^TestIDsThatCannotBeServed$",
		},
		{
			Promise: "events: resume", Defect: "forgets that it dropped a chat",
			File: dir + "/hub.go", Old: "h.gone = max(h.gone, c.events.newest(), c.floor)", New: "h.gone = max(h.gone, c.floor)",
			Dir: dir, Test: "^TestChatsAreDropped$",
		},
		{
			Promise: "events: resume", Defect: "tells nothing of the calls before a restart",
			File: agent + "/turn/resume.go", Old: "		t.live.told.Again(s)\n", New: "",
			Dir: agent, Test: "^TestAResumedTurnIsToldFromItsBeginning$",
		},
		{
			Promise: "events: slow readers", Defect: "skips the events that a slow reader has missed",
			File: dir + "/reader.go", Old: "	if r.pos < c.floor {\n		return nil, nil, ErrReset\n	}\n", New: "",
			Dir: dir, Test: "^TestASlowReaderIsClosed$",
		},
		{
			Promise: "events: slow readers", Defect: "keeps the events of idle chats beyond the bound",
			File: dir + "/hub.go", Old: "		h.dropIdle(time.Time{})\n", New: "",
			Dir: dir, Test: "^TestAllChatsTogetherAreBounded$",
		},
		{
			Promise: "events: secrets", Defect: "tells a piece of text at once",
			File: dir + "/turn.go", Old: "max(o.Unsettled(text), partial(text))", New: "partial(text)",
			Dir: dir, Test: "^TestNoSecretPasses$",
		},
		{
			Promise: "events: secrets", Defect: "tells a delivered message as it is",
			File: dir + "/data.go", Old: "d.Text, d.File, d.Files = redact(d.Text), redact(d.File),", New: "d.File, d.Files = redact(d.File),",
			Dir: dir, Test: "^TestNoSecretPasses$",
		},
		{
			Promise: "requests: only narrow", Defect: "offers a tool beyond the level because a message names it",
			File: agent + "/turn/turn.go", Old: "if !t.Principal.Level", New: "if !caller.Names(wish) && !t.Principal.Level",
			Dir: agent, Test: "^TestAWishOnlyTakesAway$",
		},
		{
			Promise: "requests: only narrow", Defect: "raises the limit of rounds",
			File: agent + "/caller/options.go", Old: "return min(limit, w.Rounds)", New: "return w.Rounds",
			Dir: agent, Test: "^TestAWishForRounds$",
		},
		{
			Promise: "requests: only narrow", Defect: "does not store the wish",
			File: "pkg/channels/message.go", Old: "`json:\"wish,omitempty\"`", New: "`json:\"-\"`",
			Dir: agent, Test: "^TestAWishHoldsAfterACrash$",
		},
		{
			Promise: "requests: only narrow", Defect: "lets a plain message join the turn",
			File: agent + "/intake.go", Old: "m.Solo || m.Wish != nil ||", New: "m.Solo ||",
			Dir: agent, Test: "^TestAWishHoldsAfterACrash$",
		},
		{
			Promise: "requests: only narrow", Defect: "forgets the wish behind an approval",
			File: agent + "/turn/wish.go", Old: "return t.Input.Decided.Wish", New: "return nil",
			Dir: agent, Test: "^TestAWishHoldsBehindAnApproval$",
		},
		{
			Promise: "events: characters", Defect: "cuts a character where the model's server does",
			File: dir + "/turn.go", Old: "max(o.Unsettled(text), partial(text))", New: "o.Unsettled(text)",
			Dir: dir, Test: "^TestNoTokenCutsACharacter$",
		},
	}
}

// apiMutants break the native API and its channel.
func apiMutants() []Mutant {
	const dir, channel = "pkg/api/native", "pkg/channels/web"
	return []Mutant{
		{
			Promise: "web: suite", Defect: "does not end its posts with the run",
			File: channel + "/channel.go", Old: "defer context.AfterFunc(now.ctx, cancel)()", New: "_ = now",
			Dir: channel, Test: "^TestConformance$/^RunEndsWithItsContext$",
		},
		{
			Promise: "api: one turn", Defect: "makes a new message of each request",
			File: dir + "/post.go", Old: "if len(keys) == 0 {", New: "if len(keys) < 2 {",
			Dir: dir, Test: "^TestEqualKeysAreOneTurn$",
		},
		{
			Promise: "api: one turn", Defect: "takes a key for that of another chat",
			File: dir + "/post.go", Old: "p.caller.Credential, r.Method+r.URL.Path, p.at.Chat, keys[0]", New: "p.caller.Credential, keys[0]",
			Dir: dir, Test: "^TestEqualKeysAreOneTurn$",
		},
		{
			Promise: "api: one turn", Defect: "takes another message under a key for the first one",
			File: "pkg/session/engine/inbox.go", Old: `string(first) != sum {`, New: `len(first) == 0 && string(first) != sum {`,
			Dir: dir, Test: "^TestAUsedKeyTakesNoOtherMessage$",
		},
		{
			Promise: "api: one turn", Defect: "lets a program wait for events that were before",
			File: dir + "/post.go", Old: "		return begun\n", New: "		return mark\n",
			Dir: dir, Test: "^TestAMessageSentAgainIsFollowed$",
		},
		{
			Promise: "api: options", Defect: "calls a tool for a token without the right",
			File: dir + "/post.go", Old: "	case commandTool:\n		if !p", New: "	case commandTool:\n		if p",
			Dir: dir, Test: "^TestCommandsNeedTheRightsOfTheirRoutes$",
		},
		{
			Promise: "api: the stream goes on", Defect: "overlooks the id to go on from",
			File: dir + "/stream.go", Old: `after = r.URL.Query().Get("after")`, New: `after = ""`,
			Dir: dir, Test: "^TestAMessageAndItsEvents$",
		},
		{
			Promise: "api: a chat is whole", Defect: "reads a chat from its summary on",
			File: "pkg/session/engine/history.go", Old: "			from = 0\n", New: "			_ = from\n",
			Dir: dir, Test: "^TestAChatIsReadWhole$",
		},
		{
			Promise: "api: a chat is whole", Defect: "shows a summary as a person's words",
			File: dir + "/reading/page.go", Old: "!e.Summary && !e.Silent() // a", New: "!e.Silent() // a",
			Dir: dir, Test: "^TestAChatIsReadWhole$",
		},
		{
			Promise: "api: chats of others", Defect: "names chats without their persons",
			File: dir + "/names.go", Old: `return personOf(c) + "." + id }`, New: `return "." + id }`,
			Dir: dir, Test: "^TestOthersReachNothing$",
		},
		{
			Promise: "api: chats of others", Defect: "answers a question of another chat",
			File: dir + "/chat.go", Old: "case errors.Is(err, session.ErrNotFound), err == nil && q.Address != p.at:",
			New: "case errors.Is(err, session.ErrNotFound):",
			Dir: dir, Test: "^TestAQuestionIsAnswered$",
		},
		{
			Promise: "api: options", Defect: "overlooks an unknown tool",
			File: dir + "/wanted.go", Old: "if !slices.Contains(offered, name) {", New: "if name == \"\" {",
			Dir: dir, Test: "^TestOptionsOnlyNarrow$",
		},
		{
			Promise: "api: options", Defect: "gives a turn the level of its person",
			File: "pkg/agent/trust/principal.go", Old: "q.wish, q.then = in.Wish, policy.Level(in.Wish.Level)", New: "q.wish = in.Wish",
			Dir: dir, Test: "^TestATokenHasNoMoreThanItsLevel$",
		},
		{
			Promise: "api: answers to questions", Defect: "lets a token answer its own question",
			File: dir + "/chat.go", Old: `(started == "" || own):`, New: `(started == ""):`,
			Dir: dir, Test: "^TestAQuestionIsAnswered$",
		},
		{
			Promise: "api: answers to questions", Defect: "lets each token answer",
			File: dir + "/chat.go", Old: "case p.program && !p.caller.May(httpd.RightApprove):", New: "case p.program && p.caller == nil:",
			Dir: dir, Test: "^TestAQuestionIsAnswered$",
		},
	}
}

// pieceMutants break the events of calls that grow.
func pieceMutants() []Mutant {
	return []Mutant{
		{
			Promise: "events: order", Defect: "tells the id of a call with its first piece alone",
			File: "pkg/tools/internal/asking/pieces.go", Old: "			piece.ID, piece.Name = first.ID, first.Name\n", New: "",
			Dir: "pkg/tools", Test: "^TestPiecesOfCallsHaveTheirID$",
		},
	}
}

// walkMutants break what a walk through a turn shows.
func walkMutants() []Mutant {
	const dir, walk = "pkg/api/native", "^TestEachEventInItsOrder$"
	return []Mutant{
		{
			Promise: "api: the walk of events", Defect: "tells a call that the model writes as a whole alone",
			File: "pkg/agent/telling/telling.go", Old: "\t\tl.to.CallDelta(e.CallID, e.Tool, e.Arguments)\n", New: "",
			Dir: dir, Test: walk,
		},
		{
			Promise: "api: the walk of events", Defect: "tells the name of a call with each piece of it",
			File: "pkg/events/turn.go", Old: "\t} else {\n\t\tname = \"\"\n\t}\n\tif piece = g.add", New: "\t}\n\tif piece = g.add",
			Dir: dir, Test: walk,
		},
		{
			Promise: "http: claims", Defect: "believes the person that a request names",
			File: "pkg/httpd/guard.go", Old: "\t\t\treturn s.found(valid, c, err, textBearer)\n",
			New: "\t\t\tif said := r.Header.Get(\"X-User-Id\"); err == nil && said != \"\" {\n\t\t\t\tc.Person.ID = said\n\t\t\t}\n" +
				"\t\t\treturn s.found(valid, c, err, textBearer)\n",
			Dir: dir, Test: "^TestClaimsOfAClientGiveNothing$",
		},
	}
}

// gateMutants break the wait of a turn's events for the message of the turn before.
func gateMutants() []Mutant {
	const dir = "pkg/events"
	return []Mutant{
		{
			Promise: "events: order", Defect: "says that a turn is done when the next one begins",
			File: dir + "/gate.go",
			Old:  "	c.turn, c.began = d.Turn, 0\n", New: "	c.turn, c.began = d.Turn, 0\n	if c.ends != nil {\n		h.finish(c)\n	}\n",
			Dir: "pkg/api/native", Test: "^TestATurnEndsBeforeTheNextOne$",
		},
		{
			Promise: "events: slow readers", Defect: "waits without a bound for a message that does not come",
			File: dir + "/gate.go", Old: "	for c.heldSize > limit && c.ends != nil {", New: "	for limit < 0 && c.ends != nil {",
			Dir: dir, Test: "^TestAMessageThatNeverComes$",
		},
	}
}
