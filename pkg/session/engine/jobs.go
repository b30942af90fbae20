package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"parley/pkg/channels"
	"parley/pkg/session"
)

// A job is listed by its due time as long as it may fire: not while it is paused,
// has no time, or belongs to a chat that cannot be reached. So what waits for its
// chat costs nothing to whoever looks for what is due.

// mayFire says whether a job is to be listed by its due time.
func (t *tx) mayFire(j *session.Job) bool {
	return !j.Paused && !j.Due.IsZero() && !t.isSuspended(t.chatNum(j.Chat))
}

// putJob creates or replaces a job.
func (t *tx) putJob(j *session.Job) error {
	if err := t.unlistJob(j.ID); err != nil {
		return err
	}
	if err := t.put(bkJobs, idKey(j.ID), j); err != nil {
		return err
	}
	if err := t.putIndex(bkJobsOf, ofKey(j.Chat, j.ID)); err != nil {
		return err
	}
	if !t.mayFire(j) {
		return nil
	}
	return t.putIndex(bkDue, dueKey(j.Due, j.ID))
}

// unlistJob takes a job, as it is stored, out of the indexes.
func (t *tx) unlistJob(id string) error {
	old, err := get[session.Job](t, bkJobs, idKey(id))
	switch {
	case errors.Is(err, session.ErrNotFound):
		return nil
	case err != nil:
		return t.setAside(bkJobs, idKey(id))
	}
	if err := t.del(bkJobsOf, ofKey(old.Chat, id)); err != nil {
		return err
	}
	return t.del(bkDue, dueKey(old.Due, id))
}

func (t *tx) dropJob(id string) error {
	if err := t.unlistJob(id); err != nil {
		return err
	}
	return t.del(bkJobs, idKey(id))
}

