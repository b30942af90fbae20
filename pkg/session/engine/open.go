package engine

import (
	"context"
	"errors"
	"math"
	"time"

	"golang.org/x/sync/semaphore"

	"parley/pkg/session/engine/lane"
	"parley/pkg/session/engine/table"
	"parley/pkg/session/kv"
)

// Open opens the engine over a store, which it closes when it is closed itself. An empty
// store is completed; opening any other one writes nothing. The context bounds the
// opening only.
func Open(ctx context.Context, s kv.Store, o Options) (*Engine, error) {
	o.defaults()
	e := newEngine(s, o)
	fresh, err := e.readState()
	if err == nil && fresh {
		if err = s.Update(func(k kv.Tx) error { return table.Complete(k, e.now(), nil) }); err == nil {
			_, err = e.readState()
		}
	}
	if err != nil {
		return nil, err
	}
	e.epoch, e.unclean = e.meta.Epoch+1, !e.meta.Clean
	if held := e.meta.Held; held != "" && !o.ReadOnly {
		o.Log.Warn().Str("held", held).Msg("nothing is handed out until the store is released")
	}
	e.start(ctx)
	return e, nil
}

// start lets writes through and begins the housekeeping, unless the engine only reads.
func (e *Engine) start(ctx context.Context) {
	work, stop := context.WithCancel(context.WithoutCancel(ctx))
	e.stop, e.done = stop, work.Done()
	if e.o.ReadOnly {
		e.closed = true
		return
	}
	e.readTime()
	go e.commitLoop()
	e.workers.Go(func() { e.keepHouse(work) })
}

func newEngine(s kv.Store, o Options) *Engine {
	e := &Engine{
		o: o, store: s,
		queue: make(chan *write, maxQueue), committed: make(chan struct{}), doubts: make(chan error, 1),
		idle:     map[uint64]bool{},
		suspects: semaphore.NewWeighted(math.MaxInt64),
	}
	e.lanes.outbox = map[account]*lane.Scheduler{}
	e.lanes.turns = map[uint64]*turn{}
	e.lanes.sends = map[uint64]*delivery{}
	return e
}

// readState reads what every start needs. Fresh says that the store is empty.
func (e *Engine) readState() (fresh bool, err error) {
	err = e.store.View(func(k kv.Reader) error {
		t := table.NewTx(k, e.now())
		if fresh = !t.Has(table.Meta, table.MetaKey()); fresh {
			return nil
		}
		m, err := table.Get[table.MetaRecord](t, table.Meta, table.MetaKey())
		if err != nil {
			return err
		}
		e.meta = *m
		return errors.Join(e.pairs.read(t), e.moves.read(t))
	})
	return fresh, err
}

// minRetain is the least time for which ids are remembered.
const minRetain = 48 * time.Hour
