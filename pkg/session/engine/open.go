package engine

import (
	"context"
	"errors"
	"math"
	"time"

	"golang.org/x/sync/semaphore"

	"parley/internal/failpoint"
	"parley/pkg/session"
	"parley/pkg/session/engine/lane"
	"parley/pkg/session/engine/table"
	"parley/pkg/session/engine/writer"
	"parley/pkg/session/kv"
)

// Open opens the engine over a store, which it closes when it is closed itself. An
// empty store is completed; opening any other one writes no record. The context bounds
// the opening only.
func Open(ctx context.Context, s kv.Store, o Options) (*Engine, error) {
	o.defaults()
	e := newEngine(s, o)
	m, err := e.readState()
	if errors.Is(err, session.ErrNotFound) {
		if err = s.Update(func(k kv.Tx) error { return table.Complete(k, o.Now(), nil) }); err == nil {
			m, err = e.readState()
		}
	}
	if err != nil {
		return nil, err
	}
	e.unclean = !m.Clean
	e.w = writer.New(s, writer.Options{
		Log: o.Log, Now: o.Now, ReadOnly: o.ReadOnly, Meta: *m, Trouble: o.Trouble,
		Prelude: e.prelude, Begun: e.begun, Committed: e.awaited.drains.Changed, Resync: e.signalPending,
	})
	if m.Held != "" && !o.ReadOnly {
		o.Log.Warn().Str("held", m.Held).Msg("nothing is handed out until the store is released")
	}
	e.start(ctx, m)
	return e, nil
}

// start lets writes through and begins the housekeeping, unless the engine only reads.
func (e *Engine) start(ctx context.Context, m *table.MetaRecord) {
	work, stop := context.WithCancel(context.WithoutCancel(ctx))
	e.stop, e.done = stop, work.Done()
	if e.o.ReadOnly {
		return
	}
	e.uptime.read(m)
	go e.w.Run()
	e.workers.Go(func() { e.maintain(work) })
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
	e.uptime.stamp(t)
	return nil
}

// begun comes when the first transaction is durable.
func (e *Engine) begun() {
	if e.recovered {
		failpoint.Hit("R1") // the suspects are marked, and no turn runs yet
	}
}

func newEngine(s kv.Store, o Options) *Engine {
	e := &Engine{
		o: o, store: s,
		uptime:   uptime{retain: o.Retain, log: o.Log, now: o.Now},
		idle:     map[uint64]bool{},
		suspects: semaphore.NewWeighted(math.MaxInt64),
	}
	e.lanes.outbox = map[account]*lane.Scheduler{}
	e.lanes.turns = map[uint64]*turn{}
	e.lanes.sends = map[uint64]*delivery{}
	return e
}

// readState reads the part that every start needs. It is [session.ErrNotFound] where
// the store is empty.
func (e *Engine) readState() (m *table.MetaRecord, err error) {
	err = e.store.View(func(k kv.Reader) error {
		t := table.NewTx(k, e.o.Now())
		if m, err = table.Get[table.MetaRecord](t, table.Meta, table.MetaKey()); err != nil {
			return err
		}
		e.awaited.drains.Opened, _ = table.LastNumber(k) // one that is damaged shows when the next is given out
		return errors.Join(e.pairs.read(t), e.moves.read(t))
	})
	return m, err
}

// minRetain is the least time for which ids are remembered.
const minRetain = 48 * time.Hour
