package mutants

// authorMutants break the rules of whose request a turn carries out, and whose word ends it.
func authorMutants() []Mutant {
	const dir = "pkg/agent"
	return []Mutant{
		{
			Promise: "poison", Defect: "takes the result of background work for a person's message",
			File: dir + "/task/report.go", Old: "return h.lost(ctx, e)", New: "return h.Message.Reply(ctx, e)",
			Dir: dir, Test: "^TestAReportThatKillsTheGatewayIsToldAsItIs$",
		},
		{
			Promise: "poison", Defect: "forgets the messages that joined a turn which is set aside",
			File: dir + "/turn/aside.go", Old: "all = append(all, t.Info.Steps[i].Items...)", New: "_ = t.Info.Steps[i].Items",
			Dir: dir, Test: "^TestEveryMessageOfATurnThatIsSetAsideIsNamed$",
		},
		{
			Promise: "budgets: unattended", Defect: "counts a run that reaches the limit as failed",
			File: dir + "/job/turn.go", Old: "		h.cutShort(e.Limit)\n", New: "",
			Dir: dir, Test: "^TestAJobThatReachesTheLimitInTheMiddle$",
		},
		{
			Promise: "background: order", Defect: "lets a newer message end the turn of a report",
			File: dir + "/task/report.go", Old: "Steady: true,", New: "Steady: false,",
			Dir: dir, Test: "^TestAReportIsNotInterrupted$",
		},
		{
			Promise: "/stop", Defect: "looks for it among the first messages alone",
			File: "pkg/session/engine/rules/waiting.go", Old: "behind && !bytes.Contains(v, solo)", New: "behind && bytes.Contains(v, solo)",
			Dir: dir, Test: "^TestStopIsSeenBehindManyMessages$",
		},
		{
			Promise: "lower rights", Defect: "lets others join the turn of an owner",
			File: dir + "/trust/principal.go", Old: "(p.Owner || !other.Owner)", New: "(p.Owner || other.Sender.ID != \"\")",
			Dir: dir, Test: "^TestNobodyBorrowsTheRightsOfAnOwner$",
		},
		{
			Promise: "jobs: rights", Defect: "takes the words of another person for the author's",
			File: dir + "/job/calls.go", Old: "t.Provenance.SeveralPeople() && !j.Principal.Several:",
			New: "t.Provenance.SeveralPeople() && j.Chat == \"\":",
			Dir: dir, Test: "^TestWordsOfA(notherPersonChangeNoSchedule|PersonBeforeAnotherChangeNoSchedule)$",
		},
		{
			Promise: "facts", Defect: "lets the words of another person remove a fact",
			File: dir + "/memory/memory.go", Old: "f.By.ID == t.Principal.Sender.ID && !t.Provenance.SeveralPeople()",
			New: "f.By.ID == t.Principal.Sender.ID",
			Dir: dir, Test: "^TestWordsOfAnotherPersonRemoveNoFact$",
		},
		{
			Promise: "grants", Defect: "forgets that several people asked for work",
			File: dir + "/trust/provenance.go", Old: "return p.several || len(p.people) > 1", New: "return len(p.people) > 1",
			Dir: dir, Test: "^TestAGrantDoesNotReachWorkOfSeveralPeople$",
		},
	}
}
