package mutants

import "slices"

// slackEngineMutants break Slack's needs of the store, the policy and the agent.
func slackEngineMutants() []Mutant {
	return slices.Concat(overtakingMutants(), deletionMutants(), guestMutants(), latestMutants())
}

// overtakingMutants break the fate of a message that its edit or deletion overtook.
func overtakingMutants() []Mutant {
	const (
		dir        = "pkg/session/engine"
		agentDir   = "pkg/agent"
		overtaking = "edits and deletes that overtake"
	)
	return []Mutant{
		{
			Promise: overtaking, Defect: "an edit that comes first does not swallow its message",
			File: dir + "/edit.go", Old: "if err := remember(t, edit.Original); err != nil {", New: "if err := remember(t, edit.ID); err != nil {",
			Dir: dir, Test: "^TestConformance$/^overtaking$",
		},
		{
			Promise: overtaking, Defect: "an edit does not know by its original that it comes too late",
			File: dir + "/edit.go", Old: `if edit.Original != "" && t.Has(table.Seen, table.IDKey(edit.Original)) {`, New: `if edit.Original == edit.ID {`,
			Dir: dir, Test: "^TestConformance$/^overtaking$",
		},
		{
			Promise: overtaking, Defect: "the original is of another account",
			File: agentDir + "/intake.go", Old: "it.Original = session.InboundItemID(m.Address, m.Original)", New: "it.Original = m.Original",
			Dir: agentDir, Test: "^TestWhatOvertakesItsMessage$",
		},
		{
			Promise: overtaking, Defect: "a deletion that comes first is forgotten",
			File: dir + "/delete.go", Old: "return errors.Join(remember(t, del.Original), remember(t, del.ID))",
			New: "return errors.Join(remember(t, del.ID))",
			Dir: dir, Test: "^TestConformance$/^deletes$",
		},
		{
			Promise: overtaking, Defect: "an edit brings back what was taken back",
			File: dir + "/edit.go", Old: `case edit.Original != "" && t.Has(table.Seen, table.TakenBackKey(edit.Original)):`, New: `case edit.Original == edit.ID:`,
			Dir: dir, Test: "^TestConformance$/^deletes$",
		},
	}
}

// deletionMutants break the effect of a deletion.
func deletionMutants() []Mutant {
	const (
		dir      = "pkg/session/engine"
		agentDir = "pkg/agent"
		deletes  = "deletes"
	)
	return []Mutant{
		{
			Promise: deletes, Defect: "only the newest wording is taken back",
			File: dir + "/delete.go", Old: "for i := range found {", New: "for i := range found[len(found)-min(1, len(found)):] {",
			Dir: dir, Test: "^TestConformance$/^deletes$",
		},
		{
			Promise: deletes, Defect: "takes back what a turn has",
			File: dir + "/edit.go", Old: "return open != nil && open.reads(w.seq) || isRecorded(t, chat, w.seq)",
			New: "return open == nil && w.seq == 0 || isRecorded(t, chat, w.seq)",
			Dir: dir, Test: "^TestConformance$/^deletes$",
		},
		{
			Promise: deletes, Defect: "takes back what an interrupted turn recorded",
			File: dir + "/edit.go", Old: "return open != nil && open.reads(w.seq) || isRecorded(t, chat, w.seq)",
			New: "return open != nil && open.reads(w.seq)",
			Dir: dir, Test: "^TestConformance$/^deletes$",
		},
		{
			Promise: deletes, Defect: "an album goes with one of its parts",
			File: dir + "/delete.go", Old: "w.item.Album.Parts > 1", New: "w.item.Album.Parts < 1",
			Dir: dir, Test: "^TestConformance$/^deletes$",
		},
		{
			Promise: deletes, Defect: "a running turn is not told",
			File: dir + "/delete.go", Old: "t.OnCommit = append(t.OnCommit, func() { ib.signalReworded(chat) })", New: "_ = chat",
			Dir: dir, Test: "^TestConformance$/^deletes$",
		},
		{
			Promise: deletes, Defect: "a message that is gone is still suspected",
			File: dir + "/delete.go", Old: "rec.Head == w.seq", New: "rec.Head != w.seq",
			Dir: dir, Test: "^TestConformance$/^deletes$",
		},
		{
			Promise: deletes, Defect: "what is taken back can be said again by a redelivery",
			File: dir + "/delete.go", Old: "return t.Put(table.Seen, table.IDKey(w.item.ID), &table.SeenRecord{Time: t.Now})",
			New: "return t.Delete(table.Seen, table.IDKey(w.item.ID))",
			Dir: dir, Test: "^TestConformance$/^deletes$",
		},
		{
			Promise: deletes, Defect: "a deletion is a message",
			File: agentDir + "/intake.go", Old: "m.Kind == channels.KindDelete", New: `m.Kind == ""`,
			Dir: agentDir, Test: "^TestADeletionOfWhatIsBeingAnsweredOrWas$",
		},
		{
			Promise: deletes, Defect: "a deletion by a bot, as no person does it",
			File: "pkg/policy/authorize.go", Old: "case KindMessage, KindEdit, KindDelete:\n\t\tpersonal = true",
			New: "case KindDelete:\n\tcase KindMessage, KindEdit:\n\t\tpersonal = true",
			Dir: "pkg/policy", Test: "^TestAuthorizeEveryKind$",
		},
	}
}

