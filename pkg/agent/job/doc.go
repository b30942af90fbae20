// Package job has the schedules: the clock that fires jobs when they are due, the turn of a
// job ([Kind]), the heartbeat, the answers to /schedule and the calls that change jobs.
//
// The [Scheduler] promises:
//
//   - A job fires once for each time of its schedule. Its item and its next time are
//     one transaction, so a crash neither doubles nor skips a run.
//   - No change of a job is lost to another one, nor to the commit of a run.
//   - A clock that was ahead and is put right leaves no job waiting for years.
//   - The heartbeat is the job that the configuration says, in the chat where its owner is.
//
// The specification of a schedule is opaque here: a [Timetable] reads it.
package job
