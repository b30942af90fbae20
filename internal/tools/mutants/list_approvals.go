package mutants

// approvalMutants break the effects of a person's answer.
func approvalMutants() []Mutant {
	const dir = "pkg/agent"
	const approvals, killed, void = "approvals", "approvals: killed", "approvals: void"
	return []Mutant{
		{
			Promise: approvals, Defect: "lets anybody decide",
			File: dir + "/approval/decision.go", Old: `case !d.Operator && !by.Owner && by.Sender.ID != a.Principal.Sender.ID:`,
			New: `case !d.Operator && by.Sender.ID == "":`,
			Dir: dir, Test: "^TestPressesThatDoNothingButSaySo$",
		},
		{
			Promise: approvals, Defect: "forgets the decision, so that a second press runs the call again",
			File: dir + "/approval/attempt.go", Old: "a.State = session.ApprovalAllowed\n", New: "",
			Dir: dir, Test: "^TestACallThatAPersonAllowsRunsOnceAndAsShown$",
		},
		{
			Promise: killed, Defect: "runs an allowed call again because its tool may",
			File: dir + "/turn/journal.go", Old: `(call.Annotations.ReadOnly || !IsDecided(r, call.Key))`,
			New: `(call.Key != "" || !IsDecided(r, call.Key))`,
			Dir: dir, Test: "^TestAnAllowedCallThatMayRunAgainDoesNot$",
		},
		{
			Promise: killed, Defect: "runs a call whose time is over",
			File: dir + "/approval/attempt.go", Old: `if why == "" && Lapsed(a, time.Now()) {`, New: `if why == "" && a.ID == "" {`,
			Dir: dir, Test: "^TestAStopBetweenTheDecisionAndItsCall$",
		},
		{
			Promise: void, Defect: "does not look whether what is shown has changed",
			File: dir + "/approval/call.go", Old: `|| TextOf(ex, a.Call.Arguments) != a.Text`, New: ``,
			Dir: dir, Test: "^TestWhatIsShownIsWhatRuns$",
		},
		{
			Promise: void, Defect: "does not look whether the file has changed",
			File: dir + "/approval/call.go", Old: `return ex.State != a.Call.Fingerprint || `, New: `return `,
			Dir: dir, Test: "^TestPressesThatDoNothingButSaySo$",
		},
		{
			Promise: void, Defect: "goes on with the rights of who pressed",
			File: dir + "/approval/attempt.go", Old: `t.Principal = requester`, New: `_ = requester`,
			Dir: dir, Test: "^TestADecisionGivesNoRights$",
		},
	}
}

// askingMutants break the questions to a person.
func askingMutants() []Mutant {
	const dir, forged, outside = "pkg/agent", "approvals: forged", "content from outside"
	return []Mutant{
		{
			Promise: "approvals: rules", Defect: "lets the word for all tools waive commands",
			File: "pkg/policy/approval.go", Old: `(d.Destroys || d.Destructive || d.Executes)`, New: `(d.Destroys && d.Destructive && !d.Executes)`,
			Dir: "pkg/policy", Test: "^TestWhatIsAskedFor$",
		},
		{
			Promise: "grants", Defect: "lets a grant cover everybody",
			File: dir + "/approval/gate.go", Old: "one.Tool == tool && one.Person.ID == g.t.Principal.Sender.ID", New: "one.Tool == tool",
			Dir: dir, Test: "^TestAllowHere$",
		},
		{
			Promise: "composed tools", Defect: "does not look at the steps",
			File: "pkg/policy/approval.go", Old: `for i := range d.Steps {`, New: `for i := range d.Steps[:0] {`,
			Dir: dir, Test: "^TestASequenceIsAskedForLikeItsSteps$",
		},
		{
			Promise: "composed tools", Defect: "takes the word of a step that depends on another's result",
			File: "pkg/tools/composed/composed.go", Old: `case depends:`, New: `case depends && a.Executes:`,
			Dir: "pkg/tools/composed", Test: "^TestWhatDependsOnAResultIsTheWorst$",
		},
		{
			Promise: forged, Defect: "knows the allowed call by the model's id",
			File: dir + "/approval/gate.go", Old: `if !req.Nested && turn.IsDecided(g.t, req.Invocation.Key) {`,
			New: `if decided := g.t.Input.Decided; !req.Nested && decided != nil && req.Invocation.CallID == decidedCall(decided) {`,
			Dir: dir, Test: "^TestTheIDOfAnAllowedCallAllowsNothing$",
		},
		{
			Promise: forged, Defect: "counts only the questions that are stored",
			File: dir + "/turn/questions.go", Old: `if open = others + len(q.put) + len(q.pending); open >= most {`,
			New: `if open = others; open >= most {`,
			Dir: dir, Test: "^TestQuestionsOfOneAnswerAreBounded$",
		},
		{
			Promise: outside, Defect: "forgets in another process what came from outside",
			File: dir + "/turn/resume.go", Old: `if c := s.Call; c != nil && c.Outside && c.Approval == "" {`,
			New: `if c := s.Call; c != nil && c.Outside && c.Approval != "" {`,
			Dir: dir, Test: "^TestTaintSurvivesARestart$",
		},
		{
			Promise: outside, Defect: "forgets in a decision's turn what came in after its question",
			File: dir + "/turn/message.go", Old: `c.Approvals = append(c.Approvals, r.Questions.Tainted(r.Provenance)...)`, New: `_ = r.Questions`,
			Dir: dir, Test: "^TestContentAfterTheQuestionTaintsItsDecision$",
		},
		{
			Promise: outside, Defect: "takes a task's result for the person's own words",
			File: dir + "/turn/tasks.go", Old: `Tainted: r.Provenance.Tainted() || r.Provenance.FromOutside(call.ID, call.Annotations),`, New: ``,
			Dir: dir, Test: "^TestTaintOfBackgroundWork$",
		},
		{
			Promise: outside, Defect: "takes the addresses in the output of an own tool for named ones",
			File: dir + "/trust/provenance.go", Old: `if a.Searches && !p.chosen[callID]`, New: `if !p.chosen[callID]`,
			Dir: dir, Test: "^TestTaint$",
		},
		{
			Promise: outside, Defect: "takes what others sent for the person's own file",
			File: "pkg/tools/files/outside.go", Old: `return rel == a.options.Outside ||`, New: `return rel == p &&`,
			Dir: "pkg/tools/files", Test: "^TestWhatOthersSentIsFromOutside$",
		},
	}
}
