package writer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"parley/pkg/session"
	"parley/pkg/session/engine/table"
	"parley/pkg/session/kv"
)

// maxBatch bounds the writes of one transaction, maxQueue those that wait. A write more
// than maxBatchBytes, as they are encoded, ends a transaction too.
const (
	maxBatch      = 512
	maxBatchBytes = 768 << 10
	maxQueue      = 1024
)

// After a transaction with the writes of several, the next one lets writes gather first: a
// transaction costs about as much as the work of a turn, whatever it holds, and the
// processor has other turns to go on with.
const (
	several   = 4
	gathering = time.Millisecond
)

// ErrClosed is the answer of a writer that was closed.
var ErrClosed = fmt.Errorf("%w: %w", session.ErrStore, kv.ErrClosed)

// ErrNotStored is the end of work that began early and whose message could not be stored.
var ErrNotStored = fmt.Errorf("the message could not be stored: %w", session.ErrFenced)

// Owner is the turn that a write is made for. After a write of it that failed, all
// fail.
type Owner interface {
	// Fail makes every later write fail.
	Fail(err error)
	// Failed is why they fail, nil when they do not.
	Failed() error
}

// Write is one change.
type Write struct {
	// Run does its checks before its first put: as long as it has put no key its
	// error is its own; an error or a panic after that rolls the transaction back,
	// and its neighbours run again without it. It may therefore run more than once
	// and has no effects outside the transaction but through [table.Tx].
	Run func(*table.Tx) error
	// Done is called once, when the outcome is durable.
	Done func(error)
	// Owner is nil for most. A final write of it that failed took no effect, and may be
	// tried again.
	Owner Owner
	Final bool
	// Size is about how many bytes it stores; 0 for few.
	Size int
	// Quiet says that a snapshot is not worth taking for it.
	Quiet bool
}

func (w *Write) finish(err error) {
	if err != nil && w.Owner != nil && !w.Final {
		w.Owner.Fail(err)
	}
	w.Done(err)
}

// Options say how a writer works. All are required, but ReadOnly.
type Options struct {
	Log zerolog.Logger
	Now func() time.Time
	// ReadOnly makes every write fail.
	ReadOnly bool
	// Meta is the state of the store.
	Meta table.MetaRecord
	// Prelude is the first part of the first transaction. It costs no transaction of its own.
	Prelude func(*table.Tx) error
	// Begun is called when the first transaction is durable.
	Begun func()
	// Committed is called when a transaction is durable, after its own OnCommit.
	Committed func()
	// Resync looks again at everything that waits, after a failed commit.
	Resync func()
	// Trouble is told why when writes begin to fail, and nil when they work again.
	Trouble func(error)
}

// Writer is the one writer of a store. [New] makes one.
type Writer struct {
	// State is the durable state.
	State *State

	o     Options
	store kv.Store
	loans loans

	gate   sync.RWMutex // held for reading by the callers that queue
	closed bool
	queue  chan *Write
	// unsettled counts the writes that have no answer yet, committing guards the
	// one transaction that is under way.
	unsettled  atomic.Int64
	committing sync.Mutex
	spent      uint64        // no number up to this one is given out; guarded by committing
	shared     atomic.Int64  // how many writes the last transaction had
	committed  chan struct{} // closed when the loop has ended
	requests   chan error
}

// New makes the writer of a store. Run has to be called, unless it only reads.
func New(s kv.Store, o Options) *Writer {
	return &Writer{
		State: &State{log: o.Log, trouble: o.Trouble, meta: o.Meta, epoch: o.Meta.Epoch + 1},
		o:     o, store: s, closed: o.ReadOnly,
		queue: make(chan *Write, maxQueue), committed: make(chan struct{}), requests: make(chan error, 1),
	}
}

// Submit queues a write. The error says that it was not queued.
func (w *Writer) Submit(ctx context.Context, write *Write) error {
	w.gate.RLock()
	defer w.gate.RUnlock()
	if w.closed {
		return ErrClosed
	}
	w.unsettled.Add(1)
	select {
	case w.queue <- write:
		return nil
	case <-ctx.Done():
		w.unsettled.Add(-1)
		return context.Cause(ctx)
	}
}

// alone makes a change durable right where it is made, when no other waits or is
// under way, and none is to gather: handing it to the loop and back would cost two changes of
// goroutine. Writes that come meanwhile wait, and share the next transaction.
func (w *Writer) alone(write *Write) bool {
	w.gate.RLock()
	defer w.gate.RUnlock()
	if w.closed || w.shared.Load() >= several || !w.unsettled.CompareAndSwap(0, 1) {
		return false
	}
	w.commitWith(write)
	return true
}

