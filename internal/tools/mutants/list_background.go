package mutants

// backgroundMutants break the store's promises about jobs.
func backgroundMutants() []Mutant {
	const dir = "pkg/session/engine"
	return []Mutant{
		{
			Promise: "jobs fire once", Defect: "lets a call that is made again bring back a job that has fired",
			File: "pkg/session/engine/jobs.go", Old: `&& t.Has(table.Seen, table.EndedKey(j.ID)):`, New: `&& j.ID == "":`,
			Dir: "pkg/session/engine", Test: "^TestConformance$/^jobs$/^a_job_fires_once$",
		},
		{
			Promise: "jobs fire once", Defect: "fires a job that has moved on",
			File: dir + "/jobs.go", Old: "!table.MayFire(t, j) || !j.Due.Equal(due)", New: "!table.MayFire(t, j)",
			Dir: dir, Test: "^TestConformance$/^jobs$/^a_job_",
		},
		{
			Promise: "jobs fire once", Defect: "fires to where the chat was",
			File: dir + "/inbox.go", Old: "chat == 0 || err != nil || c.Address == item.Address", New: "chat == 0 || err != nil || c != nil",
			Dir: dir, Test: "^TestConformance$/^jobs$/^a_job_fires_to_where",
		},
		{
			Promise: "jobs of a suspended chat", Defect: "fires jobs of a suspended chat",
			File: dir + "/table/find.go", Old: " && !IsSuspended(t, ChatNum(t, j.Chat))", New: "",
			Dir: dir, Test: "^TestConformance$/^jobs$/suspended",
		},
		{
			Promise: "jobs of a suspended chat", Defect: "leaves jobs asleep in a chat that can be reached again",
			File: dir + "/rules/chats.go",
			Old:  "if err := t.Delete(table.Suspended, table.NumKey(chat)); err != nil {\n\t\treturn err\n\t}\n\treturn relistJobs(t, chat)",
			New:  "return t.Delete(table.Suspended, table.NumKey(chat))",
			Dir:  dir, Test: "^TestConformance$/^jobs$/^jobs_of_a_suspended_chat",
		},
	}
}

// forgettingAllMutants leave conversations of a chat behind.
func forgettingAllMutants() []Mutant {
	const dir, test = "pkg/session/engine", "^TestForgetTakesEachConversationOfTheChat$"
	return []Mutant{
		{
			Promise: "forget", Defect: "leaves the conversations that the chat left behind",
			File: dir + "/rules/forget.go", Old: "errors.Join(ForgetLeft(t, n), ", New: "errors.Join(error(nil), ",
			Dir: dir, Test: test,
		},
		{
			Promise: "forget", Defect: "leaves the earlier conversations of a chat that became part of it",
			File: dir + "/rules/agents.go", Old: "errors.Join(takeOverLeft(t, n, other), ", New: "errors.Join(",
			Dir: dir, Test: test,
		},
		{
			Promise: "forget", Defect: "leaves the questions of a chat that became part of it",
			File: dir + "/rules/agents.go", Old: "takeOverApprovals(t, n, other), ", New: "",
			Dir: dir, Test: test,
		},
	}
}

