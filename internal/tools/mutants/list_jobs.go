package mutants

// jobMutants break how jobs fire.
func jobMutants() []Mutant {
	const dir = "pkg/agent"
	return []Mutant{
		{
			Promise: "jobs: missed times", Defect: "goes on from the time that was missed",
			File: "pkg/tools/schedule/spec.go", Old: "return s.Next(due.Add(now.Sub(due).Truncate(p.every)))", New: "return s.Next(due)",
			Dir: dir, Test: "^TestSixMissedTicksAreOne$",
		},
		{
			Promise: "jobs: missed times", Defect: "runs late what is to be passed over",
			File: dir + "/job/turn.go",
			Old:  "if tick.Pass && it.Time.Sub(j.Due) > MissedAfter {", New: "if tick.Pass && it.Time.Sub(j.Due) < 0 {",
			Dir: dir, Test: "^TestSixMissedTicksAreOne$",
		},
		{
			Promise: "jobs: missed times", Defect: "does not say that it is late",
			File: dir + "/job/turn.go",
			Old:  "if age := at.Sub(it.Job.Due); age > MissedAfter {",
			New:  "if age := at.Sub(it.Job.Due); age < 0 {",
			Dir:  dir, Test: "^TestAOneShotThatFellDueWhileDownFiresAtStartAndSaysSo$",
		},
		{
			Promise: "jobs: clocks", Defect: "sleeps until the next job is due",
			File: dir + "/job/scheduler.go",
			Old:  "return min(max(next.Sub(s.o.Now()), 0), jobLook), nil", New: "return max(next.Sub(s.o.Now()), 0), nil",
			Dir: dir, Test: "^TestAHostThatSleptIsNoticedWithinHalfAMinute$",
		},
		{
			Promise: "jobs: storms", Defect: "runs each time that came while a run took long",
			File: dir + "/job/turn.go", Old: `return "a later time of it has come", nil`, New: `return "", nil`,
			Dir: dir, Test: "^TestRunsThatTakeLongerThanTheTimeBetweenThemDoNotPileUp$",
		},
		{
			Promise: "jobs: storms", Defect: "leaves what falls due while others fire to the next look",
			File: dir + "/job/scheduler.go", Old: "if !next.After(now) {", New: "if !next.After(s.o.Now()) {",
			Dir: dir, Test: "^TestWhatFallsDueWhileAnotherJobFiresIsNotLate$",
		},
		{
			Promise: "jobs: storms", Defect: "gives jobs the slots of people",
			File: dir + "/job/turn.go", Old: "h.places, h.T.Info.Awaited", New: "h.T.Deps.Places, h.T.Info.Awaited",
			Dir: dir, Test: "^TestAThousandJobsAtOnce$",
		},
		{
			Promise: "jobs: stop", Defect: "fires after the stop",
			File: dir + "/job/scheduler.go", Old: "func (s *Scheduler) Stop() { s.end() }", New: "func (s *Scheduler) Stop() {}",
			Dir: dir, Test: "^TestNothingFiresAfterTheStop$",
		},
		{
			Promise: "jobs: stop", Defect: "fires while the store is held",
			File: dir + "/job/scheduler.go", Old: `if err != nil || st.Held != "" {`, New: `if err != nil || st.Held == "never" {`,
			Dir: dir, Test: "^TestJobsWaitForAStoreThatCannotBeWrittenOrIsHeld$",
		},
	}
}

// jobTurnMutants break the turns of jobs, the heartbeat's too.
func jobTurnMutants() []Mutant {
	const dir = "pkg/agent"
	return []Mutant{
		{
			Promise: "jobs: failures", Defect: "never pauses a job",
			File: dir + "/job/turn.go", Old: "now.Runs.Failures+1 >= MaxFailures", New: "now.Runs.Failures < 0",
			Dir: dir, Test: "^TestAFailedRunIsToldOnceAndTheThirdInARowPausesTheJob$",
		},
		{
			Promise: "jobs: failures", Defect: "counts a run that was stopped",
			File: dir + "/job/turn.go", Old: "if h.skipped != nil || c.Outcome == session.OutcomeStopped {", New: "if h.skipped != nil {",
			Dir: dir, Test: "^TestStopEndsAJobsTurnAndCountsNeitherWay$",
		},
		{
			Promise: "jobs: rights", Defect: "does not pause the job of somebody who lost the right",
			File: dir + "/job/turn.go", Old: `h.pause = textCreatorRefused`, New: `h.pause = ""`,
			Dir: dir, Test: "^TestAJobOfSomebodyWhoLostTheRightIsPausedAndSaysSoOnce$",
		},
		{
			Promise: "jobs: rights", Defect: "gives a job the rights that its creator has now",
			File: dir + "/trust/principal.go", Old: "[...]policy.Level{q.then, now}", New: "[...]policy.Level{now}",
			Dir: dir, Test: "^TestAJobRunsWithTheLowerRightsAndSaysSoOnceForEachChange$",
		},
		{
			Promise: "jobs: rights", Defect: "lets anybody change a job",
			File: dir + "/job/calls.go", Old: "case !t.Principal.Owner && j.Principal.Sender.ID != t.Principal.Sender.ID:", New: `case j.ID == "":`,
			Dir: dir, Test: "^(TestAJobBelongsToItsChatAndToWhoeverWroteItsText|TestTheScheduleCommand)$",
		},
		{
			Promise: "jobs: rights", Defect: "runs the words of others with the rights of who paused them",
			File: dir + "/job/calls.go", Old: "case old.Text == j.Text && old.Prompt == j.Prompt:", New: `case old.Text == "":`,
			Dir: dir, Test: "^TestAJobBelongsToItsChatAndToWhoeverWroteItsText$",
		},
		{
			Promise: "jobs: removed", Defect: "runs a job that was removed after it fired",
			File: dir + "/job/turn.go", Old: `return "the job was removed", nil`, New: `return "", nil`,
			Dir: dir, Test: "^TestAJobThatIsRemovedOrPausedAfterItFiredDoesNothing$",
		},
		{
			Promise: "heartbeat", Defect: "asks the model over an empty file",
			File: dir + "/job/beat.go", Old: "if !instructs(text) {", New: "if conf.PerDay < 0 {",
			Dir: dir, Test: "^TestAHeartbeatWithoutInstructionsAsksNoModel$",
		},
		{
			Promise: "heartbeat", Defect: "forgets the runs of the day at a restart",
			File: dir + "/job/heartbeat.go", Old: "\tj := old\n", New: "\tj := old\n\tj.Runs.Count = 0\n",
			Dir: dir, Test: "^TestTheHeartbeatHasABudgetForEachDayOverRestarts$",
		},
		{
			Promise: "heartbeat", Defect: "says that it has nothing to say",
			File: dir + "/job/beat.go", Old: `text == "" || text == beatOK || text == prompt.NoReply`, New: `text == "" || text == prompt.NoReply`,
			Dir: dir, Test: "^TestTheHeartbeatIsSilentWhenThereIsNothingToSay$",
		},
		{
			Promise: "date", Defect: "tells the date of another zone",
			File: dir + "/zone/zone.go", Old: "return c.Wall.In(c.Zone).Format(layout)", New: "return c.Wall.UTC().Format(layout)",
			Dir: dir, Test: "^TestTheDateIsThatOfTheChatsZoneAndStaysForADay$",
		},
	}
}
