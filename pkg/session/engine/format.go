package engine

import (
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"parley/pkg/session"
	"parley/pkg/session/engine/table"
	"parley/pkg/session/kv"
)

// ErrNewer says that a newer release wrote the store.
var ErrNewer = errors.New("the store was written by a newer release")

// The keys that a file knows beside its buckets.
const (
	// MetaBucket has the state of the store as a whole. A store without it is another
	// program's.
	MetaBucket = bkMeta
	// TasksOfBucket is missing where an earlier build wrote the store, which listed no task
	// by its chat.
	TasksOfBucket = bkTasksOf
	// NumberKey, in MetaBucket, has the highest number that was given out, in the last
	// NumberLen bytes of its value.
	NumberKey = numberKey
	NumberLen = numberLen
)

// Buckets are all buckets of a store.
func Buckets() []kv.Bucket { return buckets() }

// LaterBuckets are those that a store of an earlier build lacks: it gets them when
// it is opened, and until then it is read as if they were empty.
func LaterBuckets() []kv.Bucket { return laterBuckets() }

// LastNumber is the highest number that was given out.
func LastNumber(k kv.Reader) (uint64, error) { return newTx(k, time.Time{}).number() }

// State is what a file has to know of the store in it.
type State struct {
	// ID is the store's own.
	ID string
	// Held says why nothing is handed out, "" in normal use.
	Held string
	// Cured is the digest of the note of damage that this store is the answer to.
	Cured string
}

// ReadState reads the state of a store and touches what is pending, which is all that a
// start will need. Its error is [ErrNewer], or damage.
func ReadState(k kv.Reader) (State, error) {
	t := newTx(k, time.Time{})
	m, err := get[metaRec](t, bkMeta, metaKey())
	if err != nil {
		return State{}, table.Damagedf("%v", err)
	}
	if m.Schema > schema {
		return State{}, fmt.Errorf("%w (form %d, this one reads up to %d); run that release, or restore an older snapshot with it",
			ErrNewer, m.Schema, schema)
	}
	if _, err := t.number(); err != nil {
		return State{}, table.Damagedf("%v", err)
	}
	for _, b := range []bucket{bkInbox, bkOutbox} {
		t.heads(b, func(_, _ uint64) {})
	}
	return State{ID: m.ID, Held: m.Held, Cured: m.Cured}, nil
}

// Verify reads every record of a store. Its error says that the store cannot be used; one
// damaged record is no error.
func Verify(k kv.Reader) error { return walk(newTx(k, time.Time{}), &walked{}) }

// Upgrade brings a store of an earlier build up to this one, when its buckets were made.
// Counted is the highest number that the earlier build gave out, unlisted says that it
// listed no task and no job by its chat.
func Upgrade(k kv.Tx, counted uint64, unlisted bool) error {
	t := newTx(k, time.Time{}).writing(k)
	if err := t.count(counted); err != nil || !unlisted {
		return err
	}
	// A damaged one is set aside when it is met.
	var tasks, jobs [][]byte
	_ = collect(t, bkTasks, func(task *session.Task) { tasks = append(tasks, ofKey(task.Chat, task.ID)) })
	_ = collect(t, bkJobs, func(j *session.Job) { jobs = append(jobs, ofKey(j.Chat, j.ID)) })
	return errors.Join(t.putIndex(bkTasksOf, tasks...), t.putIndex(bkJobsOf, jobs...))
}

// Restored is what a store is told that was made of a snapshot.
type Restored struct {
	// Held says why nothing is to be handed out.
	Held string
	// Cured is the digest of the note of damage that the snapshot is the answer to.
	Cured string
}

// Complete completes a store that is empty, or with r one that was a snapshot. Numbers
// start at the present time in microseconds, so that one that was given out in a lost
// store never comes again.
func Complete(k kv.Tx, now time.Time, r *Restored) error {
	t := newTx(k, now).writing(k)
	m, err := get[metaRec](t, bkMeta, metaKey())
	if err != nil {
		m = &metaRec{Schema: schema, ID: rand.Text(), Created: t.now}
	}
	t.meta = *m
	t.meta.Clean = true
	if err := t.count(uint64(max(t.now.UnixMicro(), 0))); err != nil {
		return err
	}
	if r != nil {
		t.meta.Held, t.meta.Cured = r.Held, r.Cured
		if err := markUnknown(t); err != nil {
			return err
		}
	}
	return t.put(bkMeta, metaKey(), t.meta)
}
