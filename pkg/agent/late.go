package agent

import (
	"fmt"
	"time"

	"parley/pkg/session"
)

// lateAfter is the age above which an answer says how old its message is: the
// gateway, or what it works with, was down, and the person may have moved on.
const lateAfter = 10 * time.Minute

// lateness is how old a message was at a moment, 0 for one that is not late.
// The clock is the platform's and may be wrong: a message without a time, or of
// the future, is of now. Commands are carried out whatever their age.
func lateness(it session.Item, at time.Time) time.Duration {
	in := it.Inbound
	if in == nil || in.Time.Unix() <= 0 || isCommand(in.Text) {
		return 0
	}
	if age := at.Sub(in.Time); age > lateAfter {
		return age
	}
	return 0
}

// overdue is how late a job runs, 0 for one that is in time.
func overdue(it session.Item, at time.Time) time.Duration {
	if it.Job == nil || it.Job.ID == HeartbeatID {
		return 0
	}
	if age := at.Sub(it.Job.Due); age > missedAfter {
		return age
	}
	return 0
}

// noteLate remembers that the turn answers a late message, or is a late job's.
func (r *run) noteLate(age time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.late = max(r.late, age)
}

// withAge lets an answer begin with the age of the oldest late message, or with how
// late a job runs, whatever the model says of it. What sends nothing stays that way.
func (r *run) withAge(text string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if text == "" {
		return text
	}
	text = r.withRights(text)
	switch {
	case r.late == 0:
		return text
	case r.job() != nil:
		return "(This was due " + ago(r.late) + "; I could not do it sooner.)\n\n" + text
	}
	return "(You wrote this " + ago(r.late) + "; I could not answer sooner.)\n\n" + text
}

// ago says roughly how long something is past.
func ago(d time.Duration) string { return span(d) + " ago" }

// span says roughly how long something takes.
func span(d time.Duration) string {
	const day = 24 * time.Hour
	n, unit := d.Round(time.Minute)/time.Minute, "minute"
	if n >= 60 {
		n, unit = d.Round(time.Hour)/time.Hour, "hour"
	}
	if unit == "hour" && n >= 24 {
		n, unit = d.Round(day)/day, "day"
	}
	if n != 1 {
		unit += "s"
	}
	return fmt.Sprintf("%d %s", n, unit)
}
