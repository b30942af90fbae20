package bolt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"parley/pkg/session"
)

// addTask stores a task that a step starts; one that is there already stays as it is.
func (t *tx) addTask(task *session.Task) error {
	key := idKey(task.ID)
	if t.has(bkTasks, key) {
		return nil
	}
	if err := t.put(bkTasks, key, task); err != nil {
		return err
	}
	if task.State != session.TaskRunning {
		return nil
	}
	return t.putIndex(bkOpen, dueKey(task.Started, task.ID))
}

// Complete ends a task.
func (e *Engine) Complete(ctx context.Context, id string, c session.Completion) (bool, error) {
	out, err := encodeOutbox(c.Outbox)
	if err != nil {
		return false, err
	}
	var item []byte
	if c.Item != nil {
		if err := storable(c.Item.ID, c.Item.Address); err != nil {
			return false, fmt.Errorf("complete: %w", err)
		}
		if item, err = encode(c.Item); err != nil {
			return false, err
		}
	}
	first := false
	err = e.write(ctx, func(t *tx) error {
		first = false
		task, err := get[session.Task](t, bkTasks, idKey(id))
		if err != nil {
			return fmt.Errorf("task %s: %w", id, err)
		}
		if task.State != session.TaskRunning {
			return nil
		}
		first = true
		task.State, task.Ended, task.Result = c.State, t.now, c.Result
		task.Tainted = task.Tainted || c.Tainted
		if err := t.put(bkTasks, idKey(id), task); err != nil {
			return err
		}
		t.added++
		if err := t.del(bkOpen, dueKey(task.Started, id)); err != nil {
			return err
		}
		chat := t.homeOf(task.Chat)
		if err := t.spend(chat, c.Spent); err != nil {
			return err
		}
		if err := e.putOutbox(t, chat, c.Outbox, out); err != nil {
			return err
		}
		if c.Item == nil {
			return nil
		}
		return e.appendItem(t, c.Item, item, chat)
	})
	return first && err == nil, err
}

// homeOf is the number of a chat that still exists, else 0.
func (t *tx) homeOf(id string) uint64 {
	n, err := parseID("c", id)
	if err != nil || !t.has(bkChats, numKey(n)) {
		return 0
	}
	return n
}

// Task finds one task.
func (e *Engine) Task(_ context.Context, id string) (session.Task, error) {
	var task session.Task
	err := e.view(func(t *tx) error {
		rec, err := get[session.Task](t, bkTasks, idKey(id))
		if err != nil {
			return fmt.Errorf("task %s: %w", id, err)
		}
		task = *rec
		return nil
	})
	return task, err
}

// OpenTasks returns the tasks without a terminal state, oldest first.
func (e *Engine) OpenTasks(ctx context.Context) ([]session.Task, error) {
	return indexed[session.Task](ctx, e, bkOpen, bkTasks, func([]byte) bool { return true })
}

// TaskList returns the tasks of a chat, or of all, the oldest first.
func (e *Engine) TaskList(ctx context.Context, chat string) ([]session.Task, error) {
	out, err := inChat(ctx, e, bkTasks, func(t *session.Task) bool { return chat == "" || t.Chat == chat })
	slices.SortStableFunc(out, func(a, b session.Task) int { return a.Started.Compare(b.Started) })
	return out, err
}

// indexed reads the records that an index by time names, in its order. Damaged
// ones are set aside; go decides by the index key whether to read on.
func indexed[T any](ctx context.Context, e *Engine, index, records bucket, goOn func(key []byte) bool) ([]T, error) {
	var out []T
	var bad []*recordError
	err := e.view(func(t *tx) error {
		t.each(index, nil, func(k, _ []byte) bool {
			if len(k) < timeKeyLen || !goOn(k) {
				return false
			}
			rec, err := get[T](t, records, k[timeKeyLen:])
			if err == nil {
				out = append(out, *rec)
				return true
			}
			bad = append(bad, &recordError{bucket: index, key: bytes.Clone(k)})
			if errors.Is(err, session.ErrCorrupt) {
				bad = append(bad, &recordError{bucket: records, key: bytes.Clone(k[timeKeyLen:])})
			}
			return true
		})
		return nil
	})
	e.setAsideLater(ctx, bad)
	return out, err
}

// putJob creates or replaces a job.
func (t *tx) putJob(j *session.Job) error {
	if err := t.unlistJob(j.ID); err != nil {
		return err
	}
	if err := t.put(bkJobs, idKey(j.ID), j); err != nil {
		return err
	}
	if j.Paused || j.Due.IsZero() {
		return nil
	}
	return t.putIndex(bkDue, dueKey(j.Due, j.ID))
}

