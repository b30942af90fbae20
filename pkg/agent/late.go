package agent

import (
	"fmt"
	"time"

	"parley/pkg/agent/job"
	"parley/pkg/channels"
	"parley/pkg/session"
)

// staleness is how old a message, or the end of background work, was at a moment, 0
// for one that is not late. A message's clock is the platform's and may be wrong: one
// without a time, or of the future, is of now. Commands are carried out whatever their age.
func staleness(it session.Item, at time.Time) time.Duration {
	in := it.Inbound
	if age := at.Sub(it.Time); it.Kind == session.ItemTask && age > channels.LateAfter {
		return age
	}
	if in == nil || in.Time.Unix() <= 0 || isCommand(in.Text) {
		return 0
	}
	if age := at.Sub(in.Time); age > channels.LateAfter {
		return age
	}
	return 0
}

// missedBy is how late a job runs, 0 for one that is in time.
func missedBy(it session.Item, at time.Time) time.Duration {
	if it.Job == nil || it.Job.ID == job.HeartbeatID {
		return 0
	}
	if age := at.Sub(it.Job.Due); age > job.MissedAfter {
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
	if text == "" || r.late == 0 {
		return text
	}
	return fmt.Sprintf(r.kind.late, channels.Ago(r.late)) + text
}
