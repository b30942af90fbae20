package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"parley/internal/failpoint"
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

// errClosed is what a closed engine answers.
var errClosed = fmt.Errorf("%w: %w", session.ErrStore, kv.ErrClosed)

// write is one change.
type write struct {
	// run does its checks before its first put: as long as it has put nothing its
	// error is its own; an error or a panic after that rolls the transaction back,
	// and its neighbours run again without it. It may therefore run more than once
	// and has no effects outside the transaction but through tx.onCommit.
	run func(*table.Tx) error
	// done is called once, when the outcome is durable.
	done func(error)
	// turn is set for the writes of a turn: after a step that failed, all fail.
	// A commit that failed took nothing with it and may be tried again.
	turn  *turn
	final bool
	// size is about how many bytes it stores; 0 for few.
	size int
	// quiet says that it changes nothing for whose sake a snapshot is taken.
	quiet bool
}

// submit queues a write. The error says that it was not queued.
func (e *Engine) submit(ctx context.Context, w *write) error {
	e.gate.RLock()
	defer e.gate.RUnlock()
	if e.closed {
		return errClosed
	}
	e.unsettled.Add(1)
	select {
	case e.queue <- w:
		return nil
	case <-ctx.Done():
		e.unsettled.Add(-1)
		return context.Cause(ctx)
	}
}

// alone makes a change durable right where it is made, when no other waits or is
// under way: handing it to the committer and back would cost two changes of
// goroutine. What comes meanwhile waits, and shares the next transaction.
func (e *Engine) alone(w *write) bool {
	e.gate.RLock()
	defer e.gate.RUnlock()
	if e.closed || !e.unsettled.CompareAndSwap(0, 1) {
		return false
	}
	e.commitWith(w)
	return true
}

// commitWith brings a write, and all that wait, to their answers. One transaction
// is under way at a time.
func (e *Engine) commitWith(first *write) {
	e.committing.Lock()
	defer e.committing.Unlock()
	batch := e.drain(first)
	n := int64(len(batch)) // commitAll takes the batch apart
	e.commitAll(batch)
	e.unsettled.Add(-n)
}

// write queues a change and waits until it is durable or has failed.
func (e *Engine) write(ctx context.Context, run func(*table.Tx) error) error {
	return e.await(ctx, &write{run: run})
}

// settle waits until everything that was queued before has its outcome.
func (e *Engine) settle(ctx context.Context) {
	_ = e.write(context.WithoutCancel(ctx), func(*table.Tx) error { return nil })
}

func (e *Engine) await(ctx context.Context, w *write) error {
	done := make(chan error, 1)
	w.done = func(err error) { done <- err }
	if !e.alone(w) {
		if err := e.submit(ctx, w); err != nil {
			return err
		}
	}
	return <-done
}

// commitLoop writes what was queued. It takes everything that waits into one
// transaction, so that the writers of a moment share one sync of the disk.
func (e *Engine) commitLoop() {
	defer close(e.committed)
	for w := range e.queue {
		e.commitWith(w)
	}
}

func (e *Engine) drain(first *write) []*write {
	batch, size := []*write{first}, first.size
	for len(batch) < maxBatch && size < maxBatchBytes {
		select {
		case w, ok := <-e.queue:
			if !ok {
				return batch
			}
			batch, size = append(batch, w), size+w.size
		default:
			return batch
		}
	}
	return batch
}

// commitAll brings every write of a batch to its answer. A write that spoils
// the transaction gets its error and the others run again without it.
func (e *Engine) commitAll(batch []*write) {
	for len(batch) > 0 {
		guilty, err := e.attempt(batch)
		switch {
		case err == nil:
			return
		case guilty >= 0:
			batch[guilty].finish(err)
			batch = slices.Delete(batch, guilty, guilty+1)
		case table.IsPanic(err) && len(batch) > 1:
			// The commit itself panicked, and nobody knows over whose pages.
			for _, w := range batch {
				e.commitAll([]*write{w})
			}
			return
		default:
			for _, w := range batch {
				w.finish(err)
			}
			return
		}
	}
}

func (w *write) finish(err error) {
	if err != nil && w.turn != nil && !w.final {
		w.turn.fail(err)
	}
	w.done(err)
}

// attempt runs a batch in one transaction. With a nil error every write has got
// its own answer; else guilty is the write that spoiled it, or -1 for the commit.
func (e *Engine) attempt(batch []*write) (guilty int, err error) {
	if damage := e.Damage(); damage != nil {
		return -1, errors.Join(session.ErrStore, damage)
	}
	a := attempted{batch: batch, errs: make([]error, len(batch)), guilty: -1}
	defer a.end()
	err = e.store.Update(func(k kv.Tx) error { return e.run(&a, k) })
	switch {
	case errors.Is(err, errUnchanged):
		a.rollback()
		a.answer()
		return -1, nil
	case a.guilty >= 0:
		a.rollback()
		e.Suspect(err)
		return a.guilty, err
	case err != nil:
		a.rollback()
		return -1, e.noteWrite(err)
	}
	e.took(&a)
	_ = e.noteWrite(nil)
	for _, f := range a.t.OnCommit {
		f()
	}
	a.answer()
	a.publish() // last, so that it runs first: a lane waits for the message that is sent
	e.resync()
	return -1, nil
}