// unlistJob takes a job's present due time out of the index.
func (t *tx) unlistJob(id string) error {
	old, err := get[session.Job](t, bkJobs, idKey(id))
	if errors.Is(err, session.ErrNotFound) {
		return nil
	}
	if err != nil {
		// Its due time is unknown; the index entry is set aside when it is met.
		return t.setAside(bkJobs, idKey(id))
	}
	return t.del(bkDue, dueKey(old.Due, id))
}

// PutJob creates or replaces a job.
func (e *Engine) PutJob(ctx context.Context, j session.Job) error {
	if _, err := encode(&j); err != nil {
		return err
	}
	return e.write(ctx, func(t *tx) error { return t.putJob(&j) })
}

// DeleteJob removes a job.
func (e *Engine) DeleteJob(ctx context.Context, id string) error {
	return e.write(ctx, func(t *tx) error {
		if !t.has(bkJobs, idKey(id)) {
			return fmt.Errorf("job %s: %w", id, session.ErrNotFound)
		}
		return t.dropJob(id)
	})
}

func (t *tx) dropJob(id string) error {
	if err := t.unlistJob(id); err != nil {
		return err
	}
	return t.del(bkJobs, idKey(id))
}

// Job finds one job.
func (e *Engine) Job(_ context.Context, id string) (session.Job, error) {
	var j session.Job
	err := e.view(func(t *tx) error {
		rec, err := get[session.Job](t, bkJobs, idKey(id))
		if err != nil {
			return fmt.Errorf("job %s: %w", id, err)
		}
		j = *rec
		return nil
	})
	return j, err
}

// ran notes what came of a job's run.
func (t *tx) ran(run *session.JobRun) error {
	if run == nil {
		return nil
	}
	j, err := get[session.Job](t, bkJobs, idKey(run.ID))
	if errors.Is(err, session.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	now := *j
	now.Last, now.LastReason = run.Time, run.Reason
	now.Failures++
	if run.Reason == "" {
		now.Failures = 0
	}
	if run.Pause != "" {
		now.Paused, now.Why = true, run.Pause
	}
	return t.putJob(&now)
}

// JobList returns the jobs of a chat, or of all.
func (e *Engine) JobList(ctx context.Context, chat string) ([]session.Job, error) {
	var out []session.Job
	var bad []*recordError
	err := e.view(func(t *tx) error {
		t.each(bkJobs, nil, func(k, _ []byte) bool {
			j, err := get[session.Job](t, bkJobs, k)
			switch {
			case err != nil:
				bad = append(bad, &recordError{bucket: bkJobs, key: bytes.Clone(k)})
			case chat == "" || j.Chat == chat:
				out = append(out, *j)
			}
			return true
		})
		return nil
	})
	e.setAsideLater(ctx, bad)
	return out, err
}

// DueJobs returns the jobs that are due, the earliest first.
func (e *Engine) DueJobs(ctx context.Context, now time.Time, limit int) ([]session.Job, error) {
	if limit <= 0 {
		return nil, nil
	}
	n := 0
	return indexed[session.Job](ctx, e, bkDue, bkJobs, func(k []byte) bool {
		due, _ := keyTime(k)
		n++
		return !due.After(now) && n <= limit
	})
}

// NextJob is when the earliest unpaused job is due.
func (e *Engine) NextJob(_ context.Context) (time.Time, bool, error) {
	var due time.Time
	found := false
	err := e.view(func(t *tx) error {
		k, _ := t.first(bkDue, nil)
		due, found = keyTime(k)
		return nil
	})
	return due, found, err
}

// Fire appends a job's item and moves the job on.
func (e *Engine) Fire(ctx context.Context, id string, due, next time.Time, item session.Item) (bool, error) {
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
	err = e.write(ctx, func(t *tx) error {
		fired = false
		j, err := get[session.Job](t, bkJobs, idKey(id))
		if errors.Is(err, session.ErrNotFound) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("job %s: %w", id, err)
		}
		if j.Paused || j.Due.IsZero() || !j.Due.Equal(due) {
			return nil
		}
		fired = true
		if next.IsZero() {
			err = t.dropJob(id)
		} else {
			moved := *j
			moved.Due = next
			err = t.putJob(&moved)
		}
		if err != nil {
			return err
		}
		return e.appendItem(t, &item, payload, t.homeOf(j.Chat))
	})
	return fired && err == nil, err
}
