package mutants

// peopleMutants break the promises of the section "People and their chats".
func peopleMutants() []Mutant {
	return []Mutant{
		{
			Promise: "people: paired in a group", Defect: "a paired person in a group gets silence",
			File: "pkg/policy/pairing.go", Old: "e.Kind == KindMessage && e.Mentioned", New: "e.Kind == KindEdit && e.Mentioned",
			Dir: "cmd/gateway", Test: "^TestPairedInAGroup$",
		},
		{
			Promise: "people: paired in a group", Defect: "the note comes again with each message",
			File: "pkg/session/engine/pairing/notes.go",
			Old:  "return sent.Address.Chat == at.Chat }",
			New:  "return sent.Address.Chat == at.Thread }",
			Dir:  "cmd/gateway", Test: "^TestPairedInAGroup$",
		},
		{
			Promise: "people: paired as owner", Defect: "the right of an owner is forgotten by the store",
			File: "pkg/session/engine/pairing/pairs.go", Old: "Since: a.Now, Owner: a.Owner}", New: "Since: a.Now}",
			Dir: "cmd/gateway", Test: "^TestPairedOwner$",
		},
		{
			Promise: "people: paired as owner", Defect: "the audit log does not say that the rights of an owner were given",
			File: "pkg/gateway/admin/operation.go", Old: `row.Detail += " --owner"`, New: `row.Detail += ""`,
			Dir: "cmd/gateway", Test: "^TestPairedOwner$",
		},
		{
			Promise: "people: names in the pairing book", Defect: "a name that Slack told is not stored",
			File: "pkg/gateway/admin/pairs.go", Old: "at.Account, who.ID, who.Name)", New: "at.Account, who.Name, who.ID)",
			Dir: "cmd/gateway", Test: "^TestSlackPairNames$",
		},
		{
			Promise: "people: open questions come back", Defect: "an open question is not shown again",
			File: "pkg/gateway/attach/questions.go", Old: "if s.closed[d.ID] {", New: "if true {",
			Dir: "cmd/gateway", Test: "^TestAQuestionIsShownAgain$",
		},
		{
			Promise: "people: open questions come back", Defect: "yes goes to the model",
			File: "pkg/channels/console/questions.go", Old: "case line == firstWord:", New: "case line == firstWord+lastWord:",
			Dir: "pkg/channels/console", Test: "^TestKeysPressButtons$",
		},
		{
			Promise: "people: names in lists", Defect: "a task is not found by its name",
			File: "pkg/agent/task/find.go",
			Old:  "if !named.Fits(name(&all[i]), said) {",
			New:  "if !named.Fits(name(&all[i]), said) || said != \"\" {",
			Dir:  "cmd/gateway", Test: "^TestScripts$/^tasks$",
		},
		{
			Promise: "people: names in lists", Defect: "the list of jobs does not say what they are about",
			File: "pkg/agent/job/command.go", Old: `about := aboutJob(j); about != ""`, New: `about := aboutJob(j); about == "."`,
			Dir: "pkg/agent", Test: "^TestTheScheduleCommand$",
		},
		{
			Promise: "people: the time zone of a reminder", Defect: "one answer that is not understood loses the reminder",
			File: "pkg/providers/offline/zone.go", Old: "&& !strings.Contains(m.Content, misunderstood)", New: "&& misunderstood != \"\"",
			Dir: "pkg/providers/offline", Test: "^TestAsksForTheTimeZone$",
		},
		{
			Promise: "people: misunderstood", Defect: "the long answer comes each time",
			File: "pkg/providers/offline/turn.go",
			Old:  "t.lectured = t.lectured || strings.Contains(m.Content, misunderstood+\":\")",
			New:  "t.lectured = t.lectured && m.Content == \"\"",
			Dir:  "pkg/providers/offline", Test: "^TestExplainsItselfOnce$",
		},
		{
			Promise: "people: codes for newcomers", Defect: "strangers hold all codes for an hour",
			File: "pkg/session/engine/pairing/pairs.go",
			Old:  "case c.open >= b.Open && (c.known || c.oldest == nil):",
			New:  "case c.open >= b.Open:",
			Dir:  "pkg/gateway", Test: "^TestStrangersCannotHoldAllCodes$",
		},
		{
			Promise: "people: codes for newcomers", Defect: "a code gives its place at once",
			File: "pkg/policy/pairing.go", Old: "PairingGrace = 10 * time.Minute", New: "PairingGrace = 10 * time.Nanosecond",
			Dir: "pkg/gateway", Test: "^TestStrangersCannotHoldAllCodes$",
		},
	}
}

// newcomerMutants keep newcomers waiting behind thousands of chats.
func newcomerMutants() []Mutant {
	return []Mutant{
		{
			Promise: "people: newcomers", Defect: "all places of turns go to those who wait longest",
			File: "pkg/agent/places/places.go", Old: "oldest: n - n/newestShare, newest: n / newestShare", New: "oldest: n, newest: 0",
			Dir: "pkg/agent", Test: "^TestANewcomerHasAPlace$",
		},
		{
			Promise: "people: newcomers", Defect: "all lanes go to the chats that wait longest",
			File: "pkg/session/engine/lane/lane.go", Old: "		s.welcome(chat, l, asked)\n	}\n	s.dispatch()\n", New: "	}\n	s.dispatch()\n",
			Dir: "pkg/session/engine", Test: "^TestNewcomersHaveLanes$",
		},
		{
			Promise: "people: newcomers", Defect: "an account's rate goes to the answers that wait longest",
			File: "pkg/channels/line.go", Old: "l.turns%newestShare == 0", New: "l.turns%newestShare < 0",
			Dir: "pkg/channels", Test: "^TestNewcomersShareTheRate$",
		},
		{
			Promise: "people: newcomers", Defect: "an account's rate goes to the newest answers alone",
			File: "pkg/channels/line.go", Old: "at = l.newest()\n	}", New: "at = l.newest()\n	}\n	at = l.newest()",
			Dir: "pkg/channels", Test: "^TestNewcomersShareTheRate$",
		},
		{
			Promise: "people: newcomers", Defect: "an answer does not say when its person wrote",
			File: "pkg/agent/turn/reply.go", Old: "o.Asked = t.Info.Items[0].Time", New: "o.Asked = o.Time",
			Dir: "pkg/agent", Test: "^TestANewcomerHasAPlace$",
		},
	}
}