// commitWith brings a write, and all that wait, to their answers. One transaction
// is under way at a time.
func (w *Writer) commitWith(first *Write) {
	w.committing.Lock()
	defer w.committing.Unlock()
	writes := w.drain(first)
	n := int64(len(writes)) // commitAll takes them apart
	w.shared.Store(n)
	w.commitAll(writes)
	w.unsettled.Add(-n)
}

// Do makes a change and waits until it is durable or has failed.
func (w *Writer) Do(ctx context.Context, run func(*table.Tx) error) error {
	return w.Await(ctx, &Write{Run: run})
}

// Settle waits until every write that was queued before has its outcome.
func (w *Writer) Settle(ctx context.Context) {
	_ = w.Do(context.WithoutCancel(ctx), func(*table.Tx) error { return nil })
}

// Await is Do for a write that says more; it sets Done.
func (w *Writer) Await(ctx context.Context, write *Write) error {
	done := make(chan error, 1)
	write.Done = func(err error) { done <- err }
	if !w.alone(write) {
		if err := w.Submit(ctx, write); err != nil {
			return err
		}
	}
	return <-done
}

// Run writes the queued writes, until the writer is closed.
func (w *Writer) Run() {
	defer close(w.committed)
	for write := range w.queue {
		if w.shared.Load() >= several {
			<-time.After(gathering)
		}
		w.commitWith(write)
	}
}

// Close lets the queued writes finish and accepts no more; false when that was done before.
func (w *Writer) Close() bool {
	w.gate.Lock()
	if w.closed {
		w.gate.Unlock()
		return false
	}
	w.closed = true
	close(w.queue)
	w.gate.Unlock()
	<-w.committed
	return true
}

// Last makes a change after Close, where this process has written before.
func (w *Writer) Last(run func(*table.Tx) error) error {
	if !w.State.Begun() {
		return nil
	}
	_, err := w.attempt([]*Write{{Done: func(error) {}, Run: run}})
	return err
}

// Waiting is how many writes are queued.
func (w *Writer) Waiting() int { return len(w.queue) }

func (w *Writer) drain(first *Write) []*Write {
	writes, size := []*Write{first}, first.Size
	for len(writes) < maxBatch && size < maxBatchBytes {
		select {
		case write, ok := <-w.queue:
			if !ok {
				return writes
			}
			writes, size = append(writes, write), size+write.Size
		default:
			return writes
		}
	}
	return writes
}

// commitAll brings every write to its answer. A write that spoils
// the transaction gets its error and the others run again without it.
func (w *Writer) commitAll(writes []*Write) {
	for len(writes) > 0 {
		guilty, err := w.attempt(writes)
		switch {
		case err == nil:
			return
		case guilty >= 0:
			writes[guilty].finish(err)
			writes = slices.Delete(writes, guilty, guilty+1)
		case table.IsPanic(err) && len(writes) > 1:
			// The commit itself panicked, and it is unknown over which pages.
			for _, write := range writes {
				w.commitAll([]*Write{write})
			}
			return
		default:
			for _, write := range writes {
				write.finish(err)
			}
			return
		}
	}
}

// attempt runs writes in one transaction. With a nil error every write has got
// its own answer; else guilty is the write that spoiled it, or -1 for the commit.
func (w *Writer) attempt(writes []*Write) (guilty int, err error) {
	if damage := w.State.Damage(); damage != nil {
		return -1, errors.Join(session.ErrStore, damage)
	}
	b := batch{writes: writes, errs: make([]error, len(writes)), guilty: -1}
	defer b.end()
	err = w.store.Update(func(k kv.Tx) error { return b.run(w, k) })
	switch {
	case errors.Is(err, errUnchanged):
		b.rollback(w)
		b.answer()
		return -1, nil
	case b.guilty >= 0:
		b.rollback(w)
		w.Suspect(err)
		return b.guilty, err
	case err != nil:
		b.rollback(w)
		b.doubt()
		w.Suspect(err)
		return -1, w.State.failed(err)
	}
	if !w.State.Begun() {
		w.o.Begun()
	}
	w.State.took(b.t, b.changes)
	for _, f := range b.t.OnCommit {
		f()
	}
	w.o.Committed()
	b.answer()
	b.publish() // last, so that it runs first: a lane waits for the message that is sent
	if w.State.takeMissed() {
		w.o.Resync()
	}
	return -1, nil
}
