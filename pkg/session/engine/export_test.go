package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"parley/pkg/channels"
	"parley/pkg/session"
	"parley/pkg/session/engine/table"
	"parley/pkg/session/engine/writer"
	"parley/pkg/session/kv"
)

// Crash gives the store up as a killed process would: accepted items are on the disk,
// and there is no mark of a clean end.
func (e *Engine) Crash() {
	e.stop()
	e.workers.Wait()
	if e.w.Close() {
		_ = e.store.Close()
	}
}

// Settle waits until everything queued was written and looks into the causes for doubt.
// It ends the engine's housekeeping.
func Settle(e *Engine) {
	done := make(chan struct{})
	w := &writer.Write{Run: func(*table.Tx) error { return nil }, Done: func(error) { close(done) }}
	if e.w.Submit(context.Background(), w) == nil {
		<-done
	}
	e.stop()
	e.workers.Wait()
	select {
	case cause := <-e.w.ScrubRequests():
		e.keeper.Scrub(cause)
	default:
	}
}

// BreakWrites makes every write fail with err until it is called with nil.
func BreakWrites(e *Engine, err error) {
	e.w.State.SetDamage(err)
}

// Prune does at once the pruning that the housekeeping does in a while.
func Prune(e *Engine) {
	fullRound(e)
	e.keeper.Prune(context.Background())
}

// fullRound lets the next look at old records begin at the first and pass over all.
func fullRound(e *Engine) {
	e.w.State.SetPruned("")
	_ = e.w.Do(context.Background(), func(t *table.Tx) error {
		t.Added, t.Changed = 1<<20, true
		return nil
	})
}

// Unseal opens a record as a reader does.
func Unseal(key, rec []byte) ([]byte, error) { return table.Unseal(table.Inbox, key, rec) }

// Seal makes a record.
func Seal(key, payload []byte) []byte { return table.Seal(table.Inbox, key, payload) }

// The keys, for tests of their order and difference.
var (
	TimeKey = table.TimeKey
	KeyTime = table.KeyTime
	AddrKey = table.AddrKey
	IDKey   = table.IDKey
)

// SetSchema makes a store look as if another release had written it.
func SetSchema(s kv.Store, n int) error {
	return s.Update(func(k kv.Tx) error {
		t := table.NewWrite(k, time.Now())
		m, err := table.Get[table.MetaRecord](t, table.Meta, table.MetaKey())
		if err != nil {
			return err
		}
		m.Schema = n
		return t.Put(table.Meta, table.MetaKey(), m)
	})
}

// DamageRecord flips a bit in the n-th record of a bucket.
func DamageRecord(s kv.Store, name string, n int) error {
	return s.Update(func(k kv.Tx) error {
		c := k.Cursor(table.Bucket(name))
		key, v := c.Seek(nil)
		for ; key != nil && n > 0; n-- {
			key, v = c.Next()
		}
		if key == nil {
			return fmt.Errorf("bucket %s has no such record", name)
		}
		v = bytes.Clone(v)
		v[len(v)-1] ^= 1
		return k.Put(table.Bucket(name), bytes.Clone(key), v)
	})
}

// Stall keeps the writer from going on until release is called. A write that is queued
// before the stall and not yet written shares its transaction.
func Stall(ctx context.Context, e *Engine) (stalled <-chan struct{}, release func()) {
	in, out := make(chan struct{}), make(chan struct{})
	_ = e.w.Submit(ctx, &writer.Write{Done: func(error) {}, Run: func(*table.Tx) error {
		close(in)
		<-out
		return nil
	}})
	return in, func() { close(out) }
}

// EncodeEntry is the stored form of a history entry.
func EncodeEntry(e *session.Entry) ([]byte, error) { return table.EncodeEntry(e) }

// DecodeEntry is its reverse.
func DecodeEntry(payload []byte) (session.Entry, error) { return table.DecodeEntry(payload) }

// Queued is how many writes wait for the writer.
func Queued(e *Engine) int { return e.w.Waiting() }

// Spoil queues a write that takes its transaction with it: its neighbours run again without it.
func Spoil(ctx context.Context, e *Engine) {
	_ = e.w.Submit(ctx, &writer.Write{Done: func(error) {}, Run: func(t *table.Tx) error {
		t.Changed = true
		return errors.New("spoilt")
	}})
}

// NoTurns says that no chat has a turn or is being looked at for one.
func NoTurns(e *Engine) bool {
	e.in.lanes.mu.Lock()
	s := e.in.lanes.inbox
	e.in.lanes.mu.Unlock()
	return s.Chats() == 0
}

// Sends says that somebody empties the outbox of an account.
func Sends(e *Engine, a channels.Address) bool { return e.out.Runs(a) }

// Barrier returns when everything that was queued before has its outcome.
func Barrier(ctx context.Context, e *Engine) { e.w.Settle(ctx) }

// LookAfter does at once the look that the housekeeping takes each minute.
func LookAfter(e *Engine) {
	fullRound(e)
	e.keeper.Tend(context.Background())
}
