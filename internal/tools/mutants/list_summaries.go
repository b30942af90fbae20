package mutants

// lateMutants spoil the summaries that outlast their turns.
func lateMutants() []Mutant {
	const row, agent, engine = "oldest part", "pkg/agent", "pkg/session/engine"
	const conformance = "^TestConformance$/^sessions$/^a_summary_that_comes_late"
	return []Mutant{
		{
			Promise: row, Defect: "gives a summary no more time than a turn has",
			File: agent + "/summary/supervisor.go", Old: "context.WithTimeout(ctx, AskFor)", New: "context.WithTimeout(ctx, storeFor)",
			Dir: agent, Test: "^TestASummaryMayTakeLongerThanItsTurn$",
		},
		{
			Promise: row, Defect: "asks for a second summary beside the first",
			File: agent + "/summary/supervisor.go", Old: "if c.drop != nil || time.Now()", New: "if time.Now()",
			Dir: agent, Test: "^TestASummaryMayTakeLongerThanItsTurn$",
		},
		{
			Promise: row, Defect: "makes the summaries of all chats at once",
			File: agent + "/summary/supervisor.go", Old: "fair.New(places)", New: "fair.New(maxRequests)",
			Dir: agent, Test: "^TestSummariesOfManyChatsTakeTurns$",
		},
		{
			Promise: row, Defect: "drops each summary at a stop",
			File: agent + "/agent.go", Old: "\t\ta.deps.Prompts.Summaries.Finish()\n", New: "",
			Dir: agent, Test: "^TestARestartCostsOneSummaryAtMost$/^it_waits$",
		},
		{
			Promise: row, Defect: "waits for a summary as long as for a turn at a stop",
			File: agent + "/summary/supervisor.go", Old: "finishFor = 10 * time.Second", New: "finishFor = AskFor",
			Dir: agent, Test: "^TestARestartCostsOneSummaryAtMost$",
		},
		{
			Promise: row, Defect: "asks each minute for a summary that fails",
			File: agent + "/summary/supervisor.go", Old: "rest := c.pauses.Next()", New: "rest := firstRest",
			Dir: agent, Test: "^TestASummaryThatFailsRests$",
		},
		{
			Promise: row, Defect: "counts a summary as a turn",
			File: agent + "/budget/usage.go", Old: "if !u.turn.Late {", New: "if u.turn.Chat != \"\" {",
			Dir: agent, Test: "^TestARestartCostsOneSummaryAtMost$",
		},
		{
			Promise: row, Defect: "lets /compact replace a conversation whose summary is under way",
			File: agent + "/command/compact.go", Old: "h.T.Deps.Prompts.Summaries.Drop(ctx, h.T.Info.Session)", New: "ctx.Err()",
			Dir: agent, Test: "^TestASummaryThatComesTooLate$/^/compact$",
		},
		{
			Promise: row, Defect: "stores a summary in the next conversation",
			File: engine + "/summary.go", Old: "table.SessionID(chat.Session) != late.Session", New: "late.Session == \"\"",
			Dir: engine, Test: conformance,
		},
		{
			Promise: row, Defect: "leaves a summary out of the use of its turn",
			File: engine + "/rules/spending.go", Old: "\t(*session.Spent)(rec).Include(s)\n", New: "",
			Dir: engine, Test: conformance,
		},
		{
			Promise: "stable requests", Defect: "cuts each request anew while a summary is made",
			File: agent + "/turn/turn.go", Old: "From: t.Deps.Prompts.Summaries.From(t.Info.Session), Reach", New: "Reach",
			Dir: agent, Test: "^TestASummaryEndsAtItsDeadline$",
		},
	}
}