// changeJobs writes the jobs of a chat that change says to have changed.
func (t *tx) changeJobs(chat uint64, change func(j *session.Job) bool) error {
	for _, key := range t.keys(bkJobsOf, numKey(chat)) {
		j, err := get[session.Job](t, bkJobs, key[chatKeyLen:])
		switch {
		case err != nil:
			err = t.setAside(bkJobs, key[chatKeyLen:])
		default:
			now := *j
			if change(&now) {
				err = t.putJob(&now)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// relistJobs lists the jobs of a chat anew that can be reached again, or cannot any more.
func (t *tx) relistJobs(chat uint64) error {
	return t.changeJobs(chat, func(*session.Job) bool { return true })
}

// forgetJobs deletes the jobs of a chat.
func (t *tx) forgetJobs(chat uint64) error {
	for _, key := range t.keys(bkJobsOf, numKey(chat)) {
		j, err := get[session.Job](t, bkJobs, key[chatKeyLen:])
		if err != nil {
			err = t.setAside(bkJobs, key[chatKeyLen:])
		} else {
			err = t.dropJob(j.ID)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// PutJob creates or replaces a job.
func (s jobs) PutJob(ctx context.Context, j session.Job) error {
	if err := storable(j.ID, j.Address); err != nil {
		return fmt.Errorf("job: %w", err)
	}
	if _, err := encode(&j); err != nil {
		return err
	}
	return s.e.write(ctx, func(t *tx) error {
		n := t.chatNum(j.Chat)
		if n == 0 && j.Chat != "" {
			return fmt.Errorf("job %s: chat %s: %w", j.ID, j.Chat, session.ErrNotFound)
		}
		switch old, err := get[session.Job](t, bkJobs, idKey(j.ID)); {
		case err == nil && old.Chat != "" && old.Chat != j.Chat:
			return fmt.Errorf("job %s: %w", j.ID, session.ErrTaken)
		case errors.Is(err, session.ErrNotFound) && t.has(bkSeen, endedKey(j.ID)):
			return fmt.Errorf("job %s: %w", j.ID, session.ErrEnded)
		}
		now := j
		now.Address = t.whereNow(n, j.Address)
		return t.putJob(&now)
	})
}

// endedKey is where it is remembered, as long as ids of items are, that a job has
// fired for the last time.
func endedKey(id string) []byte { return idKey("job/" + id) }

// whereNow is an address, or, where it is one that the chat has had, the present one of the chat.
func (t *tx) whereNow(n uint64, a channels.Address) channels.Address {
	if c, err := t.chat(n); err == nil && slices.Contains(c.Aliases, a) {
		return c.Address
	}
	return a
}

// DeleteJob removes a job.
func (s jobs) DeleteJob(ctx context.Context, id string) error {
	return s.e.write(ctx, func(t *tx) error {
		if !t.has(bkJobs, idKey(id)) {
			return fmt.Errorf("job %s: %w", id, session.ErrNotFound)
		}
		return t.dropJob(id)
	})
}

// Job finds one job.
func (s jobs) Job(ctx context.Context, id string) (session.Job, error) {
	return one[session.Job](ctx, s.e, bkJobs, "job", id)
}

// one finds a record by its id. A damaged one is set aside.
func one[T any](ctx context.Context, e *Engine, b bucket, what, id string) (found T, err error) {
	err = e.view(func(t *tx) error {
		rec, err := get[T](t, b, idKey(id))
		if err != nil {
			return fmt.Errorf("%s %s: %w", what, id, err)
		}
		found = *rec
		return nil
	})
	e.setAsideIf(ctx, err)
	return found, err
}

// JobList returns the jobs of a chat, or of all.
func (s jobs) JobList(ctx context.Context, chat string) ([]session.Job, error) {
	if chat == "" {
		return inChat(ctx, s.e, bkJobs, func(*session.Job) bool { return true })
	}
	return ofChat[session.Job](ctx, s.e, jobsOfIndex(), chat)
}

// ran notes what came of a job's run.
func (t *tx) ran(run *session.JobRun) error {
	if run == nil {
		return nil
	}
	j, err := get[session.Job](t, bkJobs, idKey(run.ID))
	switch {
	case errors.Is(err, session.ErrNotFound):
		return nil
	case errors.Is(err, session.ErrCorrupt):
		return t.setAside(bkJobs, idKey(run.ID)) // the turn is not to fail of it
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
	return t.putJob(&now)
}

// DueJobs returns the jobs that are due, the earliest first.
func (s jobs) DueJobs(ctx context.Context, now time.Time, limit int) ([]session.Job, error) {
	if limit <= 0 || s.e.held() != "" {
		return nil, nil
	}
	n := 0
	return indexed(ctx, s.e, listing[session.Job]{index: dueIndex(), goOn: func(k []byte) bool {
		due, _ := keyTime(k)
		n++
		return !due.After(now) && n <= limit
	}})
}

// NextJob is when the earliest job is due.
func (s jobs) NextJob(context.Context) (time.Time, bool, error) {
	var due time.Time
	found := false
	if s.e.held() != "" {
		return due, found, nil
	}
	err := s.e.view(func(t *tx) error {
		k, _ := t.first(bkDue, nil)
		due, found = keyTime(k)
		return nil
	})
	return due, found, err
}

// Fire appends a job's item and moves the job on.
func (s jobs) Fire(ctx context.Context, id string, due, next time.Time, item session.Item) (bool, error) {
	if err := storable(item.ID, item.Address); err != nil {
		return false, fmt.Errorf("fire: %w", err)
	}
	payload, err := encode(&item)
	if err != nil {
		return false, err
	}
	if !next.IsZero() {
		if _, err := encode(next); err != nil {
			return false, err
		}
	}
	fired := false
	err = s.e.write(ctx, func(t *tx) error {
		fired = false
		j, err := get[session.Job](t, bkJobs, idKey(id))
		if errors.Is(err, session.ErrNotFound) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("job %s: %w", id, err)
		}
		if !t.mayFire(j) || !j.Due.Equal(due) {
			return nil
		}
		fired = true
		if next.IsZero() {
			err = errors.Join(t.dropJob(id), t.put(bkSeen, endedKey(id), &seenRec{Time: t.now}))
		} else {
			moved := *j
			moved.Due = next
			err = t.putJob(&moved)
		}
		if err != nil {
			return err
		}
		return s.e.appendTo(t, t.chatNum(j.Chat), &item, payload)
	})
	s.e.setAsideIf(ctx, err)
	return fired && err == nil, err
}

// appendTo queues an item in a chat, as one of the address where the chat is now;
// with 0 in the chat of its own address.
func (e *Engine) appendTo(t *tx, chat uint64, item *session.Item, payload []byte) error {
	c, err := t.chat(chat)
	if chat == 0 || err != nil || c.Address == item.Address {
		return e.appendItem(t, item, payload, chat)
	}
	moved := *item
	moved.Address = c.Address
	if item.Job != nil {
		job := *item.Job
		job.Address, moved.Job = c.Address, &job
	}
	if payload, err = encode(&moved); err != nil {
		return err
	}
	return e.appendItem(t, &moved, payload, chat)
}

// listing is what of an index is read: the records of the keys with a prefix.
type listing[T any] struct {
	index  index
	prefix []byte
	// goOn decides by the index key whether to read on, shorten takes away what
	// nobody needs; nil for both: all.
	goOn    func(key []byte) bool
	shorten func(*T)
}

// indexed reads the records of a listing, in the order of its index. Damaged ones are
// set aside.
func indexed[T any](ctx context.Context, e *Engine, l listing[T]) ([]T, error) {
	ix := l.index
	var out []T
	var bad []*recordError
	err := e.view(func(t *tx) error {
		t.each(ix.bucket, l.prefix, func(k, _ []byte) bool {
			if len(k) < ix.head || l.goOn != nil && !l.goOn(k) {
				return false
			}
			rec, err := get[T](t, ix.records, k[ix.head:])
			switch {
			case err == nil:
				if l.shorten != nil {
					l.shorten(rec)
				}
				out = append(out, *rec)
			case errors.Is(err, session.ErrCorrupt):
				bad = append(bad, &recordError{bucket: ix.records, key: bytes.Clone(k[ix.head:])})
			default:
				bad = append(bad, &recordError{bucket: ix.bucket, key: bytes.Clone(k)})
			}
			return true
		})
		return nil
	})
	e.setAsideLater(ctx, bad)
	return out, err
}

// ofChat reads the records of one chat.
func ofChat[T any](ctx context.Context, e *Engine, ix index, chat string) ([]T, error) {
	n, err := parseID("c", chat)
	if err != nil {
		return nil, nil //nolint:nilerr // there is no such chat, and nothing of it
	}
	return indexed(ctx, e, listing[T]{index: ix, prefix: numKey(n)})
}
