package rules

import (
	"errors"
	"slices"

	"parley/pkg/channels"
	"parley/pkg/session"
	"parley/pkg/session/engine/table"
)

// A job is listed by its due time as long as it may fire: not while it is paused, has
// no time, or belongs to a chat that cannot be reached. So jobs that wait for their
// chat are free of cost to a look at the due ones.

// PutJob creates or replaces a job.
func PutJob(t *table.Tx, j *session.Job) error {
	if err := unlistJob(t, j.ID); err != nil {
		return err
	}
	if err := t.Put(table.Jobs, table.IDKey(j.ID), j); err != nil {
		return err
	}
	if err := t.PutIndex(table.JobsOf, table.OfKey(j.Chat, j.ID)); err != nil {
		return err
	}
	if !table.MayFire(t, j) {
		return nil
	}
	return t.PutIndex(table.Due, table.DueKey(j.Due, j.ID))
}

// unlistJob takes a job, as it is stored, out of the indexes.
func unlistJob(t *table.Tx, id string) error {
	old, err := table.Get[session.Job](t, table.Jobs, table.IDKey(id))
	switch {
	case errors.Is(err, session.ErrNotFound):
		return nil
	case err != nil:
		return t.SetAside(table.Jobs, table.IDKey(id))
	}
	if err := t.Delete(table.JobsOf, table.OfKey(old.Chat, id)); err != nil {
		return err
	}
	return t.Delete(table.Due, table.DueKey(old.Due, id))
}

// DropJob deletes a job.
func DropJob(t *table.Tx, id string) error {
	if err := unlistJob(t, id); err != nil {
		return err
	}
	return t.Delete(table.Jobs, table.IDKey(id))
}

// changeJobs writes the jobs of a chat that change says to have changed.
func changeJobs(t *table.Tx, chat uint64, change func(j *session.Job) bool) error {
	for _, key := range t.Keys(table.JobsOf, table.NumKey(chat)) {
		j, err := table.Get[session.Job](t, table.Jobs, key[table.ChatKeyLen:])
		switch {
		case err != nil:
			err = t.SetAside(table.Jobs, key[table.ChatKeyLen:])
		default:
			now := *j
			if change(&now) {
				err = PutJob(t, &now)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// relistJobs lists the jobs of a chat anew that can be reached again, or cannot any more.
func relistJobs(t *table.Tx, chat uint64) error {
	return changeJobs(t, chat, func(*session.Job) bool { return true })
}

// forgetJobs deletes the jobs of a chat.
func forgetJobs(t *table.Tx, chat uint64) error {
	for _, key := range t.Keys(table.JobsOf, table.NumKey(chat)) {
		j, err := table.Get[session.Job](t, table.Jobs, key[table.ChatKeyLen:])
		if err != nil {
			err = t.SetAside(table.Jobs, key[table.ChatKeyLen:])
		} else {
			err = DropJob(t, j.ID)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// NoteRun notes the outcome of a job's run.
func NoteRun(t *table.Tx, run *session.JobRun) error {
	if run == nil {
		return nil
	}
	j, err := table.Get[session.Job](t, table.Jobs, table.IDKey(run.ID))
	switch {
	case errors.Is(err, session.ErrNotFound):
		return nil
	case errors.Is(err, session.ErrCorrupt):
		return t.SetAside(table.Jobs, table.IDKey(run.ID)) // the turn is not to fail of it
	case err != nil:
		return err
	}
	now := *j
	now.Runs.Last, now.Runs.Reason = run.Time, run.Reason
	switch {
	case run.Skipped:
	case run.Reason == "":
		now.Runs.Failures = 0
	default:
		now.Runs.Failures++
	}
	if run.Pause != "" {
		now.Paused, now.Why = true, run.Pause
	}
	return PutJob(t, &now)
}

// WhereNow is an address, or, where it is one that the chat has had, the present one of the chat.
func WhereNow(t *table.Tx, n uint64, a channels.Address) channels.Address {
	if c, err := table.ReadChat(t, n); err == nil && slices.Contains(c.Aliases, a) {
		return c.Address
	}
	return a
}