// errUnchanged drops a transaction in which no write has put anything.
var errUnchanged = errors.New("nothing was written")

// attempted is a batch in its transaction.
type attempted struct {
	batch []*write
	errs  []error   // of each write, its own
	t     *table.Tx // nil until the transaction has begun
	// guilty is the write that spoiled the transaction, -1 for none.
	guilty int
	loud   bool // a write that is not quiet has put something
	// recovered says that this transaction marks the suspects of an unclean end.
	recovered bool
	broken    map[*turn]error // turns of which a write in this transaction failed
}

// answer gives each write its outcome.
func (a *attempted) answer() {
	for i, w := range a.batch {
		w.finish(a.errs[i])
	}
}

// publish lets the work count that began before the transaction was durable.
func (a *attempted) publish() {
	for _, s := range a.t.Speculative {
		s.Publish()
	}
}

// rollback makes sure that it never counts.
func (a *attempted) rollback() {
	if a.t == nil {
		return
	}
	for _, s := range a.t.Speculative {
		s.Rollback()
	}
}

// end lets go of the locks that the transaction held.
func (a *attempted) end() {
	if a.t == nil {
		return
	}
	for _, f := range a.t.OnEnd {
		f()
	}
}

// run runs the writes of a batch in a transaction.
func (e *Engine) run(a *attempted, k kv.Tx) error {
	t := table.NewWrite(k, e.now())
	t.Meta = e.metaCopy()
	t.Epoch = e.epoch
	a.t = t
	if err := e.prelude(a); err != nil {
		return err
	}
	changed := false
	for i, w := range a.batch {
		t.Changed = false
		begun := len(t.Speculative)
		a.errs[i] = table.Guard(func() error { return a.runOne(w) })
		if a.errs[i] != nil && (t.Changed || table.IsPanic(a.errs[i])) {
			a.guilty = i
			return a.errs[i]
		}
		changed = changed || t.Changed
		a.loud = a.loud || t.Changed && !w.quiet
		for _, s := range t.Speculative[begun:] {
			s.Start(t)
		}
	}
	if !changed {
		return errUnchanged
	}
	return e.putMeta(t)
}

func (a *attempted) runOne(w *write) error {
	if w.turn == nil {
		return w.run(a.t)
	}
	if err := w.turn.failed(); err != nil {
		return err
	}
	if err := a.broken[w.turn]; err != nil {
		return err
	}
	err := w.run(a.t)
	if err != nil {
		if a.broken == nil {
			a.broken = map[*turn]error{}
		}
		a.broken[w.turn] = err
	}
	return err
}

// putMeta stores the state of the store as a whole, where a write has changed it.
func (e *Engine) putMeta(t *table.Tx) error {
	before := e.metaCopy()
	t.Meta.Hand = before.Hand
	if t.Meta == before {
		return nil
	}
	return t.Put(table.Meta, table.MetaKey(), t.Meta)
}

// took notes that a transaction is durable.
func (e *Engine) took(a *attempted) {
	t := a.t
	if a.recovered {
		failpoint.Hit("R1") // the suspects are marked, and no turn runs yet
	}
	e.stateMu.Lock()
	t.Meta.Hand = e.meta.Hand // it may have moved meanwhile
	e.meta = t.Meta
	e.grown += t.Added
	e.begun = true
	e.commits++
	if a.loud {
		e.changes++
	}
	e.stateMu.Unlock()
}

// prelude is the first part of the first transaction after an open: it takes
// the clean mark away and names the suspects of an unclean end. It costs no
// transaction of its own.
func (e *Engine) prelude(a *attempted) error {
	if e.hasBegun() {
		return nil
	}
	t := a.t
	if !t.Meta.Clean {
		if err := markSuspects(t); err != nil {
			return err
		}
		a.recovered = true
	}
	t.Meta.Clean = false
	t.Meta.Epoch = e.epoch
	e.stampTime(t)
	return nil
}

// noteWrite keeps the outcome of the last transaction.
func (e *Engine) noteWrite(err error) error {
	if err == nil {
		e.stateMu.Lock()
		if e.writeErr != nil {
			e.o.Log.Info().Msg("the store can be written again")
			e.o.Trouble(nil)
		}
		e.writeErr = nil
		e.stateMu.Unlock()
		return nil
	}
	e.stateMu.Lock()
	if e.writeErr == nil {
		e.o.Log.Error().Err(err).Msg("the store cannot be written")
		e.o.Trouble(err)
	}
	e.writeErr = err
	e.missed = true
	e.stateMu.Unlock()
	if table.IsPanic(err) {
		e.Suspect(err)
		return err
	}
	return fmt.Errorf("%w: %w", session.ErrStore, err)
}

// resync tells the lanes of everything that is pending after a failed commit:
// it may have reached the disk all the same.
func (e *Engine) resync() {
	e.stateMu.Lock()
	missed := e.missed
	e.missed = false
	e.stateMu.Unlock()
	if missed {
		e.signalPending()
	}
}
