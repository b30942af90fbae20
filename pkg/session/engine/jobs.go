package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"parley/pkg/session"
	"parley/pkg/session/engine/rules"
	"parley/pkg/session/engine/table"
)

// PutJob creates or replaces a job.
func (s jobs) PutJob(ctx context.Context, j session.Job) error {
	if err := table.Storable(j.ID, j.Address); err != nil {
		return fmt.Errorf("job: %w", err)
	}
	if _, err := table.Encode(&j); err != nil {
		return err
	}
	return s.e.w.Do(ctx, func(t *table.Tx) error {
		n := table.ChatNum(t, j.Chat)
		if n == 0 && j.Chat != "" {
			return fmt.Errorf("job %s: chat %s: %w", j.ID, j.Chat, session.ErrNotFound)
		}
		switch old, err := table.Get[session.Job](t, table.Jobs, table.IDKey(j.ID)); {
		case err == nil && old.Chat != "" && old.Chat != j.Chat:
			return fmt.Errorf("job %s: %w", j.ID, session.ErrTaken)
		case errors.Is(err, session.ErrNotFound) && t.Has(table.Seen, table.EndedKey(j.ID)):
			return fmt.Errorf("job %s: %w", j.ID, session.ErrEnded)
		}
		now := j
		now.Address = rules.WhereNow(t, n, j.Address)
		return rules.PutJob(t, &now)
	})
}

// DeleteJob removes a job.
func (s jobs) DeleteJob(ctx context.Context, id string) error {
	return s.e.w.Do(ctx, func(t *table.Tx) error {
		if !t.Has(table.Jobs, table.IDKey(id)) {
			return fmt.Errorf("job %s: %w", id, session.ErrNotFound)
		}
		return rules.DropJob(t, id)
	})
}

// Job finds one job.
func (s jobs) Job(ctx context.Context, id string) (session.Job, error) {
	return one[session.Job](ctx, s.e, table.Jobs, "job", id)
}

// one finds a record by its id. A damaged one is set aside.
func one[T any](ctx context.Context, e *Engine, b table.Bucket, what, id string) (found T, err error) {
	err = e.w.View(func(t *table.Tx) error {
		rec, err := table.Get[T](t, b, table.IDKey(id))
		if err != nil {
			return fmt.Errorf("%s %s: %w", what, id, err)
		}
		found = *rec
		return nil
	})
	e.w.SetAsideIf(ctx, err)
	return found, err
}

// JobList returns the jobs of a chat, or of all.
func (s jobs) JobList(ctx context.Context, chat string) ([]session.Job, error) {
	if chat == "" {
		return inChat(ctx, s.e, table.Jobs, func(*session.Job) bool { return true })
	}
	return ofChat[session.Job](ctx, s.e, table.JobsOfIndex(), chat)
}

// DueJobs returns the jobs that are due, the earliest first.
func (s jobs) DueJobs(ctx context.Context, now time.Time, limit int) ([]session.Job, error) {
	if limit <= 0 || s.e.w.State.Held() != "" {
		return nil, nil
	}
	n := 0
	return indexed(ctx, s.e, listing[session.Job]{index: table.DueIndex(), goOn: func(k []byte) bool {
		due, _ := table.KeyTime(k)
		n++
		return !due.After(now) && n <= limit
	}})
}

// NextJob is when the earliest job is due.
func (s jobs) NextJob(context.Context) (time.Time, bool, error) {
	var due time.Time
	found := false
	if s.e.w.State.Held() != "" {
		return due, found, nil
	}
	err := s.e.w.View(func(t *table.Tx) error {
		k, _ := t.First(table.Due, nil)
		due, found = table.KeyTime(k)
		return nil
	})
	return due, found, err
}

// Fire appends a job's item and moves the job on.
func (s jobs) Fire(ctx context.Context, id string, due, next time.Time, item session.Item) (bool, error) {
	if err := table.Storable(item.ID, item.Address); err != nil {
		return false, fmt.Errorf("fire: %w", err)
	}
	payload, err := table.Encode(&item)
	if err != nil {
		return false, err
	}
	if !next.IsZero() {
		if _, err := table.Encode(next); err != nil {
			return false, err
		}
	}
	fired := false
	err = s.e.w.Do(ctx, func(t *table.Tx) error {
		fired = false
		j, err := table.Get[session.Job](t, table.Jobs, table.IDKey(id))
		if errors.Is(err, session.ErrNotFound) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("job %s: %w", id, err)
		}
		if !table.MayFire(t, j) || !j.Due.Equal(due) {
			return nil
		}
		fired = true
		if next.IsZero() {
			err = errors.Join(rules.DropJob(t, id), t.Put(table.Seen, table.EndedKey(id), &table.SeenRecord{Time: t.Now}))
		} else {
			moved := *j
			moved.Due = next
			err = rules.PutJob(t, &moved)
		}
		if err != nil {
			return err
		}
		return s.e.in.appendTo(t, table.ChatNum(t, j.Chat), &item, payload)
	})
	s.e.w.SetAsideIf(ctx, err)
	return fired && err == nil, err
}

// listing is the part of an index that is read: the records of the keys with a prefix.
type listing[T any] struct {
	index  table.Index
	prefix []byte
	// goOn decides by the index key whether to read on, shorten drops the parts that
	// are not needed; nil for both: all.
	goOn    func(key []byte) bool
	shorten func(*T)
}

// indexed reads the records of a listing, in the order of its index. Damaged ones are
// set aside.
func indexed[T any](ctx context.Context, e *Engine, l listing[T]) ([]T, error) {
	ix := l.index
	var out []T
	var bad []*table.RecordError
	err := e.w.View(func(t *table.Tx) error {
		t.Each(ix.Bucket, l.prefix, func(k, _ []byte) bool {
			if len(k) < ix.Head || l.goOn != nil && !l.goOn(k) {
				return false
			}
			rec, err := table.Get[T](t, ix.Records, k[ix.Head:])
			switch {
			case err == nil:
				if l.shorten != nil {
					l.shorten(rec)
				}
				out = append(out, *rec)
			case errors.Is(err, session.ErrCorrupt):
				bad = append(bad, &table.RecordError{Bucket: ix.Records, Key: bytes.Clone(k[ix.Head:])})
			default:
				bad = append(bad, &table.RecordError{Bucket: ix.Bucket, Key: bytes.Clone(k)})
			}
			return true
		})
		return nil
	})
	e.w.SetAside(ctx, bad)
	return out, err
}

// ofChat reads the records of one chat.
func ofChat[T any](ctx context.Context, e *Engine, ix table.Index, chat string) ([]T, error) {
	n, err := table.ParseID("c", chat)
	if err != nil {
		return nil, nil //nolint:nilerr // there is no such chat, and no record of it
	}
	return indexed(ctx, e, listing[T]{index: ix, prefix: table.NumKey(n)})
}
