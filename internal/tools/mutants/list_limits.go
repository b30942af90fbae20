package mutants

import "slices"

// limitMutants break the promises of the section "Large stores, clocks and composed tools".
func limitMutants() []Mutant {
	const (
		agent    = "pkg/agent"
		rules    = "pkg/session/engine"
		channels = "pkg/channels"
	)
	return slices.Concat(longHistoryMutants(), shareMutants(), []Mutant{
		{
			Promise: "a crowd at the start", Defect: "results take the places of people",
			File: agent + "/task/report.go", Old: "h.places, h.T.Info.Awaited", New: "h.T.Deps.Places, h.T.Info.Awaited",
			Dir: agent, Test: "^TestLostTasksOfManyChatsKeepNobodyWaiting$",
		},
		{
			Promise: "a crowd at the start", Defect: "a turn waits on when a person writes in its chat",
			File: agent + "/places/places.go", Old: "	case <-awaited:\n",
			New: "	case <-make(<-chan struct{}, len(awaited)):\n",
			Dir: agent, Test: "^TestLostTasksOfManyChatsKeepNobodyWaiting$",
		},
		{
			Promise: "a crowd at the start", Defect: "results take all lanes",
			File: "pkg/session/engine/lane/lane.go", Old: "s.active[u] < s.most/laneShare", New: "s.active[u] < s.most",
			Dir: rules, Test: "^TestResultsOfACrowdLeaveLanesToPeople$",
		},
		{
			Promise: "a crowd at the start", Defect: "unasked messages are queued like answers",
			File: rules + "/outbox/outbox.go", Old: "\t\treturn lane.ForResult\n\t}\n}", New: "\t\treturn lane.ForPerson\n\t}\n}",
			Dir: rules, Test: "^TestUnaskedMessagesOfACrowdLeaveLanesToAnswers$",
		},
		{
			Promise: "a crowd at the start", Defect: "a lane does not hear that a person waits",
			File: "pkg/session/engine/lane/lane.go", Old: "		close(l.awaited)\n", New: "",
			Dir: rules, Test: "^TestResultsOfACrowdLeaveLanesToPeople$",
		},
		{
			Promise: "sequences: content of others", Defect: "takes what an earlier result points to for clean",
			File: "pkg/tools/composed/composed.go", Old: "ex.Taints = ex.Taints || ex.Examined && brings(a)", New: "",
			Dir: agent, Test: "^TestContentThatASequenceBringsIn$",
		},
		{
			Promise: "clocks: nothing is forgotten early", Defect: "counts the time that the clock passed over",
			File: rules + "/upkeep/uptime.go", Old: "\t\tif l.At.After(since) {", New: "\t\tif l.At.Equal(since) {",
			Dir: rules, Test: "^TestALeapOfTheClockForgetsNothing$",
		},
		{
			Promise: "clocks: nothing is forgotten early", Defect: "takes no note of the time across a restart",
			File: rules + "/upkeep/uptime.go", Old: "\tu.looked = m.Looked\n", New: "",
			Dir: rules, Test: "^TestALeapOfTheClockForgetsNothing$",
		},
		{
			Promise: "clocks: pairing codes", Defect: "only looks at the end of a code's time",
			File: "pkg/session/pairs.go", Old: " && now.After(r.Asked.Add(-time.Minute))", New: "",
			Dir: rules, Test: "^TestConformance$/^pairs$/^a_clock_that_was_set_back_gives_a_code_no_more_life$",
		},
		{
			Promise: "answers before notices", Defect: "all notices stand in the line for the account",
			File: channels + "/accountpacer.go", Old: "tasks: make(chan struct{}, 1), people", New: "tasks: make(chan struct{}, 5000), people",
			Dir: channels, Test: "^TestAnswersDoNotWaitBehindUnaskedMessages$",
		},
		{
			Promise: "answers before notices", Defect: "notices take all places of sends",
			File: channels + "/egress.go", Old: "max(opt.MaxInFlight/2, 1)", New: "opt.MaxInFlight",
			Dir: channels, Test: "^TestUnaskedMessagesThatHangLeavePlacesToAnswers$",
		},
	})
}

