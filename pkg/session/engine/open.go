package engine

import (
	"context"
	"errors"
	"time"

	"github.com/rs/zerolog"

	"parley/internal/failpoint"
	"parley/pkg/session"
	"parley/pkg/session/engine/credentials"
	"parley/pkg/session/engine/outbox"
	"parley/pkg/session/engine/pairing"
	"parley/pkg/session/engine/table"
	"parley/pkg/session/engine/upkeep"
	"parley/pkg/session/engine/writer"
	"parley/pkg/session/kv"
)

// Open opens the engine over a store, which it closes when it is closed itself. An
// empty store is completed; opening any other one writes no record. The context bounds
// the opening only.
func Open(ctx context.Context, s kv.Store, o Options) (*Engine, error) {
	o.defaults()
	e := &Engine{o: o, store: s}
	m, err := e.readState()
	if errors.Is(err, session.ErrNotFound) {
		if err = s.Update(func(k kv.Tx) error { return table.Complete(k, o.Now(), nil) }); err == nil {
			m, err = e.readState()
		}
	}
	if err != nil {
		return nil, err
	}
	e.w = writer.New(s, writer.Options{
		Log: o.Log, Now: o.Now, ReadOnly: o.ReadOnly, Meta: *m, Trouble: o.Trouble,
		Prelude: e.prelude, Begun: e.begun, Committed: e.drains.Changed, Resync: e.resync,
	})
	if m.Held != "" && !o.ReadOnly {
		o.Log.Warn().Str("held", m.Held).Msg("nothing is handed out until the store is released")
	}
	work, stop := context.WithCancel(context.WithoutCancel(ctx))
	e.stop, e.done = stop, work.Done()
	e.out = outbox.New(e.w, &e.runs, &e.drains, o.Lanes, e.done)
	e.in = newInbox(e)
	log := o.Log
	if o.ReadOnly {
		log = zerolog.Nop() // a look is no start: it warns of no leap of the clock
	}
	e.keeper = upkeep.New(s, e.w, m, upkeep.Options{
		Log: log, Now: o.Now, Retain: o.Retain, Snapshot: o.Snapshot, SnapshotEvery: o.SnapshotEvery, NoteDamage: o.NoteDamage,
	})
	if e.pairs, err = pairing.New(e.w, e.out); err == nil {
		err = e.w.View(e.moves.read)
	}
	if err == nil {
		e.tokens, err = credentials.New(e.w)
	}
	if err != nil {
		stop()
		return nil, err
	}
	e.start(work)
	return e, nil
}

// start lets writes through and begins the housekeeping, unless the engine only reads.
func (e *Engine) start(work context.Context) {
	if e.o.ReadOnly {
		return
	}
	go e.w.Run()
	e.workers.Go(func() { e.keeper.Run(work) })
}

// prelude is the first part of the first transaction after an open: it takes
// the clean mark away and names the suspects of an unclean end.
func (e *Engine) prelude(t *table.Tx) error {
	if !t.Meta.Clean {
		if err := markSuspects(t); err != nil {
			return err
		}
		e.recovered = true
	}
	t.Meta.Clean = false
	t.Meta.Epoch = t.Epoch
	e.keeper.Stamp(t)
	return nil
}

// begun comes when the first transaction is durable.
func (e *Engine) begun() {
	if e.recovered {
		failpoint.Hit("R1") // the suspects are marked, and no turn runs yet
	}
}

// readState reads the part that every start needs. It is [session.ErrNotFound] where
// the store is empty.
func (e *Engine) readState() (m *table.MetaRecord, err error) {
	err = e.store.View(func(k kv.Reader) error {
		t := table.NewTx(k, e.o.Now())
		if m, err = table.Get[table.MetaRecord](t, table.Meta, table.MetaKey()); err != nil {
			return err
		}
		e.drains.Opened, _ = table.LastNumber(k) // one that is damaged shows when the next is given out
		return nil
	})
	return m, err
}

// minRetain is the least time for which ids are remembered.
const minRetain = 48 * time.Hour
