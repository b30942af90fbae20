package job

// The fixed texts that people read in a chat. A verb such as %s takes a name, a time or
// another text of this file; a translation replaces this file.

// Schedules: the answers to /schedule.
const (
	textScheduleHelp       = "Write %[1]s to list the schedules, or %[1]s remove ID, %[1]s pause ID, %[1]s resume ID."
	textNoSuchSchedule     = "There is no schedule %s in this chat. %s lists the schedules."
	textNoSchedules        = "This chat has no schedules."
	textSchedules          = "Schedules:"
	textLastRunFailed      = "; the last run failed: %s"
	textPausedBecause      = "paused: %s"
	textPaused             = "paused"
	textNextRun            = "next %s"
	textNotYourSchedule    = "%s was not changed: only %s or an owner can change it."
	textScheduleRemoved    = "%s is removed."
	textSchedulePaused     = "%s is paused. %s resume %s resumes it."
	textScheduleResumed    = "%s is resumed: %s."
	textScheduleConfigured = "%s comes from the configuration (agent.heartbeat): you can pause it here, and remove it there."
	textScheduleEnded      = "%s has already ended."
	textScheduleStays      = "%s stays paused: %s."
	textPausedBy           = "by %s"
)

// Schedules: how they are named, and the notices of their runs.
const (
	textHeartbeat          = "The heartbeat"
	textScheduleByID       = "Schedule %s"
	textScheduleByName     = "Schedule “%s” (%s)"
	textScheduleLevel      = "(%s runs with the present level of %s: %s instead of %s.)\n\n%s"
	textScheduleRefused    = "%s was not run: %s, its creator, or the token that it was made with, no longer has access here."
	textScheduleIsPaused   = " It is paused."
	textCreatorRefused     = "its creator, or the token that it was made with, no longer has access here"
	textScheduleBroken     = "Its times can no longer be computed, so it is paused. Give it another time, or remove it."
	textScheduleSkipped    = "%s did not run. %s"
	textScheduleCutShort   = "%s ended early. %s"
	textScheduleOver       = " It will not run again."
	textOthersSkipped      = " Other schedules that reach the limit today are skipped without a message."
	textScheduleFailed     = "%s failed. %s"
	textFailedInARow       = "it failed %d times in a row"
	textPausedAfterFailing = " It has failed %d times in a row and is paused. %s resume %s resumes it."
	textScheduleLost       = "The gateway stopped three times while it ran."
)

// textDueLate begins the answer of a schedule that runs late.
const textDueLate = "(This was due %s; I could not do it sooner.)\n\n"
