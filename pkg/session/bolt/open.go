package bolt

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"go.etcd.io/bbolt"
	"golang.org/x/sync/semaphore"

	"parley/pkg/session/engine/lane"
)

// Open opens the store in o.Dir, creating it where there never was one. A file
// that is damaged, emptied or gone is moved aside and the newest good snapshot
// restored, held until [Engine.ReleaseHold]. The context bounds the opening only.
func Open(ctx context.Context, o Options) (*Engine, error) {
	o.defaults()
	if err := prepareDir(o.Dir); err != nil {
		return nil, err
	}
	lock, err := takeLock(ctx, o.Dir, o.LockTimeout)
	if err != nil {
		return nil, err
	}
	e := newEngine(o, lock)
	if err := e.openStore(ctx); err != nil {
		return nil, errors.Join(err, e.release())
	}
	e.unclean = !e.meta.Clean
	e.readTime()
	work := e.start(ctx)
	e.workers.Go(func() { e.keepHouse(work) })
	return e, nil
}

// start lets writes through, unless the engine only looks. The context that it returns
// ends with the engine.
func (e *Engine) start(ctx context.Context) context.Context {
	work, stop := context.WithCancel(context.WithoutCancel(ctx))
	e.stop, e.done = stop, work.Done()
	if !e.looks {
		go e.commitLoop()
	}
	return work
}

func newEngine(o Options, lock *os.File) *Engine {
	e := &Engine{
		o: o, lock: lock,
		queue: make(chan *write, maxQueue), committed: make(chan struct{}), doubts: make(chan error, 1),
		idle:     map[uint64]bool{},
		suspects: semaphore.NewWeighted(math.MaxInt64),
	}
	e.lanes.outbox = map[account]*lane.Scheduler{}
	e.lanes.turns = map[uint64]*turn{}
	e.lanes.sends = map[uint64]*delivery{}
	return e
}

// openStore brings a usable file into place and reads its state.
func (e *Engine) openStore(ctx context.Context) error {
	dir := e.o.Dir
	if !exists(dir, fileMarker) && (!exists(dir, fileDB) || isEmpty(dir)) {
		if err := build(dir, "", e.now(), func(*tx) error { return nil }); err != nil {
			return err
		}
	}
	if err := dropSecondNames(dir); err != nil {
		return dirError(dir, err)
	}
	err := e.openGood()
	if errors.Is(err, errDamaged) {
		e.o.Log.Error().Err(err).Msg("the store is damaged")
		if err := e.recoverStore(ctx, err); err != nil {
			return err
		}
		err = e.openGood()
	}
	if err != nil {
		return err
	}
	e.epoch = e.meta.Epoch + 1
	if held := e.meta.Held; held != "" {
		e.o.Log.Warn().Str("held", held).Msg("nothing is handed out until the store is released")
	}
	if exists(dir, fileMarker) {
		return nil
	}
	if err := writeMarked(dir, fileMarker, e.meta.ID+"\n"); err != nil {
		return dirError(dir, err)
	}
	return nil
}

func isEmpty(dir string) bool {
	info, err := os.Stat(filepath.Join(dir, fileDB))
	return err == nil && info.Size() == 0
}

// openGood opens the file and reads what every start needs. An error that is
// errDamaged means that the file is to be moved aside.
func (e *Engine) openGood() error {
	dir := e.o.Dir
	if metDamage(dir) {
		return damaged(damageMet)
	}
	if exists(dir, fileDamage) {
		e.o.Log.Warn().Msg("the note of damage is about a store that was replaced since; it is removed")
		if err := remove(filepath.Join(dir, fileDamage)); err != nil {
			return dirError(dir, err)
		}
	}
	if !exists(dir, fileDB) {
		return damaged("it is gone")
	}
	open := func() (*bbolt.DB, error) { return openFile(dir, e.o.LockTimeout) }
	db, err := open()
	if err != nil {
		return err
	}
	s := &store{open: open, log: e.o.Log, db: db}
	old, err := e.readState(s)
	if err == nil && old {
		err = guard(func() error {
			return db.Update(func(b *bbolt.Tx) error {
				f := &fileTx{b: b}
				return f.upgrade(newTx(f, e.now()).writing(f))
			})
		})
	}
	if err == nil {
		e.store = s
		return nil
	}
	return errors.Join(asDamage(err), s.Close())
}

// asDamage makes damage of a panic: before anything else was done, nothing but a
// damaged page can cause one.
func asDamage(err error) error {
	if isPanic(err) {
		return damaged("%v", err)
	}
	return err
}

// readState reads what every start needs. Old says that an earlier build wrote the store.
func (e *Engine) readState(s *store) (old bool, err error) {
	err = guard(func() error {
		return s.db.View(func(b *bbolt.Tx) error {
			f := &fileTx{b: b}
			t := newTx(f, e.now())
			m, err := readMeta(f, t)
			if err != nil {
				return err
			}
			e.meta = *m
			old = f.outdated(t)
			return errors.Join(e.pairs.read(t), e.moves.read(t))
		})
	})
	return old, err
}

// readMeta reads the state record and touches what is pending, which is all
// that a start will need.
func readMeta(f *fileTx, t *tx) (*metaRec, error) {
	if f.lacks(bkMeta) {
		return nil, damaged("it is another program's file")
	}
	m, err := get[metaRec](t, bkMeta, metaKey())
	if err != nil {
		return nil, damaged("%v", err)
	}
	if m.Schema > schema {
		return nil, fmt.Errorf("%w (form %d, this one reads up to %d); run that release, or restore an older snapshot with it",
			ErrNewer, m.Schema, schema)
	}
	if _, err := t.number(); err != nil {
		return nil, damaged("%v", err)
	}
	for _, b := range buckets() {
		f.in(b) // one that is missing is damage
	}
	for _, b := range []bucket{bkInbox, bkOutbox} {
		t.heads(b, func(_, _ uint64) {})
	}
	return m, nil
}
