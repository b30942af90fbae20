package writer

import (
	"errors"

	"parley/pkg/session/engine/table"
	"parley/pkg/session/kv"
)

// errUnchanged drops a transaction in which no write has put a key.
var errUnchanged = errors.New("no write has put a key")

// batch is a number of writes in one transaction.
type batch struct {
	writes []*Write
	errs   []error   // of each write, its own
	t      *table.Tx // nil until the transaction has begun
	// guilty is the write that spoiled the transaction, or -1.
	guilty  int
	changes uint64          // 1 where a write that is not quiet has put a key
	broken  map[Owner]error // the owners of which a write in this transaction failed
}

// run runs the writes in a transaction.
func (b *batch) run(w *Writer, k kv.Tx) error {
	b.t = table.NewWrite(k, w.o.Now())
	b.t.Meta = w.State.Meta()
	b.t.Epoch = w.State.Epoch()
	b.t.Above(w.spent)
	if !w.State.Begun() {
		if err := w.o.Prelude(b.t); err != nil {
			return err
		}
	}
	changed := false
	for i, write := range b.writes {
		b.t.Changed = false
		begun := len(b.t.Speculative)
		b.errs[i] = table.Guard(func() error { return b.runOne(write) })
		if b.errs[i] != nil && (b.t.Changed || table.IsPanic(b.errs[i])) {
			b.guilty = i
			return b.errs[i]
		}
		changed = changed || b.t.Changed
		if b.t.Changed && !write.Quiet {
			b.changes = 1
		}
		for _, s := range b.t.Speculative[begun:] {
			s.Start(b.t)
		}
	}
	if !changed {
		return errUnchanged
	}
	if err := b.t.PutNumber(); err != nil {
		return err
	}
	return b.putMeta(w.State.Meta())
}

func (b *batch) runOne(w *Write) error {
	if w.Owner == nil {
		return w.Run(b.t)
	}
	if err := w.Owner.Failed(); err != nil {
		return err
	}
	if err := b.broken[w.Owner]; err != nil {
		return err
	}
	err := w.Run(b.t)
	if err != nil {
		if b.broken == nil {
			b.broken = map[Owner]error{}
		}
		b.broken[w.Owner] = err
	}
	return err
}

// putMeta stores the state of the store as a whole, where a write has changed it.
func (b *batch) putMeta(before table.MetaRecord) error {
	b.t.Meta.Hand = before.Hand
	if b.t.Meta == before {
		return nil
	}
	return b.t.Put(table.Meta, table.MetaKey(), b.t.Meta)
}

// answer gives each write its outcome.
func (b *batch) answer() {
	for i, w := range b.writes {
		w.finish(b.errs[i])
	}
}

// publish lets the work count that began before the transaction was durable.
func (b *batch) publish() {
	for _, s := range b.t.Speculative {
		s.Publish()
	}
}

// rollback makes sure that it does not count. A chat that could not be stored may have a turn
// for a moment still: no other chat gets its number, and that of its session.
func (b *batch) rollback(w *Writer) {
	if b.t == nil {
		return
	}
	if len(b.t.Fresh) > 0 {
		w.spent = max(w.spent, b.t.Given())
	}
	for _, s := range b.t.Speculative {
		s.Rollback()
	}
}

// doubt notes what may be stored although the commit has failed.
func (b *batch) doubt() {
	if b.t == nil {
		return
	}
	for _, f := range b.t.OnDoubt {
		f()
	}
}

// end lets go of the locks that the transaction held.
func (b *batch) end() {
	if b.t == nil {
		return
	}
	for _, f := range b.t.OnEnd {
		f()
	}
}