// guestMutants break the admission of people of another team.
func guestMutants() []Mutant {
	const (
		dir    = "pkg/policy"
		guests = "slack: people of other teams"
	)
	return []Mutant{
		{
			Promise: guests, Defect: "an id counts in every team",
			File: dir + "/principal.go", Old: `return p.account == "" || p.account == account`, New: "return true",
			Dir: dir, Test: "^TestPeopleOfAnotherTeam$",
		},
		{
			Promise: guests, Defect: "a guest has the rights of whoever has the same id here",
			File: dir + "/principal.go", Old: `p.account+"/"+p.id == id`, New: `strings.HasSuffix(id, "/"+p.id)`,
			Dir: dir, Test: "^TestPeopleOfAnotherTeam$",
		},
		{
			Promise: guests, Defect: "people of other accounts are let in on every channel",
			File: dir + "/principal.go", Old: `return channel == slackChannel && p.account != ""`, New: `return p.account != ""`,
			Dir: dir, Test: "^TestPeopleOfAnotherTeam$",
		},
	}
}

// latestMutants break when a conversation last had something.
func latestMutants() []Mutant {
	const (
		dir    = "pkg/session/engine"
		latest = "threads that are alive"
	)
	return []Mutant{
		{
			Promise: latest, Defect: "a message that waits does not count",
			File: dir + "/rules/chats.go", Old: "if rec.Time.After(c.Active) {", New: "if rec.Time.Before(c.Created) {",
			Dir: dir, Test: "^TestConformance$/^latest$",
		},
		{
			Promise: latest, Defect: "the oldest message that waits counts",
			File: dir + "/rules/chats.go", Old: "key := t.Last(table.Inbox, n)", New: "key, _ := t.First(table.Inbox, table.NumKey(n))",
			Dir: dir, Test: "^TestConformance$/^latest$",
		},
		{
			Promise: latest, Defect: "a message from elsewhere does not count",
			File: dir + "/outbox/put.go", Old: "if chat != home {", New: "if chat == 0 {",
			Dir: dir, Test: "^TestConformance$/^latest$",
		},
		{
			Promise: latest, Defect: "a damaged chat is never written to again",
			File: dir + "/sessions.go", Old: "if errors.Is(err, session.ErrCorrupt) {\n\t\t\tat, err = t.Now, nil",
			New: "if errors.Is(err, session.ErrFenced) {\n\t\t\tat, err = t.Now, nil",
			Dir: dir, Test: "^TestLatestOfWhatIsDamaged$",
		},
	}
}