// forgettingMutants leave behind data that is to be gone, or count twice.
func forgettingMutants() []Mutant {
	const dir = "pkg/session/engine"
	return []Mutant{
		{
			Promise: "forget", Defect: "leaves the conversation of an agent behind",
			File: dir + "/rules/agents.go", Old: "return ForgetChats(t, agents...)", New: "return nil",
			Dir: dir, Test: "^TestConformance$/^agents$/^forget_takes",
		},
		{
			Promise: "forget", Defect: "leaves the conversations of nested agents behind",
			File: dir + "/rules/agents.go", Old: "keys = append(keys, TasksOf(t, n)...)\n\t\t}\n\t}\n\treturn", New: "}\n\t}\n\treturn",
			Dir: dir, Test: "^TestConformance$/^agents$/^forget_takes",
		},
		{
			Promise: "forget", Defect: "leaves the jobs of a forgotten chat",
			File: dir + "/rules/forget.go", Old: "if err := forgetJobs(t, n); err != nil {", New: "if n == 0 {\n\t\tvar err error",
			Dir: dir, Test: "^TestConformance$/^jobs$/^jobs_of_a_forgotten_chat",
		},
		{
			Promise: "R10", Defect: "keeps the conversations of agents whose tasks are long over",
			File: dir + "/upkeep/prune.go", Old: "return rules.DropTasks(t, tasks)", New: "return rules.DropTasks(t, nil)",
			Dir: dir, Test: "^TestPruningOfTasks$",
		},
		{
			Promise: "what a chat uses", Defect: "counts what a task used for each completion",
			File: dir + "/tasks.go", Old: "if task.State != session.TaskRunning {\n\t\t\treturn nil\n\t\t}\n\t\tfirst = true",
			New: "if task.State != session.TaskRunning {\n\t\t\treturn rules.Spend(t, table.ChatNum(t, task.Chat), c.Spent)" +
				"\n\t\t}\n\t\tfirst = true",
			Dir: dir, Test: "^TestConformance$/^facts$/^what_a_task_used",
		},
		{
			Promise: "use in detail", Defect: "keeps no share of a person",
			File: dir + "/rules/spending.go", Old: "	for i := range more.Rows {\n", New: "	for i := range more.Rows[:0] {\n",
			Dir: dir, Test: "^TestConformance$/^facts$/^what_turns_use_is_known",
		},
		{
			Promise: "use in detail", Defect: "leaves the shares of a chat that becomes part of another",
			File: dir + "/rules/spending.go", Old: "return addShare(t, to, rec) }",
			New: "return addShare(t, to, &table.ShareRecord{Person: rec.Person}) }",
			Dir: dir, Test: "^TestConformance$/^facts$/^shares_follow",
		},
		{
			Promise: "use in detail", Defect: "forgets the days that an earlier build counted",
			File: dir + "/uses.go", Old: "rest = *rec\n", New: "_, rest = rec, nil\n",
			Dir: dir, Test: "^TestOldStore$",
		},
		{
			Promise: "use in detail", Defect: "shows the use for other people too",
			File: "pkg/gateway/admin/usage.go", Old: "s.Person == p.ID &&", New: "s.Person != \"\" &&",
			Dir: "internal/test/e2e", Test: "^TestUsageOfPeopleAndModels$",
		},
		{
			Promise: "use in detail", Defect: "counts an agent twice, with its end and with its turn",
			File: dir + "/commit.go", Old: "err != nil || p.c.Counted {", New: "err != nil {",
			Dir: "pkg/agent", Test: "^TestTheUseOfATurn$",
		},
		{
			Promise: "use in detail", Defect: "gives the model that answers the use of the one that failed",
			File: "pkg/agent/budget/usage.go", Old: "own = own.Less(other)", New: "_ = own.Less(other)",
			Dir: "pkg/agent", Test: "^TestUsageByPersonAndModel$",
		},
		{
			Promise: "what a chat uses", Defect: "counts an agent's work against nobody",
			File: dir + "/rules/agents.go", Old: "n = table.ChatNum(t, task.Chat)", New: "n = table.ChatNum(t, task.Session)",
			Dir: dir, Test: "^TestConformance$/^agents$/^what_an_agent_used",
		},
		{
			Promise: "flipped bit", Defect: "leaves an index to a damaged record",
			File: dir + "/table/tx.go", Old: "if ix.Records != b {", New: "if ix.Records != b || len(key) > 0 {",
			Dir: dir, Test: "^TestDamagedBackground$",
		},
		{
			Promise: "R1", Defect: "fails a turn over the damaged record of its job",
			File: dir + "/rules/jobs.go", Old: "return t.SetAside(table.Jobs, table.IDKey(run.ID)) //", New: "return err //",
			Dir: dir, Test: "^TestDamagedBackground$",
		},
	}
}
