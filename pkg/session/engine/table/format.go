package table

import (
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"parley/pkg/session"
	"parley/pkg/session/kv"
)

// ErrNewer says that a newer release wrote the store.
var ErrNewer = errors.New("the store was written by a newer release")

// LastNumber is the highest number that was given out.
func LastNumber(k kv.Reader) (uint64, error) { return NewTx(k, time.Time{}).number() }

// Numbered is [LastNumber] for a transaction.
func Numbered(t *Tx) (uint64, error) { return t.number() }

// State is a file's view of the store in it.
type State struct {
	// ID is the store's own.
	ID string
	// Held is the reason for which no item is handed out, "" in normal use.
	Held string
	// Cured is the digest of the note of damage that this store is the answer to.
	Cured string
}

// ReadState reads the state of a store and touches all that a start will need: the heads
// of the queues, the pairing book, the moves and the tokens. Its error is [ErrNewer], or damage.
func ReadState(k kv.Reader) (State, error) {
	t := NewTx(k, time.Time{})
	m, err := Get[MetaRecord](t, Meta, MetaKey())
	if err != nil {
		return State{}, Damagedf("%v", err)
	}
	if m.Schema > schema {
		return State{}, fmt.Errorf("%w (form %d, this one reads up to %d); run that release, or restore an older snapshot with it",
			ErrNewer, m.Schema, schema)
	}
	if _, err := t.number(); err != nil {
		return State{}, Damagedf("%v", err)
	}
	for _, b := range []Bucket{Inbox, Outbox} {
		t.Heads(b, func(_, _ uint64) {})
	}
	for _, b := range []Bucket{Pairs, Moves, Tokens} {
		t.Each(b, nil, func(_, _ []byte) bool { return true })
	}
	return State{ID: m.ID, Held: m.Held, Cured: m.Cured}, nil
}

// Verify reads every record of a store. Its error says that the store cannot be used; one
// damaged record is no error.
func Verify(k kv.Reader) error { return Walk(NewTx(k, time.Time{}), &Walked{}) }

// CountFrom continues the numbers of an earlier build; counted is the highest that it
// gave out.
func CountFrom(k kv.Tx, counted uint64) error { return NewWrite(k, time.Time{}).count(counted) }

// ListByChat makes the lists of tasks and jobs by chat in the store of a build that had
// none.
func ListByChat(k kv.Tx) error {
	t := NewWrite(k, time.Time{})
	// A damaged one is set aside when it is met.
	var tasks, jobs [][]byte
	_ = Collect(t, Tasks, func(task *session.Task) { tasks = append(tasks, OfKey(task.Chat, task.ID)) })
	_ = Collect(t, Jobs, func(j *session.Job) { jobs = append(jobs, OfKey(j.Chat, j.ID)) })
	return errors.Join(t.PutIndex(TasksOf, tasks...), t.PutIndex(JobsOf, jobs...))
}

// Restored has the facts for a store that was made of a snapshot.
type Restored struct {
	// Held is the reason for which no item is to be handed out.
	Held string
	// Cured is the digest of the note of damage that the snapshot is the answer to.
	Cured string
}

// Complete completes a store that is empty, or with r one that was a snapshot. Numbers
// start at the present time in microseconds, so that one that was given out in a lost
// store does not come again.
func Complete(k kv.Tx, now time.Time, r *Restored) error {
	t := NewWrite(k, now)
	m, err := Get[MetaRecord](t, Meta, MetaKey())
	if err != nil {
		m = &MetaRecord{Schema: schema, ID: rand.Text(), Created: t.Now}
	}
	t.Meta = *m
	t.Meta.Clean = true
	if err := t.count(uint64(max(t.Now.UnixMicro(), 0))); err != nil {
		return err
	}
	if r != nil {
		t.Meta.Held, t.Meta.Cured = r.Held, r.Cured
		if err := markUnknown(t); err != nil {
			return err
		}
	}
	return t.Put(Meta, MetaKey(), t.Meta)
}