// shareMutants break the promises on places that chats share.
func shareMutants() []Mutant {
	const agent = "pkg/agent"
	return []Mutant{
		{
			Promise: "clocks: agents and their questions", Defect: "waits for a deadline that a clock ahead has set",
			File: agent + "/task/supervisor.go", Old: "return min(time.Until(ends), ends.Sub(began))",
			New: "return min(time.Until(ends), time.Until(ends)+ends.Sub(began))",
			Dir: agent, Test: "^TestAnAgentOfAClockThatWasAheadIsGivenUp$",
		},
		{
			Promise: "clocks: agents and their questions", Defect: "a question waits for as long as it would be good by a clock ahead",
			File: agent + "/subagent/takeup.go", Old: "		wait = 0\n", New: "		wait = time.Until(q.Expires)\n",
			Dir: agent, Test: "^TestAQuestionOfAClockThatWasAheadLapses$",
		},
		{
			Promise: "clocks: budgets", Defect: "counts what was used on any day",
			File: agent + "/budget/usage.go", Old: "u.m.o.Store.Spending(ctx, u.turn.Chat, day); err",
			New: "u.m.o.Store.Spending(ctx, u.turn.Chat, time.Now().Format(time.DateOnly)); err",
			Dir: agent, Test: "^TestADayOfABudgetWhoseClockWasAhead$",
		},
		{
			Promise: "newcomers behind a crowd", Defect: "gives the places for the newest to chats that waited in order",
			File: agent + "/places/places.go", Old: "at = p.last()", New: "at = len(p.waiting) - 1",
			Dir: agent, Test: "^TestANewcomerHasAPlace$",
		},
		{
			Promise: "newcomers behind a crowd", Defect: "takes the answer that was made last for that of the newest",
			File: "pkg/session/engine/lane/lane.go", Old: "at > 0 && s.young[at-1].asked.After(asked)", New: "at < 0",
			Dir: "pkg/session/engine", Test: "^TestAnswersToNewcomersHaveLanes$",
		},
		{
			Promise: "newcomers behind a crowd", Defect: "gives the rate for the newest to answers that waited in order",
			File: "pkg/channels/line.go", Old: "if m.newest != other.newest {", New: "if m.newest && !m.newest {",
			Dir: "pkg/channels", Test: "^TestDeliveriesOfTheNewestShareTheRate$",
		},
		{
			Promise: "sends by chat", Defect: "a chat takes all places of sends",
			File: "pkg/channels/egress.go", Old: "max(opt.MaxInFlight/4, 1)", New: "opt.MaxInFlight",
			Dir: "pkg/channels", Test: "^TestThreadsOfAChatThatHangLeavePlacesToOthers$",
		},
		{
			Promise: "places of agents", Defect: "an agent keeps its place until it ends",
			File: agent + "/subagent/seat.go", Old: "if has && !s.places.Wanted(s.chat) {", New: "if has {",
			Dir: agent, Test: "^TestAgentsOfAFewChatsKeepNoOtherWaiting$",
		},
		{
			Promise: "places of agents", Defect: "an agent that waits does not hear of its end",
			File: agent + "/subagent/enter.go", Old: "cancel(context.Cause(handle.Context())) }", New: "_ = handle }",
			Dir: agent, Test: "^TestAnAgentThatIsCancelledWhileItWaits$",
		},
		{
			Promise: "places of agents", Defect: "gives way to nobody",
			File: "pkg/fair/places.go", Old: "next.held < mine.held && next.held <= p.free", New: "next.held < 0",
			Dir: "pkg/fair", Test: "^TestGivesWay$",
		},
	}
}

// longHistoryMutants break the promises on long histories, and on jobs beside clocks that leap.
func longHistoryMutants() []Mutant {
	const rules = "pkg/session/engine"
	return []Mutant{
		{
			Promise: "clocks: snapshots", Defect: "takes the name for the time when the clock went back",
			File: "pkg/session/bolt/snapshot.go", Old: "		now = snapshotTime(before[0]).Add(1)\n", New: "",
			Dir: rules, Test: "^TestSnapshotsOfAClockThatWasAheadGiveWayToLaterOnes$",
		},
		{
			Promise: "clocks: retry after", Defect: "counts a date by the clock of this machine",
			File: "pkg/providers/internal/exchange/errors.go", Old: "			now = said //", New: "			_ = said //",
			Dir: "pkg/providers/openai", Test: "^TestADateToWaitForCountsByTheServersClock$",
		},
		{
			Promise: "clocks: jobs", Defect: "waits until the clock is there again where it was put right while running",
			File: "pkg/agent/job/leap.go", Old: "!last.IsZero() && !now.Before(last)", New: "!last.IsZero()",
			Dir: "pkg/agent", Test: "^TestJobsOutliveAClockThatWasYearsAhead$",
		},
		{
			Promise: "clocks: jobs", Defect: "does not look at the times of jobs at a start",
			File: "pkg/agent/job/leap.go", Old: "!last.IsZero() && !now.Before(last)", New: "!now.Before(last)",
			Dir: "pkg/agent", Test: "^TestJobsOutliveAClockThatWasYearsAhead$",
		},
		{
			Promise: "long history: forgotten in pieces", Defect: "forgets everything in one transaction",
			File: rules + "/rules/forget.go", Old: "t.Removed < pieceEntries && t.RemovedBytes < pieceBytes", New: "t.Removed+t.RemovedBytes >= 0",
			Dir: rules, Test: "^TestALongHistoryIsForgottenInPieces$",
		},
		{
			Promise: "long history: forgotten in pieces", Defect: "counts the entries of a piece, however large",
			File: rules + "/rules/forget.go", Old: "t.RemovedBytes += len(v)", New: "t.RemovedBytes += min(len(v), 1)",
			Dir: rules, Test: "^TestALongHistoryIsForgottenInPieces$",
		},
		{
			Promise: "long history: forgotten in pieces", Defect: "leaves the rest to a later process",
			File: rules + "/sessions.go", Old: "err := s.e.keeper.RemoveGone(ctx); err != nil", New: "err := context.Cause(ctx); err != nil",
			Dir: rules, Test: "^TestForgetWaitsForTheWholeHistory$",
		},
		{
			Promise: "long queues: forgotten in pieces", Defect: "takes no note of what is left of a forgotten chat",
			File: rules + "/rules/forget.go", Old: "\treturn t.PutIndex(table.Gone, table.NumKey(n))\n", New: "\treturn nil\n",
			Dir: rules, Test: "^TestLongQueuesAreForgottenInPieces$",
		},
		{
			Promise: "long queues: forgotten in pieces", Defect: "sends what is left of a forgotten chat",
			File: rules + "/outbox/delivery.go", Old: "table.IsSuspended(t, chat) || table.IsGone(t, chat)", New: "table.IsSuspended(t, chat)",
			Dir: rules, Test: "^TestLongQueuesAreForgottenInPieces$",
		},
		{
			Promise: "long history: read in pieces", Defect: "holds any number of large entries",
			File: rules + "/history.go", Old: "size += len(v)", New: "size += min(len(v), 1)",
			Dir: rules, Test: "^TestAllHoldsFewLargeEntries$",
		},
	}
}
