package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"
	"golang.org/x/sync/semaphore"

	"parley/pkg/session"
	"parley/pkg/session/engine/table"
	"parley/pkg/session/kv"
)

// Options say how an engine works over its store.
type Options struct {
	Log zerolog.Logger
	// ReadOnly makes an engine that changes nothing: every write fails.
	ReadOnly bool
	// Snapshot takes a snapshot of the store, each SnapshotEvery (0: 1 h, negative: never)
	// in which something has changed; nil: never.
	Snapshot      func(context.Context) error
	SnapshotEvery time.Duration
	// NoteDamage is told of a page that is damaged, for the next start; nil: it is not noted.
	NoteDamage func(error) error
	// Retain is how long accepted ids, receipts and ended turns are kept; at least 48 h.
	Retain time.Duration
	// Trouble is told why when writes begin to fail, and nil when they work again. It
	// must not block. A nil Trouble tells nobody.
	Trouble func(error)
	// Lanes is how many chats are at work at once in the inbox, and in the outbox of each
	// account; 0: 4096.
	Lanes int
	// Now is the clock; nil: [time.Now].
	Now func() time.Time
}

func (o *Options) defaults() {
	if o.SnapshotEvery == 0 {
		o.SnapshotEvery = time.Hour
	}
	o.Retain = max(o.Retain, minRetain)
	if o.NoteDamage == nil {
		o.NoteDamage = func(error) error { return nil }
	}
	if o.Trouble == nil {
		o.Trouble = func(error) {}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
}

// Engine is a [session.Engine] over a store. [Open] makes one.
type Engine struct {
	o     Options
	store kv.Store

	gate   sync.RWMutex // held for reading by whoever queues
	closed bool
	queue  chan *write
	// unsettled counts the writes that have no answer yet, committing guards the
	// one transaction that is under way.
	unsettled  atomic.Int64
	committing sync.Mutex
	committed  chan struct{} // closed when the committer has ended

	doubts  chan error // asks for a full read of the store
	unclean bool       // the last process did not end in order; only the housekeeping uses it

	stateMu  sync.Mutex
	meta     table.MetaRecord
	begun    bool // the first transaction of this process is durable
	commits  uint64
	changes  uint64 // those of them that a snapshot is worth
	grown    int    // records added since the last pruning
	looked   time.Time
	leaps    []leap
	writeErr error
	missed   bool
	damage   error           // a page is damaged: nothing is written any more
	idle     map[uint64]bool // sequence numbers of deliveries that are marked and surely not sent
	epoch    uint64          // of this process

	pairs    pairBook
	moves    moveBook
	lanes    lanesOf
	receipts awaited
	editLock editLock
	suspects *semaphore.Weighted

	stop    context.CancelFunc // ends the engine's own goroutines
	done    <-chan struct{}    // closed with them
	workers sync.WaitGroup
}

var _ session.Engine = (*Engine)(nil)

func (e *Engine) now() time.Time { return e.o.Now() }

func (e *Engine) metaCopy() table.MetaRecord {
	e.stateMu.Lock()
	defer e.stateMu.Unlock()
	return e.meta
}

func (e *Engine) hasBegun() bool {
	e.stateMu.Lock()
	defer e.stateMu.Unlock()
	return e.begun
}

// held is why nothing is handed out, "" in normal use.
func (e *Engine) held() string {
	e.stateMu.Lock()
	defer e.stateMu.Unlock()
	if e.damage != nil {
		return "the store is damaged: " + e.damage.Error()
	}
	return e.meta.Held
}

// Damage is what a full read found, nil in normal use.
func (e *Engine) Damage() error {
	e.stateMu.Lock()
	defer e.stateMu.Unlock()
	return e.damage
}

// Status counts what is waiting and what went wrong.
func (e *Engine) Status(_ context.Context) (session.Status, error) {
	var st session.Status
	err := e.view(func(t *table.Tx) error {
		count := func(b table.Bucket) (n int) {
			t.Each(b, nil, func(_, _ []byte) bool { n++; return true })
			return n
		}
		st.Waiting, st.Sending, st.OpenTasks, st.Suspects = count(table.Inbox), count(table.Outbox), count(table.Open), count(table.Suspects)
		return nil
	})
	e.stateMu.Lock()
	m := e.meta
	st.Commits = e.commits
	if e.writeErr != nil {
		st.WriteError = e.writeErr.Error()
	}
	e.stateMu.Unlock()
	st.Ambiguous, st.Unsettled, st.Refused = m.Ambiguous, m.Unsettled, m.Refused
	st.Quarantined, st.Corrupt = m.Quarantined, m.Corrupt
	st.Held = e.held()
	return st, err
}

// Close ends Run and RunOutbox and waits for their handlers, though not for long; then
// it accepts nothing more, waits for the writes under way, marks the store as cleanly
// closed and closes it. A second call has no effect.
func (e *Engine) Close() error {
	e.stop()
	e.workers.Wait()
	e.lanes.close()
	if e.o.ReadOnly {
		return e.store.Close()
	}
	if !e.endWrites() {
		return nil
	}
	err := e.markClean()
	return errors.Join(err, e.store.Close())
}

// endWrites lets the committer finish what is queued; false when it was done before.
func (e *Engine) endWrites() bool {
	e.gate.Lock()
	if e.closed {
		e.gate.Unlock()
		return false
	}
	e.closed = true
	close(e.queue)
	e.gate.Unlock()
	<-e.committed
	return true
}

// markClean is the last transaction: deliveries that surely were not begun lose
// their mark, and the next start counts no crash. A process that wrote nothing
// leaves the file as it found it.
func (e *Engine) markClean() error {
	if !e.hasBegun() {
		return nil
	}
	_, err := e.attempt([]*write{{done: func(error) {}, run: func(t *table.Tx) error {
		t.Changed = true
		t.Meta.Clean = true
		e.stampTime(t)
		return e.unmark(t)
	}}})
	return err
}

// Verify reads every record. Its error says that the store is damaged.
func (e *Engine) Verify(context.Context) error {
	var seen table.Walked
	err := e.view(func(t *table.Tx) error { return table.Walk(t, &seen) })
	if err == nil && len(seen.Bad) > 0 {
		err = table.Damagedf("%d of %d records: %v", len(seen.Bad), seen.Records, seen.Bad[0])
	}
	return err
}

// ReleaseHold lets a held store work again: what waits is run and sent. It is
// [session.ErrNotFound] when the store is not held.
func (e *Engine) ReleaseHold(ctx context.Context) error {
	return e.write(ctx, func(t *table.Tx) error {
		if t.Meta.Held == "" {
			return fmt.Errorf("a hold: %w", session.ErrNotFound)
		}
		t.Changed = true
		t.Meta.Held = ""
		t.OnCommit = append(t.OnCommit, e.signalPending)
		return nil
	})
}

// view runs f in a reading transaction. Damaged records that f meets are to be
// handed to setAsideLater.
func (e *Engine) view(f func(*table.Tx) error) error {
	err := e.store.View(func(k kv.Reader) error { return f(table.NewTx(k, e.now())) })
	switch {
	case table.IsPanic(err):
		e.Suspect(err)
	case errors.Is(err, kv.ErrClosed):
		return errClosed
	}
	return err
}
