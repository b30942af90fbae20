package mutants

// budgetMutants break the bounds on the cost of a day.
func budgetMutants() []Mutant {
	const dir, usage = "pkg/agent", "pkg/agent/budget/usage.go"
	return []Mutant{
		{
			Promise: "budgets", Defect: "asks the model before it looks at the budget",
			File: usage, Old: "	if err := p.u.afford(ctx); err != nil {\n		return nil, err\n	}\n	resp, err := request()\n",
			New: "	resp, err := request()\n	if err := p.u.afford(ctx); err != nil {\n		return nil, err\n	}\n",
			Dir: dir, Test: "^TestPeopleAreToldOfALimitEachTime$",
		},
		{
			Promise: "budgets", Defect: "knows only what is stored, not what runs",
			File: usage, Old: "by := m.withRunning(u.turn.Payer, day, stored)\n		first", New: "by := stored\n		first",
			Dir: dir + "/budget", Test: "^TestTurnsAtOnceOvershootByOneAnswerEach$",
		},
		{
			Promise: "budgets", Defect: "tells people once a day",
			File: dir + "/turn/message.go",
			Old:  "	case Limited:\n		return Unanswered(",
			New: "	case Limited:\n		if h.T.Info.Items[0].Inbound != nil {\n			" +
				"c := session.Commit{Outcome: session.OutcomeFailed, Reason: res.Limit.Error()}\n			" +
				"c.Outbox = append(c.Outbox, h.T.Outbound(h.T.Usage.NoticeID(res.Limit), res.LimitText(), \"\"))\n			" +
				"return Reply{Commit: c}, nil\n		}\n		return Unanswered(",
			Dir: dir, Test: "^TestPeopleAreToldOfALimitEachTime$",
		},
		{
			Promise: "budgets", Defect: "holds nothing against the limit of all together",
			File: usage, Old: "l = budget.All.reached(together(by), first)", New: "l = budget.All.reached(by[\"\"], first)",
			Dir: dir, Test: "^TestPeopleAreToldOfALimitEachTime$",
		},
		{
			Promise: "budgets", Defect: "takes a limit on money that nobody can count",
			File: "pkg/config/budgets.go", Old: "m.Prices == nil && m.Provider != \"offline\"", New: "m.Prices == nil && m.Provider == \"\"",
			Dir: "pkg/config", Test: "^TestBudgetsRefused$",
		},
		{
			Promise: "budgets: what counts", Defect: "forgets the recorded answers of an interrupted turn",
			File: usage, Old: "	spent := u.recorded()\n", New: "	spent := session.Spent{}\n",
			Dir: dir, Test: "^TestAResumedTurnCountsEachAnswerOnce$",
		},
		{
			Promise: "budgets: what counts", Defect: "sells cached tokens at the price of others",
			File: "pkg/providers/metered.go", Old: "price(u.CachedTokens, p.Cached)", New: "price(u.CachedTokens, nil)",
			Dir: "pkg/providers", Test: "^TestMetered$",
		},
		{
			Promise: "budgets: what counts", Defect: "takes reasoning that is counted apart for nothing",
			File: "pkg/providers/openai/response.go", Old: "out.CompletionTokens += out.ReasoningTokens", New: "out.CompletionTokens += 0",
			Dir: "pkg/providers/openai", Test: "^TestReasoningCountedApart$",
		},
		{
			Promise: "budgets: what counts", Defect: "counts the day in Greenwich",
			File: usage, Old: "u.turn.Began.In(zone).Format(time.DateOnly)", New: "u.turn.Began.UTC().Format(time.DateOnly)",
			Dir: dir, Test: "^TestADayEndsAtMidnightWhereTheChatIs$",
		},
		{
			Promise: "budgets: what counts", Defect: "takes what a server does not report for nothing",
			File: "pkg/providers/metered.go", Old: "	if u.PromptTokens <= 0 {\n", New: "	if u.PromptTokens < 0 {\n",
			Dir: dir, Test: "^TestTokensThatNobodyReportsAreEstimated$",
		},
		{
			Promise: "budgets: what counts", Defect: "does not count the summary of /compact",
			File: dir + "/turn/summarise.go",
			Old:  "Provider: use.Provider(m.Provider)",
			New:  "Provider: m.Provider",
			Dir:  dir, Test: "^TestEveryRequestCounts$",
		},
		{
			Promise: "budgets: what counts", Defect: "counts an agent only when its turn is committed",
			File: dir + "/subagent/turn.go", Old: "	end.Spent, end.Turn = h.T.Usage.Spent(), h.T.Info.ID\n", New: "	c.Spent = h.T.Usage.Spent()\n",
			Dir: dir, Test: "^TestAnAgentThatEndedDoesNotRunAgain$",
		},
		{
			Promise: "budgets: what counts", Defect: "forgets what an agent used whose task was over",
			File: dir + "/subagent/turn.go",
			Old:  "if h.task.State == session.TaskCancelled || h.task.State == session.TaskTimedOut {",
			New:  "if h.task.State == session.TaskTimedOut {",
			Dir:  dir, Test: "^TestAnAgentThatWasCancelledWhileItsTurnWasCutOff$",
		},
	}
}

// unattendedMutants break budgets of work that no person started.
func unattendedMutants() []Mutant {
	const dir = "pkg/agent"
	return []Mutant{
		{
			Promise: "budgets: unattended", Defect: "shows nobody the report of an agent",
			File: dir + "/task/report.go", Old: "	if text != \"\" {\n		text +=", New: "	if text == \"-\" {\n		text +=",
			Dir: dir, Test: "^TestAnAgentsReportAtTheLimit$",
		},
		{
			Promise: "budgets: unattended", Defect: "counts a skipped job as failed",
			File: dir + "/job/turn.go", Old: "Reason: l.Error(), Skipped: true}", New: "Reason: l.Error()}",
			Dir: dir, Test: "^TestJobsAtTheLimitAreToldOfOnceADay$",
		},
		{
			Promise: "budgets: unattended", Defect: "skips a reminder without a word",
			File: dir + "/job/turn.go", Old: "err == nil && now.Due.IsZero()", New: "err == nil && now.Paused",
			Dir: dir, Test: "^TestAJobThatWouldNotRunAgainIsToldOf$",
		},
		{
			Promise: "budgets: unattended", Defect: "keeps a result from who was not shown it",
			File: dir + "/task/report.go", Old: "if h.T.Info.Items[0].Shown {",
			New: "if h.T.Info.Items[0].TaskID != \"\" {",
			Dir: dir, Test: "^TestBackgroundWorkAtTheLimit$",
		},
	}
}
