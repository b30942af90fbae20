package bolt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/rs/zerolog"
	"go.etcd.io/bbolt"

	"parley/pkg/channels"
	"parley/pkg/session"
	"parley/pkg/session/kv"
)

// Crash gives the store up as a killed process would: what was accepted is on
// the disk, and there is no mark of a clean end.
func (e *Engine) Crash() {
	e.stop()
	e.workers.Wait()
	if e.endWrites() {
		_ = e.release()
	}
}

// Settle waits until everything queued was written and looks into what gave
// cause for doubt. It ends the engine's housekeeping.
func Settle(e *Engine) {
	done := make(chan struct{})
	w := &write{run: func(*tx) error { return nil }, done: func(error) { close(done) }}
	if e.submit(context.Background(), w) == nil {
		<-done
	}
	e.stop()
	e.workers.Wait()
	select {
	case cause := <-e.doubts:
		e.scrub(cause)
	default:
	}
}

// BreakWrites makes every write fail with err until it is called with nil.
func BreakWrites(e *Engine, err error) {
	e.stateMu.Lock()
	defer e.stateMu.Unlock()
	e.damage = err
}

// Prune does at once what the housekeeping does in a while.
func Prune(e *Engine) {
	e.stateMu.Lock()
	e.meta.Hand = ""
	e.grown = 1 << 20
	e.stateMu.Unlock()
	e.prune(context.Background())
}

// Unseal opens a record as a reader does.
func Unseal(key, rec []byte) ([]byte, error) { return unseal(bkInbox, key, rec) }

// Seal makes a record.
func Seal(key, payload []byte) []byte { return seal(bkInbox, key, payload) }

// The keys, for tests of their order and difference.
var (
	TimeKey = timeKey
	KeyTime = keyTime
	AddrKey = addrKey
	IDKey   = idKey
)

// SetSchema makes a closed store look as if another release had written it.
func SetSchema(dir string, n int) error {
	db, err := bbolt.Open(filepath.Join(dir, fileDB), 0o600, nil)
	if err != nil {
		return err
	}
	err = db.Update(func(b *bbolt.Tx) error {
		f := &fileTx{b: b}
		t := newTx(f, time.Now()).writing(f)
		m, err := get[metaRec](t, bkMeta, metaKey())
		if err != nil {
			return err
		}
		m.Schema = n
		return t.put(bkMeta, metaKey(), m)
	})
	return errors.Join(err, db.Close())
}

// DamageRecord flips a bit in the n-th record of a closed store's bucket.
func DamageRecord(dir, name string, n int) error {
	db, err := bbolt.Open(filepath.Join(dir, fileDB), 0o600, nil)
	if err != nil {
		return err
	}
	err = db.Update(func(b *bbolt.Tx) error {
		bk := b.Bucket([]byte(name))
		c := bk.Cursor()
		k, v := c.First()
		for ; k != nil && n > 0; n-- {
			k, v = c.Next()
		}
		if k == nil {
			return fmt.Errorf("bucket %s has no such record", name)
		}
		v = bytes.Clone(v)
		v[len(v)-1] ^= 1
		return bk.Put(bytes.Clone(k), v)
	})
	return errors.Join(err, db.Close())
}

// Stall keeps the writer from going on until release is called. What is queued
// before the stall and not yet written shares its transaction.
func Stall(ctx context.Context, e *Engine) (stalled <-chan struct{}, release func()) {
	in, out := make(chan struct{}), make(chan struct{})
	_ = e.submit(ctx, &write{done: func(error) {}, run: func(*tx) error {
		close(in)
		<-out
		return nil
	}})
	return in, func() { close(out) }
}

// EncodeEntry is the stored form of a history entry.
func EncodeEntry(e *session.Entry) ([]byte, error) { return encodeEntry(e) }

// DecodeEntry is its reverse.
func DecodeEntry(payload []byte) (session.Entry, error) { return decodeEntry(payload) }

// Queued is how many writes wait for the writer.
func Queued(e *Engine) int { return len(e.queue) }

// Spoil queues a write that takes its transaction with it: its neighbours run again without it.
func Spoil(ctx context.Context, e *Engine) {
	_ = e.submit(ctx, &write{done: func(error) {}, run: func(t *tx) error {
		t.changed = true
		return errors.New("spoilt")
	}})
}

// NoTurns says that no chat has a turn or is being looked at for one.
func NoTurns(e *Engine) bool {
	e.lanes.mu.Lock()
	s := e.lanes.inbox
	e.lanes.mu.Unlock()
	return s.Chats() == 0
}

// Sends says that somebody empties the outbox of an account.
func Sends(e *Engine, a channels.Address) bool { return e.outRunner(a) != nil }

// Barrier returns when everything that was queued before has its outcome.
func Barrier(ctx context.Context, e *Engine) { e.settle(ctx) }

// LookAfter does at once what the housekeeping does each minute.
func LookAfter(e *Engine) {
	e.keepTime(context.Background())
	Prune(e)
	e.endForgetting(context.Background())
}

// RestoreBy is Restore where link gives a file a second name.
func RestoreBy(ctx context.Context, dir, snap string, link func(from, to string) error) error {
	return restore(ctx, dir, snap, link)
}

// CountOn makes an earlier build of a closed store, which takes its numbers from bbolt's
// sequence, give out n of them. It returns the highest number by that sequence and by
// the key.
func CountOn(dir string, n uint64) (sequence, key uint64, err error) {
	db, err := bbolt.Open(filepath.Join(dir, fileDB), 0o600, nil)
	if err != nil {
		return 0, 0, err
	}
	err = db.Update(func(b *bbolt.Tx) error {
		f := &fileTx{b: b}
		if err := f.in(bkMeta).SetSequence(f.counted() + n); err != nil {
			return err
		}
		sequence = f.counted()
		key, err = newTx(f, time.Now()).number()
		return err
	})
	return sequence, key, errors.Join(err, db.Close())
}

// OpenStore opens the file of a directory as a store, and makes it where there is none.
func OpenStore(dir string) (kv.Store, error) {
	if !exists(dir, fileDB) {
		if err := build(dir, "", time.Now(), func(*tx) error { return nil }); err != nil {
			return nil, err
		}
	}
	open := func() (*bbolt.DB, error) { return openFile(dir, time.Second) }
	db, err := open()
	if err != nil {
		return nil, err
	}
	return &store{open: open, log: zerolog.Nop(), db: db}, nil
}

// OpenOver opens an engine over any store.
func OpenOver(ctx context.Context, o Options, s kv.Store) (*Engine, error) {
	o.defaults()
	e := newEngine(o, nil)
	e.store = s
	err := s.Update(func(k kv.Tx) error {
		t := e.newTx(k).writing(k)
		if !t.has(bkMeta, metaKey()) {
			m := metaRec{Schema: schema, ID: "test", Created: t.now, Clean: true}
			if err := errors.Join(t.count(uint64(t.now.UnixMicro())), t.put(bkMeta, metaKey(), m)); err != nil {
				return err
			}
		}
		m, err := get[metaRec](t, bkMeta, metaKey())
		if err != nil {
			return err
		}
		e.meta = *m
		return errors.Join(e.pairs.read(t), e.moves.read(t))
	})
	if err != nil {
		return nil, err
	}
	e.epoch, e.unclean = e.meta.Epoch+1, !e.meta.Clean
	e.readTime()
	work := e.start(ctx)
	e.workers.Go(func() { e.keepHouse(work) })
	return e, nil
}
